//===- BodyEmitter.h - A kernel's body, one vector of a row at a time -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_BODYEMITTER_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_BODYEMITTER_H

#include "CentredReduction.h"
#include "KernelInterface.h"

#include "fastnorm/Analysis/CentredPhase.h"
#include "fastnorm/Analysis/RowLayout.h"

#include "ClusterExchange.h"
#include "RowPosition.h"
#include "RowReduction.h"
#include "RowRing.h"
#include "SharedColumns.h"
#include "UnalignedAccess.h"
#include "VectorAccess.h"

namespace fastnorm {

/// Emits what a kernel computes for the thread's row, on demand: each strategy says in which order loads are issued and
/// vectors are worked on, and the emitter finds what they need. Vectors are numbered from 0 to vectors_per_thread - 1.
///
/// How a value is held follows from its axes: [row] a scalar, [row, slot] a scalar per slot, [hidden] and
/// [row, hidden] a vector of vector_width elements per vector number, [row, slot, hidden] one per vector and slot,
/// [row, group] a scalar per vector number.
class BodyEmitter {
public:
  BodyEmitter(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
              const KernelInterface &interface, LoadPolicy streamedPolicy);

  /// Starts a row: computes its addresses, loads its [row] and [row, slot] inputs, works out its slot scalars. [row]
  /// inputs that were read before are given, in order. Where a slot is given (i64) the row has this one alone.
  void enterRow(const RowPosition &position, llvm::ArrayRef<mlir::Value> rowScalars = {},
                mlir::Value slot = mlir::Value());

  // For threads that work on many rows.

  /// Streamed inputs come from the stage that was last waited for, not from global memory.
  void readFrom(RowRing *source) { ring = source; }
  /// Row sums meet in the cluster without a barrier of all its threads.
  void meetThrough(ClusterExchange *means) { exchange = means; }
  /// The columns that rowStart begins at.
  void setPosition(const RowPosition &place);
  /// Whether a vector lies inside the row (i1); null: always.
  mlir::Value insideRow(int64_t vector);
  /// Loads the inputs that are the same for all rows once, to be kept for those that are entered after.
  void holdInvariants(const RowPosition &position);
  /// Reads the [row] inputs of a row (i64).
  llvm::SmallVector<mlir::Value> readRowScalars(mlir::Value row);
  /// Where a row (i64) of an input begins for this CTA: its address, i64.
  mlir::Value rowStart(mlir::BlockArgument argument, mlir::Value row);
  /// What rows add to the columns is kept there, and none is carried.
  void keepColumnsIn(SharedColumns *place) { sharedColumns = place; }
  /// What the thread's rows add to the columns: a vector of f32 for each column reduction and vector, which phases
  /// bring up to date.
  llvm::SmallVector<mlir::Value> startColumns();
  void setColumns(llvm::ArrayRef<mlir::Value> values) { columnSums.assign(values.begin(), values.end()); }
  llvm::ArrayRef<mlir::Value> getColumns() const { return columnSums; }
  /// Keeps their computation before what is emitted next.
  void pinColumns();
  /// Starts a column chunk of the row; all vectors are forgotten.
  void enterChunk(mlir::Value columnBase);

  /// Issues the loads of a vector's streamed inputs and of its gathers' first slots; where `only` is given, of those in
  /// it.
  void issueLoads(int64_t vector, const llvm::DenseSet<mlir::Value> *only = nullptr);
  /// Issues the loads of a vector's [hidden] inputs, likewise.
  void issueInvariants(int64_t vector, LoadPolicy policy, const llvm::DenseSet<mlir::Value> *only = nullptr);

  /// Computes what a vector contributes to a phase: values that cross, reductions, results. `partials` holds one f32 of
  /// this thread per row reduction of the phase, in order, and is brought up to date.
  void computePhase(int64_t phase, int64_t vector, llvm::SmallVectorImpl<mlir::Value> &partials);

  // For tiles, whose reduction passes do nothing but reduce rows.
  /// The part of computePhase that brings `partials` up to date.
  void accumulateRows(int64_t phase, int64_t vector, llvm::SmallVectorImpl<mlir::Value> &partials);
  /// What a vector contributes to the columns, and to the results of all phases.
  void computeOutputs(int64_t vector);

  /// The identities that a phase's partials start from.
  llvm::SmallVector<mlir::Value> startPartials(int64_t phase);
  /// Combines the partials over the row's threads and makes the totals known; then stores the [row] results of the next
  /// phase.
  void finishPhase(int64_t phase, llvm::ArrayRef<mlir::Value> partials);

