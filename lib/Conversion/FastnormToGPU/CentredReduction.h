//===- CentredReduction.h - A mean and what lies around it -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_CENTREDREDUCTION_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_CENTREDREDUCTION_H

#include "WarpSlots.h"

namespace fastnorm {

/// How many elements of a row a warp holds.
struct WarpElements {
  mlir::Value own; ///< f32: of this thread's warp
  /// What every warp holds; 0 where they differ.
  int64_t ofEach = 0;
};

/// Sums a row and its distances from its mean where the warps of the row meet once: each takes its distances from its
/// own mean, and moves their sums to the mean of the row when it knows that (docs/Numerics.md).
///
/// With n elements, sum s, mean m of a warp, and r and q the sums of its distances x - m and of their squares, those
/// from c are r + n·d and q + d·(2r + n·d), where d = m - c. Where r is not summed up it is what rounding m left,
/// s - n·m: nothing for powers of two.
class CentredReduction {
public:
  /// `pair` numbers the kernel's pairs of phases.
  CentredReduction(mlir::OpBuilder &builder, const AccessPattern &pattern, const KernelInterface &interface,
                   ScheduleAttr schedule, const RowPosition &position, ClusterExchange *exchange, WarpElements elements,
                   int64_t pair);

  /// One sum of distances.
  struct Moment {
    int64_t number;    ///< which of the kernel's row reductions
    int64_t power;     ///< 1: of distances, 2: of their squares
    mlir::Value value; ///< of one thread, from the mean of its warp
  };

  /// The mean of a warp's elements; `number` is that of the sum, `value` what this thread summed up.
  mlir::Value meanOfWarp(int64_t number, mlir::Value value);
  /// Every warp learns the sums of all; then the sum of the row.
  mlir::Value sumOfRow(llvm::ArrayRef<Moment> moments);
  /// The moments of the row from its mean, in order.
  llvm::SmallVector<mlir::Value> momentsOfRow(mlir::Value mean);

private:
  /// What a thread knows of one warp.
  struct Part {
    mlir::Value elements; ///< n
    mlir::Value distance; ///< d
    mlir::Value rest;     ///< r; null: 0
  };

  mlir::Value constant(double value);
  mlir::Value meanOf(mlir::Value sum, mlir::Value elements);
  Part part(size_t index, mlir::Value mean);
  /// A moment of a warp, moved to the mean of the row.
  mlir::Value moved(const Part &part, int64_t power, mlir::Value moment);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  WarpElements elements;
  WarpSlots slots;
  int64_t numberOfCounts; ///< the slots of this pair of phases, behind those of the row sums
  WarpSlots::Entry sum;   ///< of this warp
  llvm::SmallVector<Moment> moments;
  WarpSlots::Held sums, counts, rests;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_CENTREDREDUCTION_H
