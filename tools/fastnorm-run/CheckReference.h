//===- CheckReference.h - Results against the reference ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_CHECKREFERENCE_H
#define FASTNORM_TOOLS_RUN_CHECKREFERENCE_H

#include "fastnorm/Plan/Plan.h"
#include "runtime/Executor/OperandSet.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fastnorm::tool {

/// Evaluates the graph naively on the inputs, compares every result and prints a sentence on each to stdout. The first
/// that does not match is the error.
Status checkReference(mlir::func::FuncOp graph, const Plan &plan, const NamedTensors &inputs,
                      const NamedTensors &outputs);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_CHECKREFERENCE_H
