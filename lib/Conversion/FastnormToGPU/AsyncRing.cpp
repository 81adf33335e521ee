//===- AsyncRing.cpp - Rows on their way into shared memory -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncRing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fastnorm;

static int64_t elementBytesOf(Value value) {
  return elementBytes(cast<RankedTensorType>(value.getType()).getElementType());
}

AsyncRing::AsyncRing(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                     const SharedLayout &layout, Value sharedBase, const RowPosition &position)
    : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), layout(layout),
      memory(builder, loc), position(position) {
  barriers = memory.at(sharedBase, layout.barrierOffset(0, 0));
  ring = memory.at(sharedBase, layout.ringOffset);
  if (position.group) {
    Value group = arith::TruncIOp::create(builder, loc, builder.getI32Type(), position.group);
    Value barrierBytes = constant(layout.barrierOffset(1, 0) - layout.barrierOffset(0, 0));
    barriers = memory.at(barriers, arith::MulIOp::create(builder, loc, group, barrierBytes));
    ring = memory.at(ring, arith::MulIOp::create(builder, loc, group, constant(layout.groupBytes)));
  }
  lane = arith::TruncIOp::create(builder, loc, builder.getI32Type(), position.lane);
}

Value AsyncRing::barrierOf(Value stage) {
  return memory.at(barriers, arith::MulIOp::create(builder, loc, stage, constant(8)));
}

Value AsyncRing::placeOf(Value stage) {
  return memory.at(ring, arith::MulIOp::create(builder, loc, stage, constant(layout.stageBytes)));
}

void AsyncRing::initialize() {
  for (int64_t stage = 0; stage < schedule.getStages(); ++stage)
    memory.initializeBarrier(barrierOf(constant(stage)), /*arrivals=*/1);
}

Value AsyncRing::partBytes(BlockArgument argument) {
  int64_t bytes = elementBytesOf(argument);
  int64_t whole = schedule.getColumnChunk() * bytes;
  int64_t last = (pattern.hidden - (schedule.getCtasPerRow() - 1) * schedule.getColumnChunk()) * bytes;
  if (last == whole || !position.columnBase)
    return constant(std::min(last, whole));
  Value lastBase = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(pattern.hidden - last / bytes));
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, position.columnBase, lastBase);
  return arith::SelectOp::create(builder, loc, isLast, constant(last), constant(whole));
}

void AsyncRing::fill(Value condition, Value stage, Value row, RowAddress rowAddress) {
  auto ifFills = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifFills.thenBlock());
  Value barrier = barrierOf(stage);
  Value place = placeOf(stage);
  Value total;
  SmallVector<Value> bytes;
  for (BlockArgument argument : pattern.streamed) {
    bytes.push_back(partBytes(argument));
    total = total ? arith::AddIOp::create(builder, loc, total, bytes.back()) : bytes.back();
  }
  memory.arriveExpecting(barrier, total);
  for (auto [argument, count] : llvm::zip(pattern.streamed, bytes))
    memory.copyAsync(memory.at(place, layout.streamOffset(argument)), rowAddress(argument, row), count, barrier);
}

void AsyncRing::wait(Value stage, Value parity) {
  memory.wait(barrierOf(stage), parity);
  stagePlace = placeOf(stage);
}

Value AsyncRing::load(BlockArgument argument, VectorType type, int64_t vector, Value inside) {
  int64_t vectorBytes = schedule.getVectorWidth() * elementBytesOf(argument);
  Value place = memory.at(stagePlace, layout.streamOffset(argument));
  Value own = memory.at(place, arith::MulIOp::create(builder, loc, lane, constant(vectorBytes)));
  own = memory.at(own, vector * schedule.getThreadsPerRow() * vectorBytes);
  return inside ? memory.loadOr(type, own, inside, place) : memory.load(type, own);
}
