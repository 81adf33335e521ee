//===- SharedColumns.h - Sums of columns in shared memory -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's sums lie in pieces in the order of PartialsLayout, so that a warp
// reads neighbouring bytes. Until threads of other row groups look at them
// there is no barrier: a thread touches its own columns only.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_SHAREDCOLUMNS_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_SHAREDCOLUMNS_H

#include "PartialsLayout.h"
#include "RowPosition.h"
#include "SharedMemory.h"

#include "fastnorm/Analysis/SharedLayout.h"

namespace fastnorm {

/// The pieces of a vector of sums, and the vector of such pieces.
llvm::SmallVector<mlir::Value> emitPieces(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector,
                                          int64_t piece);
mlir::Value emitJoined(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> pieces);

class SharedColumns {
public:
  SharedColumns(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                const KernelInterface &interface, const RowPosition &position);

  /// Goes to a column chunk of the CTA (i64), where it has several.
  void enterChunk(mlir::Value chunk);
  /// Sets the thread's sums in the chunk to the identities.
  void initialize();

  // Of a column reduction, by number, and one of the thread's vectors: f32 as wide as a vector.
  mlir::Value load(int64_t reduction, int64_t vector);
  void store(int64_t reduction, int64_t vector, mlir::Value sum);
  /// Of all of the thread's vectors.
  llvm::SmallVector<mlir::Value> loadVectors(int64_t reduction);
  // Of all, in the order [column reductions][vectors_per_thread].
  llvm::SmallVector<mlir::Value> loadAll();
  void storeAll(llvm::ArrayRef<mlir::Value> sums);

  /// A piece of a row group's sums in the chunk, number `first` (i64) + `further`; of group 0 where the piece does not
  /// exist (i1; null: it does).
  mlir::Value loadPiece(int64_t reduction, int64_t group, mlir::Value first, int64_t further, mlir::Value exists);

private:
  mlir::Value narrowed(mlir::Value bytes);
  int64_t offsetOf(int64_t reduction, int64_t vector, int64_t number) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  SharedMemory memory;
  SharedLayout shared;
  PartialsLayout layout;
  mlir::VectorType pieceType;
  mlir::Value all, own;           ///< of all groups; of this thread
  mlir::Value chunkAll, chunkOwn; ///< in the chunk
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_SHAREDCOLUMNS_H
