//===- ExplainPlans.cpp - Why kernels are grouped so ----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Transforms/ExplainPlans.h"

#include "FusionPlans.h"
#include "Variants.h"

#include "fastnorm/Target/Timing.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fastnorm;

/// As many groupings and kernels of each as a screen has room for.
static constexpr size_t kMostGroupings = 4;
static constexpr size_t kMostKernels = 4;
static constexpr size_t kWidth = 100;

namespace {

class Page {
public:
  Page(const FusionPlans &plans, TargetAttr target, int64_t rows, size_t chosen)
      : plans(plans), target(target), rows(rows), chosen(chosen) {}

  void addGroupings() {
    // What is chosen comes first: it may be a little slower than what would be if it did not serve other rows, too.
    auto key = [&](size_t index) { return std::tuple(index != chosen, plans.all()[index].timeAt(rows), index); };
    SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(plans.all().size()));
    llvm::sort(order, [&](size_t left, size_t right) { return key(left) < key(right); });
    for (size_t index : ArrayRef(order).take_front(kMostGroupings))
      addGrouping(index);
    if (order.size() > kMostGroupings)
      add(llvm::formatv("  {0} other groupings, from {1:F2} us", order.size() - kMostGroupings,
                        plans.all()[order[kMostGroupings]].timeAt(rows))
              .str());
  }

  void addRanges(StringRef symbol) {
    SmallVector<FusionPlans::Start> starts = plans.starts();
    if (symbol.empty() || plans.all().size() == 1)
      return;
    add("chosen");
    for (auto [index, start] : llvm::enumerate(starts)) {
      int64_t high = index + 1 < starts.size() ? starts[index + 1].rows - 1 : INT64_MAX;
      auto range = RangeAttr::get(target.getContext(), symbol, start.rows, high);
      add("  " + plans.all()[start.grouping].grouping().str() + describeRange(range));
    }
  }

  void addAdvice() {
    add("what would help");
    std::vector<PlannedKernel> kernels = plans.all()[chosen].plan(rows);
    for (const PlannedKernel &planned : ArrayRef(kernels).take_front(kMostKernels))
      if (planned.schedule)
        add("  " + nameOf(planned) + ": " + adviceFor(planned.cost));
  }

  void add(std::string line) {
    if (line.size() > kWidth)
      line = line.substr(0, kWidth - 3) + "...";
    text += line + "\n";
  }

  std::string text;

private:
  static std::string nameOf(const PlannedKernel &planned) { return KernelOp(planned.kernel).getName().str(); }

  void addGrouping(size_t index) {
    const TimedGrouping &grouping = plans.all()[index];
    std::vector<PlannedKernel> kernels = grouping.plan(rows);
    bool runs = llvm::all_of(kernels, [](const PlannedKernel &planned) { return planned.schedule.has_value(); });
    std::string time = runs ? llvm::formatv("{0:F2} us", grouping.timeAt(rows)).str() : "no schedule runs it";
    add((index == chosen ? "* " : "  ") + grouping.grouping().str() + "  " + time);
    for (const PlannedKernel &planned : ArrayRef(kernels).take_front(kMostKernels))
      if (planned.schedule)
        addKernel(planned);
    if (kernels.size() > kMostKernels)
      add(llvm::formatv("    and {0} more kernels", kernels.size() - kMostKernels).str());
  }

  void addKernel(const PlannedKernel &planned) {
    const CostEstimate &cost = planned.cost;
    add("    " + cost.str());
    std::string parts = llvm::formatv("      launch {0:F2}, waits {1:F2}, transfer {2:F2}, idle {3:F2}", cost.launchUs,
                                      cost.waitUs, cost.transferUs, cost.idleUs)
                            .str();
    if (cost.finalizeUs > 0)
      parts += llvm::formatv(", second launch {0:F2}", cost.finalizeUs).str();
    if (cost.hotBytes > 0)
      parts += llvm::formatv("; {0:F1} MB of the L2", cost.hotBytes / 1e6).str();
    add(parts);
  }

  std::string adviceFor(const CostEstimate &cost) const {
    TimingAttr timing = timingOf(target);
    switch (cost.bound()) {
    case Bound::Memory:
      return llvm::formatv("fewer bytes; it moves {0:F0} GB/s, memory can be read at {1}", cost.bandwidth(),
                           timing.getReadBandwidth());
    case Bound::Multiprocessor:
      return llvm::formatv("rows over more CTAs; {0} multiprocessors have work for {1} CTAs",
                           target.getMultiprocessors(), cost.ctas);
    case Bound::BytesInFlight:
      return llvm::formatv("more loads in flight; {0:F0} KB a multiprocessor wait for {1:F2} us each time",
                           cost.inFlightBytes / 1024.0, cost.waitUs);
    case Bound::Latency:
      return llvm::formatv("fewer loads that wait for each other ({0}), fewer meetings of threads ({1})", cost.chain,
                           cost.meetings);
    case Bound::Launch: return "more rows a launch, or fewer launches";
    case Bound::SecondLaunch: return "fewer CTAs that leave partial sums";
    }
    llvm_unreachable("every bound has its advice");
  }

  const FusionPlans &plans;
  TargetAttr target;
  int64_t rows;
  size_t chosen;
};

} // namespace

/// Which grouping serves a number of rows.
static size_t chosenAt(const FusionPlans &plans, int64_t rows) {
  size_t chosen = 0;
  for (const FusionPlans::Start &start : plans.starts())
    if (start.rows <= rows)
      chosen = start.grouping;
  return chosen;
}

FailureOr<std::string> fastnorm::explainPlans(func::FuncOp function, TargetAttr target, bool isRowInvariant,
                                              const llvm::StringMap<int64_t> &known) {
  FailureOr<Symbols> symbols = Symbols::of(function);
  FailureOr<FusionPlans> plans = FusionPlans::of(function, target, isRowInvariant);
  if (failed(symbols) || failed(plans))
    return failure();
  std::string symbol = rowsSymbolOf(function, *symbols);
  auto value = known.find(symbol);
  int64_t rows = value == known.end() ? kTypicalRows : std::max<int64_t>(1, value->second);
  size_t chosen = isRowInvariant ? plans->bestAt(kTypicalRows) : chosenAt(*plans, rows);
  Page page(*plans, target, rows, chosen);
  page.add(llvm::formatv("{0} on {1} ({2}){3}", function.getName(), target.getName(),
                         timingOf(target).getMeasured() ? "measured constants" : "modelled constants",
                         symbol.empty() ? "" : llvm::formatv(", {0} = {1}", symbol, rows).str())
               .str());
  page.addGroupings();
  if (!isRowInvariant)
    page.addRanges(symbol);
  page.addAdvice();
  return page.text;
}
