//===- ColumnFinalize.h - The launch that adds up partials -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows the column reductions of a kernel runs in a launch behind the
// one that works on the rows: it adds up the partials (PartialsLayout.h),
// computes the maps of the sums, and stores the kernel's column results.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNFINALIZE_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNFINALIZE_H

#include "fastnorm/Analysis/AccessPattern.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fastnorm {

/// Threads of each CTA of the launch.
inline constexpr int64_t kFinalizeThreads = 256;

/// Sets of partials that one launch adds up well; of more a launch before it makes as many as `finalizeSplits`.
inline constexpr int64_t kMostSetsOfOneLaunch = 1024;

/// Sets that the first of two finalize launches leaves; 1 where one launch suffices.
int64_t finalizeSplits(const AccessPattern &pattern, ScheduleAttr schedule);

/// The gpu.func of a finalize launch. Its arguments are, in order: a bare pointer for each of `inputs`, one for each of
/// `results`, one to the partials, one to the partials that it leaves where it `leavesPartials`, and the number of sets
/// that it reads (i64). Its grid is `ctas`.
struct FinalizeInterface {
  /// Creates the function, with an empty body that ends in gpu.return, at the builder's place.
  FinalizeInterface(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule, llvm::StringRef name,
                    bool leavesPartials);

  bool leavesPartials;
  bool isDependent = false; ///< begins while the launch before it drains
  int64_t ctas = 0;
  llvm::SmallVector<mlir::BlockArgument> inputs; ///< that what follows the column reductions reads
  llvm::SmallVector<unsigned> results;           ///< of the kernel, by number
  /// Mutable: an op is a handle, and its accessors are not const.
  mutable mlir::gpu::GPUFuncOp function;
  llvm::DenseMap<mlir::Value, mlir::Value> inputPointers;
  llvm::SmallVector<mlir::Value> resultPointers; ///< in the order of `results`
  mlir::Value partials, nextPartials;
  mlir::Value sets;  ///< i64
  mlir::Value slots; ///< f32 in shared memory
};

/// Fills the body of `interface.function`; the builder stands before its gpu.return.
void emitFinalize(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                  const FinalizeInterface &interface);

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNFINALIZE_H
