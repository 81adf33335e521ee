//===- ColumnPartials.cpp - Sums of columns over many rows -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnPartials.h"

#include "RowReduction.h"
#include "SharedColumns.h"
#include "VectorAccess.h"

#include "fastnorm/Analysis/ColumnSums.h"
#include "fastnorm/Analysis/TileLayout.h"
#include "fastnorm/Target/Capabilities.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

namespace {

class PartialsEmitter {
public:
  PartialsEmitter(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                  const KernelInterface &interface, const RowPosition &position, Value chunk)
      : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), interface(interface),
        position(position), access(builder, loc), layout(pattern, schedule), piece(layout.piece),
        pieceType(VectorType::get({piece}, builder.getF32Type())) {
    enter(chunk);
  }

  void store(ArrayRef<Value> sums, std::optional<int64_t> phase) {
    bool hasGroups = schedule.getRowsAtOnce() > 1;
    bool areShared = addsInSharedMemory(schedule);
    std::optional<SharedColumns> columns;
    if (hasGroups || areShared)
      columns.emplace(builder, pattern, schedule, interface, position);
    // All groups have their last sums there.
    if (hasGroups && areShared)
      gpu::BarrierOp::create(builder, loc);
    for (auto [number, reduce] : llvm::enumerate(SmallVector<ReduceOp>(pattern.columnReductions))) {
      if (phase && pattern.phaseOfOp(reduce) != *phase)
        continue;
      ArrayRef<Value> own;
      if (!areShared)
        own = sums.slice(number * schedule.getVectorsPerThread(), schedule.getVectorsPerThread());
      if (hasGroups && !areShared)
        shareOwn(number, own, *columns);
      if (hasGroups)
        storeOverGroups(number, reduce.getCombiner(), *columns);
      else
        storeOwn(number, areShared ? columns->loadVectors(number) : SmallVector<Value>(own));
    }
  }

  SmallVector<Value> load(Value isThere) {
    SmallVector<Value> sums;
    for (auto [number, reduce] : llvm::enumerate(SmallVector<ReduceOp>(pattern.columnReductions)))
      for (int64_t vector = 0; vector < schedule.getVectorsPerThread(); ++vector)
        sums.push_back(loadVector(static_cast<int64_t>(number), reduce.getCombiner(), vector, isThere));
    return sums;
  }

private:
  Value i64(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }
  Value add(Value left, Value right) { return arith::AddIOp::create(builder, loc, left, right); }
  Value multiply(Value value, int64_t factor) { return arith::MulIOp::create(builder, loc, value, i64(factor)); }
  int64_t pieceBytes() const { return piece * 4; }
  /// Pieces of a column chunk.
  int64_t pieces() const { return schedule.getColumnChunk() / piece; }

