//===- HostRun.cpp - Run a plan on host tensors ---------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/HostRun.h"

#include <utility>

namespace fastnorm {

Result<HostRunResult> runOnHost(const Executor &executor, const NamedTensors &inputs, const SymbolValues &given,
                                const OperandSetOptions &options) {
  Device &device = executor.device();
  Result<OperandSet> operands = OperandSet::create(executor.plan(), device, inputs, given, options);
  if (!operands)
    return operands.takeError();
  Result<Execution> execution = executor.prepare(operands->arguments(), operands->results(), given);
  if (!execution)
    return execution.takeError();
  Result<std::unique_ptr<Stream>> stream = device.createStream();
  if (!stream)
    return stream.takeError();
  if (Status status = execution->launch(**stream); !status)
    return status.takeError();
  if (Status status = (*stream)->synchronize(); !status)
    return status.takeError();
  if (Status status = operands->checkGuards(); !status)
    return status.takeError();

  HostRunResult result;
  Result<NamedTensors> outputs = operands->downloadResults();
  if (!outputs)
    return outputs.takeError();
  result.outputs = std::move(*outputs);
  Result<std::vector<LaunchFacts>> launches = execution->facts();
  if (!launches)
    return launches.takeError();
  result.launches = std::move(*launches);
  return result;
}

Result<HostRunResult> runOnHost(const Plan &plan, Device &device, const NamedTensors &inputs, const SymbolValues &given,
                                const OperandSetOptions &options) {
  Result<std::unique_ptr<Executor>> executor = Executor::create(plan, device);
  if (!executor)
    return executor.takeError();
  return runOnHost(**executor, inputs, given, options);
}

} // namespace fastnorm
