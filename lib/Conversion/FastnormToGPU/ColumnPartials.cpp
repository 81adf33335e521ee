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

#include "fastnorm/Analysis/SharedLayout.h"

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
    Value base = index(memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, interface.columnSums));
    // CTA after CTA: those of a cluster are neighbours.
    ctaBase = add(base, multiply(cta, layout.ctaBytes()));
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
    Value own = add(ctaBase, multiply(position.lane, pieceBytes()));
    forEachPiece(vectors, [&](Value value, int64_t first) {
      access.store(value, {own, reduction * layout.chunkBytes() + first * pieceBytes()}, StorePolicy::Cached, Value());
    });
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
    Value firstGlobal = add(ctaBase, first);
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
      access.store(total, {firstGlobal, reduction * layout.chunkBytes() + done * pieceBytes()}, StorePolicy::Cached,
                   exists);
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
