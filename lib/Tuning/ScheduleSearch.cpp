//===- ScheduleSearch.cpp - Which schedule is tried next ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSearch.h"

#include "fastnorm/CostModel/BestSchedule.h"
#include "fastnorm/CostModel/CostEstimate.h"
#include "fastnorm/CostModel/ScheduleSpace.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fastnorm;

/// The model erred by up to 1.6 of the time seen (docs/Schedules.md); what it says is slower than this is not the best.
static constexpr double kFarSlower = 1.6;
/// Microseconds that it errs by in kernels that take hardly longer than a launch.
static constexpr double kFarSlowerUs = 1.0;

std::unique_ptr<MLIRContext> fastnorm::createTuningContext() {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  // Remarks are for those who compile, not for those who compile a thousand times.
  context->getDiagEngine().registerHandler(
      [](Diagnostic &diagnostic) { return success(diagnostic.getSeverity() != DiagnosticSeverity::Error); });
  return context;
}

KernelOp fastnorm::isolatedKernelIn(ModuleOp module) {
  KernelOp found;
  module.walk([&](KernelOp kernel) { found = kernel; });
  return found;
}

static std::string textOf(ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream(text) << schedule;
  return text;
}

Result<ScheduleSearch> ScheduleSearch::create(const IsolatedKernel &kernel, const CompileOptions &options,
                                              const ScheduleTable *known) {
  ScheduleSearch search;
  search.context = createTuningContext();
  Result<OwningOpRef<ModuleOp>> module = parseGraph(kernel.graph, kernel.name, *search.context);
  if (!module)
    return module.takeError();
  search.module = std::move(*module);
  search.rows = kernel.rows;
  if (options.alignment == "any")
    for (func::FuncOp function : search.module->getOps<func::FuncOp>())
      function->setAttr(kAlignmentAttr, Builder(search.context.get()).getI64IntegerAttr(1));
  FailureOr<TargetAttr> target = requireTarget(*search.module);
  KernelOp op = isolatedKernelIn(*search.module);
  if (failed(target) || !op)
    return Error{"expected a kernel and its target, but got neither"};
  search.target = *target;
  search.pattern = std::make_unique<AccessPattern>(op);
  std::optional<ScheduleAttr> best = bestSchedule(*search.pattern, search.target, search.rows);
  if (!best)
    return Error{"no schedule can run it"};
  CostEstimate cost = estimateCost(*search.pattern, *best, search.target, search.rows);
  search.choice = textOf(*best);
  search.seen.insert(*best);
  search.areManyRows = cost.coldBytes > 2 * search.target.getL2Bytes();
  search.mostModelUs = std::max(kFarSlower * cost.totalUs, cost.totalUs + kFarSlowerUs);

  std::vector<ScheduleCandidate> all = scheduleShapes(*search.pattern, search.target, search.rows);
  std::vector<ScheduleCandidate> near = scheduleNeighbours(*search.pattern, search.target, search.rows, *best);
  all.insert(all.end(), near.begin(), near.end());
  llvm::sort(
      all, [](const ScheduleCandidate &left, const ScheduleCandidate &right) { return left.modelUs < right.modelUs; });
  search.enqueue(std::move(all), /*areFirst=*/false);
  const TunedKernel *tuned = known ? known->find(kernel.signature) : nullptr;
  for (const TunedSchedule &former : tuned ? tuned->schedules : std::vector<TunedSchedule>())
    if (ScheduleAttr schedule = search.attributeOf(former.schedule))
      search.enqueue({{schedule, 0}}, /*areFirst=*/true);
  return search;
}

ScheduleAttr ScheduleSearch::attributeOf(const std::string &schedule) const {
  ScopedDiagnosticHandler quiet(context.get(), [](Diagnostic &) { return success(); });
  auto attribute = dyn_cast_or_null<ScheduleAttr>(parseAttribute(schedule, context.get()));
  return attribute && !whyIllegal(*pattern, attribute, target) ? attribute : ScheduleAttr();
}

void ScheduleSearch::enqueue(std::vector<ScheduleCandidate> candidates, bool areFirst) {
  std::deque<ScheduleAttr> added;
  for (const ScheduleCandidate &candidate : candidates)
    if (candidate.modelUs <= mostModelUs && seen.insert(candidate.schedule).second)
      added.push_back(candidate.schedule);
  queue.insert(areFirst ? queue.begin() : queue.end(), added.begin(), added.end());
}

std::vector<std::string> ScheduleSearch::next(size_t most) {
  std::vector<std::string> schedules;
  for (; !queue.empty() && schedules.size() < most; queue.pop_front())
    schedules.push_back(textOf(queue.front()));
  return schedules;
}

void ScheduleSearch::improved(const std::string &schedule) {
  ScheduleAttr attribute = attributeOf(schedule);
  if (!attribute)
    return;
  std::vector<ScheduleCandidate> near = scheduleNeighbours(*pattern, target, rows, attribute);
  // Those that wait already come first now.
  for (const ScheduleCandidate &candidate : near)
    if (auto waiting = llvm::find(queue, candidate.schedule); waiting != queue.end()) {
      queue.erase(waiting);
      seen.erase(candidate.schedule);
    }
  enqueue(std::move(near), /*areFirst=*/true);
}
