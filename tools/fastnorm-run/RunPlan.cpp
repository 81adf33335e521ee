//===- RunPlan.cpp - One run of a plan, launch by launch ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunPlan.h"

using namespace fastnorm;
using namespace fastnorm::tool;

/// One launch behind the other, as a graph's are: with a wait between them no dependent launch would overlap. The
/// emulator's counters are each kernel's own, because its launches have ended when they return.
static Result<std::vector<KernelRow>> launchAll(const Execution &execution, Device &device) {
  Result<std::vector<LaunchFacts>> facts = execution.facts();
  if (!facts)
    return facts.takeError();
  Result<std::unique_ptr<Stream>> stream = device.createStream();
  if (!stream)
    return stream.takeError();
  std::vector<KernelRow> rows;
  device.takeCounters();
  for (size_t index = 0; index < execution.launchCount(); ++index) {
    if (Status launched = execution.launchOne(**stream, index); !launched)
      return launched.takeError();
    rows.push_back({(*facts)[index], device.takeCounters(), std::nullopt});
  }
  if (Status finished = (*stream)->synchronize(); !finished)
    return finished.takeError();
  return rows;
}

Result<RunResult> tool::runPlan(const Executor &executor, const OperandSources &inputs, const SymbolValues &given,
                                const OperandSetOptions &options) {
  Result<OperandSet> operands = OperandSet::create(executor.plan(), executor.device(), inputs, given, options);
  if (!operands)
    return operands.takeError();
  Result<Execution> execution = executor.prepare(operands->arguments(), operands->results(), given);
  if (!execution)
    return execution.takeError();
  Result<std::vector<KernelRow>> launches = launchAll(*execution, executor.device());
  if (!launches)
    return launches.takeError();
  if (Status intact = operands->checkGuards(); !intact)
    return intact.takeError();
  return RunResult{std::move(*operands), std::move(*launches)};
}
