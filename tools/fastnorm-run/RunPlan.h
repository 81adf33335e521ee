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
  OperandSet operands;             ///< the results are in it
  std::vector<KernelRow> launches; ///< with counters on the emulator
};

/// Writes the inputs to the device, launches one kernel after the other and checks the guard bytes.
Result<RunResult> runPlan(const Executor &executor, const OperandSources &inputs, const SymbolValues &given,
                          const OperandSetOptions &options = {});

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_RUNPLAN_H
