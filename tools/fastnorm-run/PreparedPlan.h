//===- PreparedPlan.h - A plan bound to the command line --------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_PREPAREDPLAN_H
#define FASTNORM_TOOLS_RUN_PREPAREDPLAN_H

#include "ArgumentValues.h"
#include "Exit.h"
#include "Options.h"
#include "Source.h"

#include "runtime/Executor/Executor.h"

namespace fastnorm::tool {

/// A plan loaded on a device, with the values that files, symbols and fills give it.
struct PreparedPlan {
  std::unique_ptr<Executor> executor;
  std::vector<int64_t> symbolValues;
  SymbolValues given;
  ArgumentValues values;
  bool samples = false; ///< whether a check looks at some rows only
};

/// Binds files, symbols and fills to a plan and loads it. Done leaves it in `prepared`; else what is wrong was said.
Exit preparePlan(const Options &options, const Source &source, Plan plan, Device &device,
                 std::optional<PreparedPlan> &prepared);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_PREPAREDPLAN_H
