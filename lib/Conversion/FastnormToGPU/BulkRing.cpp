//===- BulkRing.cpp - Rows that one thread copies -------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkRing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fastnorm;

BulkRing::BulkRing(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule, const SharedLayout &layout,
                   Value sharedBase, const RowPosition &position)
    : RowRing(builder, pattern, schedule, layout, sharedBase, position) {
  barriers = memory.ofGroup(memory.at(sharedBase, layout.barrierOffset(0, 0)), position.group,
                            layout.barrierOffset(1, 0) - layout.barrierOffset(0, 0));
  isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, constant(0));
}

Value BulkRing::barrierOf(Value stage) {
  return memory.at(barriers, arith::MulIOp::create(builder, loc, stage, constant(8)));
}

void BulkRing::start(Value condition, Value row, RowAddress rowAddress) {
  auto onFirst = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(onFirst.thenBlock());
  for (int64_t stage = 0; stage < schedule.getStages(); ++stage)
    memory.initializeBarrier(barrierOf(constant(stage)), /*arrivals=*/1);
  memory.publishBarriers();
  copy(condition, constant(0), row, rowAddress);
}

Value BulkRing::partBytes(BlockArgument argument) {
  int64_t bytes = elementBytes(argument);
  int64_t whole = schedule.getColumnChunk() * bytes;
  int64_t last = (pattern.hidden - (schedule.getCtasPerRow() - 1) * schedule.getColumnChunk()) * bytes;
  if (last == whole || !position.columnBase)
    return constant(std::min(last, whole));
  Value lastBase = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(pattern.hidden - last / bytes));
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, position.columnBase, lastBase);
  return arith::SelectOp::create(builder, loc, isLast, constant(last), constant(whole));
}

void BulkRing::fill(Value condition, Value stage, Value row, RowAddress rowAddress) {
  copy(arith::AndIOp::create(builder, loc, isFirst, condition), stage, row, rowAddress);
}

void BulkRing::copy(Value condition, Value stage, Value row, RowAddress rowAddress) {
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

void BulkRing::wait(Value stage, Value parity) {
  memory.wait(barrierOf(stage), parity);
  stagePlace = placeOf(stage);
}

Value BulkRing::read(VectorType type, Value pointer, Value inside, Value place) {
  return inside ? memory.loadOr(type, pointer, inside, place) : memory.load(type, pointer);
}