  // Two phases whose threads meet once (CentredValues.cpp).
  /// Takes the mean of the warp's own elements for that of the row, of which this thread has summed up `sum`.
  void enterMeanOfWarp(const CentredPhase &phases, mlir::Value sum);
  /// Combines both phases over the row's threads, from the partials of the second; then as finishPhase.
  void finishCentred(const CentredPhase &phases, llvm::ArrayRef<mlir::Value> partials);

  /// What each reduction of a phase is over the CTA's threads, in order.
  llvm::SmallVector<mlir::Value> reducePartials(int64_t phase, llvm::ArrayRef<mlir::Value> partials);
  /// Makes the totals of a phase's reductions known, in order, and the [row] maps of the next phase with them.
  void enterTotals(int64_t phase, llvm::ArrayRef<mlir::Value> totals);

  /// Forgets vectors, except that values which cross into the phase pass on in the form the schedule keeps them.
  void enterPhase(int64_t phase);

  /// Stores the [row] and [row, slot] results that are known in a phase.
  void storeRowResults(int64_t phase);

  // Scatters that add up (ScatteredValues.cpp): of the one slot that was entered.
  /// Which row of its result a scatter names (i64), and whether there is such a row (i1).
  mlir::Value namedRow(ScatterOp scatter) { return slotRow.lookup({scatter.getResult(), 0}); }
  mlir::Value isNamed(ScatterOp scatter) { return presentSlots[scatter.getResult()][0]; }
  /// A vector of what the slot adds, f32.
  mlir::Value scatteredVector(ScatterOp scatter, int64_t vector);
  /// Stores a vector of f32 to a row (i64) of a scatter's result at the thread's columns, unless the position has none.
  void storeTableRow(ScatterOp scatter, mlir::Value row, int64_t vector, mlir::Value elements);

private:
  bool endsInScalars(int64_t phase) const;
  static constexpr int64_t kNoSlot = -1;

  mlir::Value constant(int64_t value);
  /// A policy that the kernel can have: a dependent one reads what changes until its wait, so its loads keep their
  /// place.
  LoadPolicy allowed(LoadPolicy policy) const;
  mlir::VectorType vectorOf(mlir::Value value);
  bool isVectorInput(mlir::Value value) const;
  /// What the kernel's result of a number is computed as.
  mlir::Value yielded(unsigned index) const;
  int64_t rowBytes(mlir::Value value) const;
  mlir::Value conjunction(mlir::Value left, mlir::Value right);

  /// The loads of a vector of an input; `offset` bytes (may be null) from the row that its pointer was entered at.
  void issueVector(mlir::Value value, int64_t vector, mlir::Value offset, LoadPolicy policy, mlir::Value predicate,
                   int64_t slot = kNoSlot);

  // Shifted vectors (UnalignedVectors.cpp).
  void enterShiftedRow();
  mlir::Value shiftedColumn();
  const VectorColumns &columnsOf(int64_t vector);
  mlir::Value shiftedAddress(mlir::Value pointer, mlir::Value value, mlir::Value offset);
  UnalignedRow shiftedRow(mlir::Value pointer, mlir::Value value, mlir::Value offset);
  void issueShifted(mlir::Value value, mlir::Value input, int64_t vector, mlir::Value offset, LoadPolicy policy,
                    mlir::Value predicate, int64_t slot);
  void completeEnds();
  void storeShifted(mlir::Value vector, mlir::Value pointer, mlir::Value value, int64_t number, mlir::Value offset,
                    mlir::Value predicate);
  mlir::Value accumulateShifted(ReduceOp reduce, mlir::ValueRange elements, int64_t vector, mlir::Value partial);
  /// Puts a vector together whose loads were issued.
  void settle(mlir::Value value, int64_t vector, int64_t slot = kNoSlot);

  VectorAddress addressOf(mlir::Value pointer, mlir::Value value, int64_t vector);
  VectorAddress resultAddress(unsigned index, int64_t vector);
  /// Bytes from an operand's base to its row; null: none.
  mlir::Value rowOffsetBytes(mlir::Value value);
  mlir::Value tableOffset(mlir::Value table, mlir::Value index);
  mlir::Value strided(mlir::Value operand, mlir::Value count, RowStride stride);

