//===- Contestant.cpp - A kernel with one schedule, on a device -----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contestant.h"

#include "ScheduleSearch.h"

#include "mlir/AsmParser/AsmParser.h"

#include <atomic>
#include <thread>

using namespace mlir;
using namespace fastnorm;

Status Contestant::bind(const std::vector<OperandSet> &sets, const SymbolValues &given) {
  executions = std::make_shared<std::vector<Execution>>();
  for (const OperandSet &set : sets) {
    Result<Execution> execution = executor->prepare(set.arguments(), set.results(), given);
    if (!execution)
      return execution.takeError();
    executions->push_back(std::move(*execution));
  }
  return {};
}

Status Contestant::launchOnce(Device &device) const {
  Result<std::unique_ptr<Stream>> stream = device.createStream();
  if (!stream)
    return stream.takeError();
  if (Status launched = executions->front().launch(**stream); !launched)
    return launched;
  return (*stream)->synchronize();
}

BenchCandidate Contestant::candidate() const {
  BenchCandidate candidate{schedule, {}};
  for (size_t set = 0; set < executions->size(); ++set)
    candidate.launches.push_back([all = executions, set](Stream &stream) { return (*all)[set].launch(stream); });
  return candidate;
}

static Result<Contestant> build(const IsolatedKernel &kernel, const std::string &schedule,
                                const CompileOptions &options, Device &device) {
  std::unique_ptr<MLIRContext> context = createTuningContext();
  Result<OwningOpRef<ModuleOp>> module = parseGraph(kernel.graph, kernel.name, *context);
  if (!module)
    return module.takeError();
  auto attribute = dyn_cast_or_null<ScheduleAttr>(parseAttribute(schedule, context.get()));
  if (!attribute)
    return Error{"expected a schedule, but got '" + schedule + "'"};
  isolatedKernelIn(**module).setScheduleAttr(attribute);
  Result<Plan> plan = compile(**module, options);
  if (!plan)
    return plan.takeError();
  Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(*plan), device);
  if (!executor)
    return executor.takeError();
  return Contestant{schedule, std::move(*executor)};
}

std::vector<std::optional<Result<Contestant>>> fastnorm::buildContestants(const IsolatedKernel &kernel,
                                                                          const std::vector<std::string> &schedules,
                                                                          const CompileOptions &options, Device &device,
                                                                          unsigned threads,
                                                                          const std::function<bool()> &isStopped) {
  CompileOptions alone = options;
  alone.fuse = "never";
  alone.tuned = "none";
  alone.alignment = options.alignment == "any" ? "any" : "aligned";
  alone.symbols.clear();
  alone.afterStage = {};
  std::vector<std::optional<Result<Contestant>>> built(schedules.size());
  std::atomic<size_t> taken{0};
  auto work = [&] {
    for (size_t index = taken++; index < schedules.size() && !isStopped(); index = taken++)
      built[index].emplace(build(kernel, schedules[index], alone, device));
  };
  std::vector<std::thread> workers;
  for (size_t count = 1; count < std::min<size_t>(threads, schedules.size()); ++count)
    workers.emplace_back(work);
  work();
  for (std::thread &worker : workers)
    worker.join();
  return built;
}
