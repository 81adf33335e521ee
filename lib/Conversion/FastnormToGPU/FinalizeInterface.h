//===- FinalizeInterface.h - The kernel of a finalize launch -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a finalize launch reads and writes, how its CTAs share the columns, and
// the gpu.func that ColumnFinalize fills.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_FINALIZEINTERFACE_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_FINALIZEINTERFACE_H

#include "PartialsLayout.h"

#include "fastnorm/Analysis/AccessPattern.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fastnorm {

/// Threads of each CTA of the launch.
inline constexpr int64_t kFinalizeThreads = 256;
inline constexpr int64_t kFinalizeWarps = kFinalizeThreads / 32;

/// Sets of partials that one launch adds up well; of more a launch before it makes as many as `finalizeSplits`.
inline constexpr int64_t kMostSetsOfOneLaunch = 1024;

/// Sets that the first of two finalize launches leaves; 1 where one launch suffices.
int64_t finalizeSplits(const AccessPattern &pattern, ScheduleAttr schedule);

/// What one CTA of the launch has of each set of partials.
struct FinalizeTile {
  FinalizeTile(const PartialsLayout &layout, ScheduleAttr schedule);

  int64_t elements;    ///< a unit for each of finalize_width neighbouring lanes
  int64_t ofColumns;   ///< tiles that all columns make
  int64_t slotsOfWarp; ///< f32 in shared memory that one warp leaves of a column reduction
};

/// What a value that follows the column reductions is computed from.
struct ColumnSources {
  ColumnSources(const AccessPattern &pattern, mlir::Value value);

  llvm::SetVector<int64_t> reductions; ///< by number
  llvm::SetVector<mlir::Value> inputs;
};

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

private:
  /// Chooses `results` and `inputs`; how many column reductions one result is made of, at most.
  int64_t choose(const AccessPattern &pattern);
  void create(mlir::OpBuilder &builder, const AccessPattern &pattern, llvm::StringRef name, int64_t slotCount);
  void nameArguments();
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_FINALIZEINTERFACE_H
