//===- RowReduction.h - Sums of a row over its threads -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWREDUCTION_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWREDUCTION_H

#include "RowPosition.h"

namespace fastnorm {

class ClusterExchange;

/// One reduction of a phase: what a thread has gathered, to become what the row has.
struct PartialReduction {
  Combiner combiner;
  mlir::Value value; ///< f32, of one thread
  int64_t number;    ///< which of the kernel's row reductions; they do not share slots
};

/// The value that changes nothing: 0, -inf, +inf.
mlir::Value emitIdentity(mlir::OpBuilder &builder, mlir::Location loc, Combiner combiner);

/// `left` ⊕ `right`. An add may contract with the product that `right` is.
mlir::Value emitCombine(mlir::OpBuilder &builder, mlir::Location loc, Combiner combiner, mlir::Value left,
                        mlir::Value right, bool contract);

/// Combines a value over `lanes` neighbouring lanes, a power of two up to 32; each has the combination of all.
mlir::Value emitButterfly(mlir::OpBuilder &builder, mlir::Location loc, Combiner combiner, mlir::Value value,
                          int64_t lanes);

/// Combines each partial over the threads of a row; every thread has the totals. Threads meet in a butterfly of
/// shuffles, warps in shared memory behind one barrier for all reductions of the phase: for scope cluster, in that of
/// each CTA of the cluster, CTA after CTA. The order is fixed. Row groups meet each for itself; those of a cluster
/// through an exchange. With `onlyFirstWarp` the others are done after the barrier: only the row's first warp has the
/// totals, and what is emitted next goes into its branch.
llvm::SmallVector<mlir::Value> emitRowReductions(mlir::OpBuilder &builder, const KernelInterface &interface,
                                                 ScheduleAttr schedule, const RowPosition &position,
                                                 llvm::ArrayRef<PartialReduction> partials,
                                                 ClusterExchange *exchange = nullptr, bool onlyFirstWarp = false);

/// What all threads of a row did before is seen by all of them after.
void emitRowBarrier(mlir::OpBuilder &builder, mlir::Location loc, ScheduleAttr schedule, const RowPosition &position);

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWREDUCTION_H
