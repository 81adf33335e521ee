//===- ColumnPartials.h - Sums of columns over many rows -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A persistent thread keeps f32 sums of its columns, in registers or in shared
// memory. When its rows are done the row groups of a CTA add theirs, in order,
// and the cluster leaves one set of partials in global memory, which a second
// launch adds up (PartialsLayout.h), or adds its sums right to the results.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNPARTIALS_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNPARTIALS_H

#include "RowPosition.h"

#include <optional>

namespace fastnorm {

/// Stores what this CTA adds to the partials of its cluster, or adds it to the results. `sums` holds a vector of f32
/// for each column reduction and vector of the thread: [column reductions][vectors_per_thread]. Where a phase is given
/// those of other phases are left to other launches. Sums that were added up in shared memory are read there, and
/// `sums` is empty.
void emitStorePartials(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                       const KernelInterface &interface, const RowPosition &position, llvm::ArrayRef<mlir::Value> sums,
                       std::optional<int64_t> phase = std::nullopt, mlir::Value chunk = mlir::Value());

/// The partials that this thread left of a chunk (null: its only one), in the same order; identities where `isThere`
/// (i1) is false.
llvm::SmallVector<mlir::Value> emitLoadPartials(mlir::OpBuilder &builder, const AccessPattern &pattern,
                                                ScheduleAttr schedule, const KernelInterface &interface,
                                                const RowPosition &position, mlir::Value chunk, mlir::Value isThere);

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNPARTIALS_H
