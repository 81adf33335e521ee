//===- ExportPlan.h - Leave MLIR -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_CONVERSION_EXPORTPLAN_H
#define FASTNORM_CONVERSION_EXPORTPLAN_H

#include "fastnorm/Plan/Plan.h"
#include "fastnorm/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"

namespace fastnorm {

/// Reads a fully lowered module (the host functions of one graph, each with a gpu.binary of PTX text) into a Plan with
/// a variant per function.
Result<Plan> exportPlan(mlir::ModuleOp module);

} // namespace fastnorm

#endif // FASTNORM_CONVERSION_EXPORTPLAN_H
