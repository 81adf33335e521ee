//===- RunPlan.h - One run of a plan, launch by launch ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_RUNPLAN_H
#define FASTNORM_TOOLS_RUN_RUNPLAN_H

#include "runtime/Bench/Table.h"
#include "runtime/Executor/Executor.h"
#include "runtime/Executor/OperandSet.h"

#include <vector>

namespace fastnorm::tool {

struct RunResult {
  NamedTensors outputs;
  std::vector<KernelRow> launches; ///< with counters on the emulator
};

/// Uploads the inputs, launches one kernel after the other, checks the guard bytes and downloads the results.
Result<RunResult> runPlan(const Executor &executor, const NamedTensors &inputs, const SymbolValues &given,
                          const OperandSetOptions &options = {});

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_RUNPLAN_H
