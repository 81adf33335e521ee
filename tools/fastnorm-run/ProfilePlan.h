//===- ProfilePlan.h - One run of a plan for a profiler ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_PROFILEPLAN_H
#define FASTNORM_TOOLS_RUN_PROFILEPLAN_H

#include "runtime/Executor/Executor.h"
#include "runtime/Executor/OperandSet.h"

namespace fastnorm::tool {

/// Launches the plan a few times to warm up, then once while a profiler records. Prints nothing.
Status profilePlan(const Executor &executor, const OperandSources &inputs, const SymbolValues &given,
                   const OperandSetOptions &options);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_PROFILEPLAN_H
