//===- RowLayout.h - Where the rows of an operand lie -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_ANALYSIS_ROWLAYOUT_H
#define FASTNORM_ANALYSIS_ROWLAYOUT_H

#include "fastnorm/IR/KernelOps.h"

namespace fastnorm {

/// The row dimensions of a kernel: those of its results.
llvm::ArrayRef<int64_t> rowDimensionsOf(KernelOp kernel);

/// Rows of all dimensions but the first.
int64_t innerRowsOf(KernelOp kernel);

/// A kernel counts its rows through all row dimensions. Row r of an operand starts
/// (r / innerRows) · outerStride + (r mod innerRows) · innerStride elements behind its base. Where one stride does for
/// all dimensions, innerRows is 1 and it is the outer one.
struct RowLayout {
  int64_t innerRows = 1;
  int64_t outerStride = 0;
  int64_t innerStride = 0;

  /// Of a value with axes inside a kernel: an argument, or what it yields.
  static RowLayout of(KernelOp kernel, mlir::Value value);
};

} // namespace fastnorm

#endif // FASTNORM_ANALYSIS_ROWLAYOUT_H