  void enter(Value chunk) {
    auto index = [&](auto op) -> Value { return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), op); };
    Value number = index(gpu::BlockIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                                builder.getIndexAttr(INT32_MAX)));
    thread = index(gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                           builder.getIndexAttr(schedule.getThreads())));
    if (schedule.addsAtomically()) {
      if (pattern.columnHeads > 1) {
        Value cluster = arith::DivUIOp::create(builder, loc, number, i64(schedule.getCtasPerRow()));
        Value head = arith::RemUIOp::create(builder, loc, cluster, i64(pattern.columnHeads));
        firstOfHead = multiply(head, pattern.hidden);
      }
      return;
    }
    // CTA after CTA: those of a cluster are neighbours, the last of which may have fewer chunks.
    if (schedule.hasTiles()) {
      Value ctas = i64(schedule.getCtasPerRow());
      Value cluster = arith::DivUIOp::create(builder, loc, number, ctas);
      Value rank = arith::RemUIOp::create(builder, loc, number, ctas);
      number = add(multiply(cluster, layout.chunks), multiply(rank, TileLayout(pattern, schedule).chunksOfCta));
      number = chunk ? add(number, chunk) : number;
    }
    chunkBase = add(emitAddress(builder, loc, interface.columnSums), multiply(number, layout.chunkBytes()));
  }

  /// Leaves a piece of a reduction's sums, number `first` (i64) + `further` of the chunk; nothing where it does
  /// not exist (i1; null: it does).
  void leave(int64_t reduction, Value value, Value first, int64_t further, Value exists) {
    if (schedule.addsAtomically())
      return addToResults(reduction, value, add(first, i64(further)), exists);
    access.store(
        value,
        {add(chunkBase, multiply(first, pieceBytes())), reduction * layout.reductionBytes() + further * pieceBytes()},
        StorePolicy::Cached, exists);
  }

  void addToResults(int64_t reduction, Value value, Value number, Value exists) {
    Value column = layout.columnOf(builder, loc, schedule, number);
    if (position.columnBase)
      column = add(column, position.columnBase);
    Value inRow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, column, i64(pattern.hidden));
    exists = exists ? Value(arith::AndIOp::create(builder, loc, exists, inRow)) : inRow;
    bool inVectors =
        piece > 1 && pattern.alignment >= piece * 4 && supportsVectorReductions(*requireTarget(pattern.kernel));
    if (inVectors)
      SharedMemory::requirePtx(interface.function, 81);
    if (firstOfHead)
      column = add(column, firstOfHead);
    for (const PlainColumnSum &sum : plainColumnSums(pattern))
      if (sum.reduction == reduction)
        access.addTo(value,
                     {add(emitAddress(builder, loc, interface.resultPointers[sum.result]), multiply(column, 4)), 0},
                     inVectors, exists);
  }

  void storeOwn(int64_t reduction, ArrayRef<Value> vectors) {
    for (auto [vector, sum] : llvm::enumerate(vectors))
      for (auto [number, value] : llvm::enumerate(emitPieces(builder, loc, sum, piece)))
        leave(reduction, value, position.lane, layout.firstPiece(schedule, vector, number), Value());
  }

  Value loadVector(int64_t reduction, Combiner combiner, int64_t vector, Value isThere) {
    SmallVector<Value> values;
    for (int64_t number = 0; number < schedule.getVectorWidth() / piece; ++number) {
      VectorAddress address{add(chunkBase, multiply(position.lane, pieceBytes())),
                            reduction * layout.reductionBytes() +
                                layout.firstPiece(schedule, vector, number) * pieceBytes()};
      values.push_back(access.load(pieceType, address, LoadPolicy::Ordered, isThere));
    }
    Value sum = emitJoined(builder, loc, values);
    // Zeros came where nothing was read.
    if (combiner == Combiner::Add)
      return sum;
    Value identity = vector::BroadcastOp::create(builder, loc, sum.getType(), emitIdentity(builder, loc, combiner));
    return arith::SelectOp::create(builder, loc, isThere, sum, identity);
  }

  /// Leaves the thread's sums where all groups find them.
  void shareOwn(int64_t reduction, ArrayRef<Value> vectors, SharedColumns &columns) {
    // Everyone has read the ring, or the sums before these.
    gpu::BarrierOp::create(builder, loc);
    for (auto [vector, sum] : llvm::enumerate(vectors))
      columns.store(reduction, static_cast<int64_t>(vector), sum);
    gpu::BarrierOp::create(builder, loc);
  }

  /// Every thread combines the groups' pieces t, t + threads, …, in the order of groups.
  void storeOverGroups(int64_t reduction, Combiner combiner, SharedColumns &columns) {
    for (int64_t done = 0; done < pieces(); done += schedule.getThreads()) {
      Value exists;
      if (done + schedule.getThreads() > pieces())
        exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, thread, i64(pieces() - done));
      Value total;
      for (int64_t group = 0; group < schedule.getRowsAtOnce(); ++group) {
        Value value = columns.loadPiece(reduction, group, thread, done, exists);
        total = total ? emitCombine(builder, loc, combiner, total, value, /*contract=*/false) : value;
      }
      leave(reduction, total, thread, done, exists);
    }
  }

  OpBuilder &builder;
  Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  const KernelInterface &interface;
  const RowPosition &position;
  VectorAccess access;
  PartialsLayout layout;
  int64_t piece;
  VectorType pieceType;
  Value thread, chunkBase;
  Value firstOfHead; ///< i64: elements of the results before those of the CTA's head; null: none
};

} // namespace

void fastnorm::emitStorePartials(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                                 const KernelInterface &interface, const RowPosition &position, ArrayRef<Value> sums,
                                 std::optional<int64_t> phase, Value chunk) {
  PartialsEmitter(builder, pattern, schedule, interface, position, chunk).store(sums, phase);
}

SmallVector<Value> fastnorm::emitLoadPartials(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                                              const KernelInterface &interface, const RowPosition &position,
                                              Value chunk, Value isThere) {
  return PartialsEmitter(builder, pattern, schedule, interface, position, chunk).load(isThere);
}
