//===- CheckReference.h - Results against the reference ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_CHECKREFERENCE_H
#define FASTNORM_TOOLS_RUN_CHECKREFERENCE_H

#include "ArgumentValues.h"

#include "fastnorm/Plan/Plan.h"
#include "runtime/Executor/OperandSet.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fastnorm::tool {

/// What a run is compared with.
struct CheckedRun {
  mlir::func::FuncOp graph;
  const Plan &plan;
  const std::vector<int64_t> &symbolValues;
  const ArgumentValues &values;
  const OperandSet &operands; ///< after the run
};

/// Evaluates the graph naively on the inputs, compares every result and prints a sentence on each to stdout. The first
/// that does not match is the error.
Status checkReference(const CheckedRun &run);

/// The same for a sample of rows, which takes no longer for larger tensors; the sentences say how many of how many.
/// RowSample::isPossible must hold.
Status checkReferenceSample(const CheckedRun &run);

/// Whether a run is so large that all rows would take minutes to evaluate, and that a sample of them can be taken.
bool wantsSample(const Plan &plan, mlir::func::FuncOp graph, const std::vector<int64_t> &symbolValues);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_CHECKREFERENCE_H
