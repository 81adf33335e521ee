//===- FillRoles.h - What --fill gives to each argument ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_FILLROLES_H
#define FASTNORM_TOOLS_RUN_FILLROLES_H

#include "Options.h"

#include "fastnorm/Plan/Plan.h"
#include "runtime/TensorIO/FillRole.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fastnorm::tool {

/// The role of every argument of a plan, by name: as written behind --fill, or as the graph uses it (a weight lies
/// around 1 minus the weight_offset of its norm, an index below the rows of its table), or by its name. The graph is
/// null where only the plan is known. An error is bad use.
Result<std::map<std::string, FillRole>> fillRoles(const Plan &plan, const Options &options, mlir::func::FuncOp graph);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_FILLROLES_H
