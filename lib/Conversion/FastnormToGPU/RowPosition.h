//===- RowPosition.h - Which row and columns a thread works on -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWPOSITION_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWPOSITION_H

#include "KernelInterface.h"

namespace fastnorm {

/// Where a thread stands. Vector j of a thread starts at column `columnBase` + (j · threads_per_row + `lane`) ·
/// vector_width.
struct RowPosition {
  mlir::Value row;        ///< i64; of an existing row, also where the thread's own lies past the last
  mlir::Value rowExists;  ///< i1: the thread's own row exists; null: it always does
  mlir::Value lane;       ///< i64: which of the row's threads this is
  mlir::Value columnBase; ///< i64: first column of the thread's chunk; null: 0
  /// i64: which of the slots' sets for row reductions is this row's (KernelInterface::reductionSlots); null: the only.
  mlir::Value slotSet;
  mlir::Value group; ///< i64: which row group of its CTA the thread is in; null: its CTA is one
};

/// The rows of a persistent CTA's thread: `first`, `first` + `step`, …, in all `count`; i64.
struct RowWalk {
  RowPosition position; ///< of no row yet
  mlir::Value first;
  mlir::Value step;
  mlir::Value count;
};

/// Computes which rows and columns a thread of a persistent CTA works on. Where sums of heads are kept apart
/// (AccessPattern::columnHeads), all rows of cluster c are of head c mod heads: the clusters are a multiple of them.
RowWalk emitRowWalk(mlir::OpBuilder &builder, const KernelInterface &interface, const AccessPattern &pattern,
                    ScheduleAttr schedule);

/// The set of slots (i64) for the row that the thread works on as its `number`-th (i64): its group's two in turn.
mlir::Value emitSlotSet(mlir::OpBuilder &builder, mlir::Location loc, const RowPosition &position, mlir::Value number);

/// Computes a thread's position from its CTA and thread index. `ctas` neighbours in the grid work on one row, each on a
/// column chunk.
RowPosition emitRowPosition(mlir::OpBuilder &builder, const KernelInterface &interface, ScheduleAttr schedule,
                            int64_t ctas);

/// CTAs that work on one row side by side.
int64_t ctasAlongRow(const AccessPattern &pattern, ScheduleAttr schedule);

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWPOSITION_H
