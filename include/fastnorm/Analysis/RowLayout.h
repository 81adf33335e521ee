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

/// The row dimensions of a kernel: those of its results, or of what they reduce over row.
llvm::ArrayRef<int64_t> rowDimensionsOf(KernelOp kernel);

/// Rows of all dimensions but the first.
int64_t innerRowsOf(KernelOp kernel);

/// A distance between rows in elements; one that is known at run time belongs to a dimension of its tensor.
struct RowStride {
  int64_t elements = 0; ///< ShapedType::kDynamic: known at run time
  int64_t dimension = 0;
};

/// A kernel counts its rows through all row dimensions. Row r of an operand starts
/// (r / innerRows) · outer + (r mod innerRows) · inner elements behind its base. Where one stride does for all
/// dimensions, innerRows is 1 and it is the outer one.
struct RowLayout {
  int64_t innerRows = 1;
  RowStride outer;
  RowStride inner;
  /// False where the rows need more strides than these two.
  bool reachesAllRows = true;

  /// Of a value inside a kernel: an argument, or what it yields. Of a table, where its rows are counted by the index.
  static RowLayout of(KernelOp kernel, mlir::Value value);

  /// Bytes, a power of two up to 16, that every row starts at a multiple of where the base and run-time strides are
  /// multiples of `alignment`.
  int64_t alignmentBytes(int64_t elementBytes, int64_t alignment) const;
};

} // namespace fastnorm

#endif // FASTNORM_ANALYSIS_ROWLAYOUT_H
