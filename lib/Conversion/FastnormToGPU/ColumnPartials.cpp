//===- ColumnPartials.cpp - Sums of columns over many rows -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnPartials.h"

#include "PartialsLayout.h"
#include "RowReduction.h"
#include "SharedMemory.h"
#include "VectorAccess.h"

#include "fastnorm/Analysis/ColumnSums.h"
#include "fastnorm/Analysis/SharedLayout.h"
#include "fastnorm/Target/Capabilities.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

namespace {

class PartialsEmitter {
public:
  PartialsEmitter(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                  const KernelInterface &interface, const RowPosition &position)
      : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), interface(interface),
        position(position), memory(builder, loc), access(builder, loc), layout(pattern, schedule), piece(layout.piece),
        pieceType(VectorType::get({piece}, builder.getF32Type())) {}

  void run(ArrayRef<Value> sums, std::optional<int64_t> phase) {
    enter();
    int64_t groups = schedule.getRowsPerCta();
    if (groups > 1) {
      SharedLayout layout(pattern, schedule);
      shared = memory.at(memory.base(interface.function), layout.ringOffset);
    }
    for (auto [number, reduce] : llvm::enumerate(SmallVector<ReduceOp>(pattern.columnReductions))) {
      if (phase && pattern.phaseOfOp(reduce) != *phase)
        continue;
      ArrayRef<Value> own = sums.slice(number * schedule.getVectorsPerThread(), schedule.getVectorsPerThread());
      if (groups == 1)
        storeOwn(number, own);
      else
        storeOverGroups(number, reduce.getCombiner(), own);
    }
  }

private:
  Value i64(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }
  Value add(Value left, Value right) { return arith::AddIOp::create(builder, loc, left, right); }
  Value multiply(Value value, int64_t factor) { return arith::MulIOp::create(builder, loc, value, i64(factor)); }
  int64_t pieceBytes() const { return piece * 4; }
  /// Pieces of a CTA's column chunk.
  int64_t pieces() const { return schedule.getColumnChunk() / piece; }

  void enter() {
    auto index = [&](auto op) -> Value { return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), op); };
    Value cta = index(gpu::BlockIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                             builder.getIndexAttr(INT32_MAX)));
    thread = index(gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                           builder.getIndexAttr(schedule.getThreads())));
    if (schedule.addsAtomically())
      return;
    // CTA after CTA: those of a cluster are neighbours.
    ctaBase = add(addressOf(interface.columnSums), multiply(cta, layout.ctaBytes()));
  }

  Value addressOf(Value pointer) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, pointer);
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  }

  /// Leaves a piece of a reduction's sums, number `first` (i64) + `further` of the CTA's chunk; nothing where it does
  /// not exist (i1; null: it does).
  void leave(int64_t reduction, Value value, Value first, int64_t further, Value exists) {
    if (schedule.addsAtomically())
      return addToResults(reduction, value, add(first, i64(further)), exists);
    access.store(
        value, {add(ctaBase, multiply(first, pieceBytes())), reduction * layout.chunkBytes() + further * pieceBytes()},
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
    for (const PlainColumnSum &sum : plainColumnSums(pattern))
      if (sum.reduction == reduction)
        access.addTo(value, {add(addressOf(interface.resultPointers[sum.result]), multiply(column, 4)), 0}, inVectors,
                     exists);
  }

  /// Piece `number` of a vector of sums.
  Value pieceOf(Value vector, int64_t number) {
    auto elements = vector::ToElementsOp::create(builder, loc, vector);
    return vector::FromElementsOp::create(builder, loc, pieceType,
                                          ValueRange(elements.getResults()).slice(number * piece, piece));
  }

  void forEachPiece(ArrayRef<Value> vectors, llvm::function_ref<void(Value piece, int64_t first)> store) {
    for (int64_t number = 0; number < schedule.getVectorWidth() / piece; ++number)
      for (auto [vector, value] : llvm::enumerate(vectors))
        store(pieceOf(value, number),
              (number * schedule.getVectorsPerThread() + static_cast<int64_t>(vector)) * schedule.getThreadsPerRow());
  }

  void storeOwn(int64_t reduction, ArrayRef<Value> vectors) {
    forEachPiece(vectors, [&](Value value, int64_t first) { leave(reduction, value, position.lane, first, Value()); });
  }

  /// Every thread combines the groups' pieces t, t + threads, …, in the order of groups.
  void storeOverGroups(int64_t reduction, Combiner combiner, ArrayRef<Value> vectors) {
    int64_t groupBytes = schedule.getColumnChunk() * 4;
    // Everyone has read the ring, or the sums before these.
    gpu::BarrierOp::create(builder, loc);
    Value place = add(multiply(groupOfThread(), groupBytes), multiply(position.lane, pieceBytes()));
    Value own = memory.at(shared, arith::TruncIOp::create(builder, loc, builder.getI32Type(), place));
    forEachPiece(vectors,
                 [&](Value value, int64_t first) { memory.store(value, memory.at(own, first * pieceBytes())); });
    gpu::BarrierOp::create(builder, loc);
    Value first = multiply(thread, pieceBytes());
    Value firstShared = memory.at(shared, arith::TruncIOp::create(builder, loc, builder.getI32Type(), first));
    for (int64_t done = 0; done < pieces(); done += schedule.getThreads()) {
      Value exists;
      if (done + schedule.getThreads() > pieces())
        exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, thread, i64(pieces() - done));
      Value total;
      for (int64_t group = 0; group < schedule.getRowsPerCta(); ++group) {
        Value pointer = memory.at(firstShared, group * groupBytes + done * pieceBytes());
        Value value = exists ? memory.loadOr(pieceType, pointer, exists, shared) : memory.load(pieceType, pointer);
        total = total ? emitCombine(builder, loc, combiner, total, value, /*contract=*/false) : value;
      }
      leave(reduction, total, thread, done, exists);
    }
  }

  Value groupOfThread() { return arith::DivUIOp::create(builder, loc, thread, i64(schedule.getThreadsPerRow())); }

  OpBuilder &builder;
  Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  const KernelInterface &interface;
  const RowPosition &position;
  SharedMemory memory;
  VectorAccess access;
  PartialsLayout layout;
  int64_t piece;
  VectorType pieceType;
  Value thread, ctaBase, shared;
};

} // namespace

void fastnorm::emitStorePartials(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                                 const KernelInterface &interface, const RowPosition &position, ArrayRef<Value> sums,
                                 std::optional<int64_t> phase) {
  PartialsEmitter(builder, pattern, schedule, interface, position).run(sums, phase);
}
