//===- ProfilePlan.cpp - One run of a plan for a profiler -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfilePlan.h"

using namespace fastnorm;
using namespace fastnorm::tool;

/// Clocks have risen and all code is on the device after the first few.
static constexpr int kWarmUpRuns = 3;

static Status launchAndWait(const Execution &execution, Stream &stream) {
  if (Status launched = execution.launch(stream); !launched)
    return launched;
  return stream.synchronize();
}

Status tool::profilePlan(const Executor &executor, const OperandSources &inputs, const SymbolValues &given,
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
  for (int run = 0; run < kWarmUpRuns; ++run)
    if (Status done = launchAndWait(*execution, **stream); !done)
      return done;
  Result<std::unique_ptr<ProfileRange>> range = device.beginProfile(executor.plan().function);
  if (!range)
    return range.takeError();
  return launchAndWait(*execution, **stream);
}