  void loadRowScalars();
  mlir::Value readRowScalar(mlir::BlockArgument argument);
  void loadSlotScalars(mlir::BlockArgument argument);
  void computeScalars(int64_t phase);
  void issueSlot(GatherOp gather, int64_t vector, int64_t slot);
  /// When a slot is done: the loads of the group after the next, if it was the last of its group.
  void issueNextSlots(int64_t vector, int64_t doneSlot);
  /// Slots of the row that was entered.
  int64_t slotCount() const { return onlySlot ? 1 : pattern.slots; }
  void resolveIndex(mlir::Value result, mlir::Value table, mlir::Value index);
  /// Bytes that a row of [row, slot] can be read or written in at once.
  int64_t slotAccessBytes(mlir::Value value) const;
  /// Slots of a group; two groups are in flight, unless all slots are one.
  int64_t slotGroup() const;

  mlir::Value scalar(mlir::Value value);
  llvm::ArrayRef<mlir::Value> slotScalars(mlir::Value value);
  mlir::Value vectorValue(mlir::Value value, int64_t vector);
  int64_t timesWidened(mlir::Value value);
  mlir::Value slotVector(mlir::Value value, int64_t vector, int64_t slot);
  /// A [row, group] value: one scalar for the group that a vector lies in.
  mlir::Value groupValue(mlir::Value value, int64_t vector);
  mlir::Value reduceGroup(ReduceOp reduce, int64_t vector);
  VectorAddress groupAddress(mlir::Value pointer, mlir::Value value, int64_t vector);
  void storeGroup(unsigned resultIndex, int64_t vector);
  mlir::Value reduceSlots(ReduceOp reduce, int64_t vector);
  mlir::Value accumulate(ReduceOp reduce, mlir::Value input, int64_t vector, mlir::Value partial);
  void accumulateColumns(ReduceOp reduce, int64_t number, int64_t vector);
  /// What a phase makes of each slot: sums over hidden, and rows that are scattered.
  void computeSlots(int64_t phase, int64_t vector, llvm::MutableArrayRef<mlir::Value> partials);
  void storeScattered(ScatterOp scatter, mlir::Value elements, int64_t vector, int64_t slot);
  /// Elements in the type that a value is stored in.
  mlir::Value storable(mlir::Value elements, mlir::Value value);
  StorePolicy storePolicy() const {
    return schedule.getStores() == Stores::Streaming ? StorePolicy::Streaming : StorePolicy::Cached;
  }
  void storeOutput(unsigned resultIndex, mlir::Value value, int64_t vector);
  void storeVector(unsigned resultIndex, int64_t vector);
  void storeSlotScalars(unsigned resultIndex, mlir::Value predicate);
  mlir::Value resultPointer(mlir::Value yieldedValue) const;
  WarpElements elementsOfWarp();

  using VectorKey = std::pair<mlir::Value, int64_t>;
  using PendingKey = std::pair<VectorKey, int64_t>; ///< and the slot

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  const KernelInterface &interface;
  VectorAccess access;
  bool isShifted;
  UnalignedAccess unaligned;
  LoadPolicy streamedPolicy;
  TargetAttr target;

  RowPosition position;
  mlir::Value onlySlot; ///< i64; null: the row has all of them
  RowRing *ring = nullptr;
  ClusterExchange *exchange = nullptr;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> held; ///< [hidden] inputs, over all rows
  llvm::SmallVector<mlir::Value> columnSums;
  SharedColumns *sharedColumns = nullptr; ///< null: sums are in `columnSums`
  mlir::Value columnBase;
  int64_t currentPhase = 0;                            ///< that was entered; 0 where vectors are read again
  llvm::DenseMap<mlir::Value, mlir::Value> rowAddress; ///< per pointer: the row's first element of this thread
  llvm::DenseMap<mlir::Value, mlir::Value> chunkAddress;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> slotValues;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> slotRow;    ///< the row that a slot names
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> slotOffset; ///< its byte offset
  /// Per result of a gather or scatter: which of its slots are not dropped, one where the index has none.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> presentSlots;
  llvm::DenseMap<VectorKey, mlir::Value> vectors;
  llvm::DenseMap<std::pair<VectorKey, int64_t>, mlir::Value> gathered;
  llvm::DenseMap<int64_t, mlir::Value> inside;
  mlir::Value shift;       ///< i32: columns that a shifted row's first vector begins before it
  mlir::Value firstColumn; ///< i32: of the thread's first shifted vector in this chunk
  llvm::DenseMap<int64_t, VectorColumns> columns;
  /// Per pointer and byte offset from its row.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, UnalignedRow> shiftedRows;
  llvm::DenseMap<PendingKey, PendingVector> pending; ///< issued
  llvm::SmallVector<PendingKey> incomplete;          ///< issued, in order, and not asked for ends of the row yet
  llvm::DenseSet<VectorKey> waiting;                 ///< crossed, not yet used in this phase
  std::optional<CentredReduction> centred;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_BODYEMITTER_H
