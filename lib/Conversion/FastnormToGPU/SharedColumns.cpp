//===- SharedColumns.cpp - Sums of columns in shared memory -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedColumns.h"

#include "RowReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

SmallVector<Value> fastnorm::emitPieces(OpBuilder &builder, Location loc, Value vector, int64_t piece) {
  auto type = VectorType::get({piece}, cast<VectorType>(vector.getType()).getElementType());
  auto elements = vector::ToElementsOp::create(builder, loc, vector);
  SmallVector<Value> pieces;
  for (size_t first = 0; first < elements.getNumResults(); first += piece)
    pieces.push_back(
        vector::FromElementsOp::create(builder, loc, type, ValueRange(elements.getResults()).slice(first, piece)));
  return pieces;
}

Value fastnorm::emitJoined(OpBuilder &builder, Location loc, ArrayRef<Value> pieces) {
  SmallVector<Value> elements;
  for (Value piece : pieces)
    llvm::append_range(elements, vector::ToElementsOp::create(builder, loc, piece).getResults());
  auto type = VectorType::get({static_cast<int64_t>(elements.size())}, elements.front().getType());
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

SharedColumns::SharedColumns(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                             const KernelInterface &interface, const RowPosition &position)
    : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), memory(builder, loc),
      shared(pattern, schedule), layout(pattern, schedule),
      pieceType(VectorType::get({layout.piece}, builder.getF32Type())) {
  all = memory.at(memory.base(interface.function), shared.columnsOffset);
  own = memory.at(all, arith::MulIOp::create(builder, loc, narrowed(position.lane), memory.constant(layout.piece * 4)));
  if (schedule.getRowsAtOnce() > 1) {
    Value thread = gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                           builder.getIndexAttr(schedule.getThreads()));
    thread = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), thread);
    Value group = arith::DivUIOp::create(builder, loc, thread, memory.constant(schedule.getThreadsPerRow()));
    own = memory.at(own, arith::MulIOp::create(builder, loc, group, memory.constant(shared.columnGroupBytes)));
  }
  chunkAll = all;
  chunkOwn = own;
}

Value SharedColumns::narrowed(Value bytes) {
  return arith::TruncIOp::create(builder, loc, builder.getI32Type(), bytes);
}

void SharedColumns::enterChunk(Value chunk) {
  Value bytes = arith::MulIOp::create(builder, loc, narrowed(chunk), memory.constant(shared.columnChunkBytes));
  chunkAll = memory.at(all, bytes);
  chunkOwn = memory.at(own, bytes);
}

void SharedColumns::initialize() {
  auto type = VectorType::get({schedule.getVectorWidth()}, builder.getF32Type());
  for (auto [number, reduce] : llvm::enumerate(SmallVector<ReduceOp>(pattern.columnReductions)))
    for (int64_t vector = 0; vector < schedule.getVectorsPerThread(); ++vector)
      store(number, vector,
            vector::BroadcastOp::create(builder, loc, type, emitIdentity(builder, loc, reduce.getCombiner())));
}

int64_t SharedColumns::offsetOf(int64_t reduction, int64_t vector, int64_t number) const {
  return reduction * shared.columnReductionBytes + layout.firstPiece(schedule, vector, number) * layout.piece * 4;
}

Value SharedColumns::load(int64_t reduction, int64_t vector) {
  SmallVector<Value> pieces;
  for (int64_t number = 0; number < schedule.getVectorWidth() / layout.piece; ++number)
    pieces.push_back(memory.load(pieceType, memory.at(chunkOwn, offsetOf(reduction, vector, number))));
  return emitJoined(builder, loc, pieces);
}

void SharedColumns::store(int64_t reduction, int64_t vector, Value sum) {
  for (auto [number, piece] : llvm::enumerate(emitPieces(builder, loc, sum, layout.piece)))
    memory.store(piece, memory.at(chunkOwn, offsetOf(reduction, vector, static_cast<int64_t>(number))));
}

SmallVector<Value> SharedColumns::loadVectors(int64_t reduction) {
  SmallVector<Value> sums;
  for (int64_t vector = 0; vector < schedule.getVectorsPerThread(); ++vector)
    sums.push_back(load(reduction, vector));
  return sums;
}

SmallVector<Value> SharedColumns::loadAll() {
  SmallVector<Value> sums;
  for (size_t reduction = 0; reduction < pattern.columnReductions.size(); ++reduction)
    llvm::append_range(sums, loadVectors(static_cast<int64_t>(reduction)));
  return sums;
}

void SharedColumns::storeAll(ArrayRef<Value> sums) {
  for (auto [place, sum] : llvm::enumerate(sums)) {
    auto number = static_cast<int64_t>(place);
    store(number / schedule.getVectorsPerThread(), number % schedule.getVectorsPerThread(), sum);
  }
}

Value SharedColumns::loadPiece(int64_t reduction, int64_t group, Value first, int64_t further, Value exists) {
  Value bytes = arith::MulIOp::create(builder, loc, narrowed(first), memory.constant(layout.piece * 4));
  int64_t offset =
      group * shared.columnGroupBytes + reduction * shared.columnReductionBytes + further * layout.piece * 4;
  Value pointer = memory.at(memory.at(chunkAll, bytes), offset);
  return exists ? memory.loadOr(pieceType, pointer, exists, chunkAll) : memory.load(pieceType, pointer);
}
