//===- ColumnFill.h - The launch before sums that are added in place -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where CTAs add their sums over rows right to the results (accumulate =
// atomic), a launch before sets the results to zero, or to the old sum. Results
// that lie in the buffer of their old sum are left as they are.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNFILL_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNFILL_H

#include "fastnorm/Analysis/ColumnSums.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fastnorm {

/// Threads of each CTA of the launch; each has one column of one result.
inline constexpr int64_t kFillThreads = 256;

/// The results that must be set before the rows are worked on.
llvm::SmallVector<PlainColumnSum> sumsToFill(const AccessPattern &pattern, ScheduleAttr schedule);

/// The gpu.func of a fill launch. Its arguments are bare pointers: for each of `sums` the old sum, where there is one,
/// and the result. Its grid is `ctas`.
struct FillInterface {
  /// Creates the function, with an empty body that ends in gpu.return, at the builder's place.
  FillInterface(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule, llvm::StringRef name);

  llvm::SmallVector<PlainColumnSum> sums;
  bool isDependent = false; ///< begins while the launch before it drains
  int64_t ctas = 0;
  /// Mutable: an op is a handle, and its accessors are not const.
  mutable mlir::gpu::GPUFuncOp function;
};

/// Fills the body of `interface.function`; the builder stands before its gpu.return.
void emitFill(mlir::OpBuilder &builder, const AccessPattern &pattern, const FillInterface &interface);

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNFILL_H
