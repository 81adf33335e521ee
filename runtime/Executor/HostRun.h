//===- HostRun.h - Run a plan on host tensors -------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EXECUTOR_HOSTRUN_H
#define FASTNORM_RUNTIME_EXECUTOR_HOSTRUN_H

#include "runtime/Executor/Executor.h"
#include "runtime/Executor/OperandSet.h"

namespace fastnorm {

struct HostRunResult {
  NamedTensors outputs;
  std::vector<LaunchFacts> launches;
};

/// Uploads the inputs, runs the plan once, checks the guard bytes and downloads the results.
Result<HostRunResult> runOnHost(const Executor &executor, const NamedTensors &inputs, const SymbolValues &given = {},
                                const OperandSetOptions &options = {});

/// The same for a plan that is not loaded yet.
Result<HostRunResult> runOnHost(const Plan &plan, Device &device, const NamedTensors &inputs,
                                const SymbolValues &given = {}, const OperandSetOptions &options = {});

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_EXECUTOR_HOSTRUN_H
