//===- ThreadRing.cpp - Rows of which each thread copies its own ----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadRing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fastnorm;

ThreadRing::ThreadRing(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                       const SharedLayout &layout, Value sharedBase, const RowPosition &position, Inside inside)
    : RowRing(builder, pattern, schedule, layout, sharedBase, position) {
  for (int64_t vector = 0; vector < schedule.getVectorsPerThread(); ++vector)
    insideRow.push_back(inside(vector));
}

void ThreadRing::start(Value condition, Value row, RowAddress rowAddress) {
  fill(condition, constant(0), row, rowAddress);
}

void ThreadRing::fill(Value condition, Value stage, Value row, RowAddress rowAddress) {
  auto ifFills = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(ifFills.thenBlock());
    Value place = placeOf(stage);
    for (BlockArgument argument : pattern.streamed)
      copyVectors(argument, place, rowAddress(argument, row));
  }
  memory.closeCopies();
}

void ThreadRing::copyVectors(BlockArgument argument, Value place, Value rowStart) {
  Value first = laneBytes(argument);
  Value to = memory.at(memory.at(place, layout.streamOffset(argument)), first);
  Value wide = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), first);
  Value from = arith::AddIOp::create(builder, loc, rowStart, wide);
  for (auto [vector, inside] : llvm::enumerate(insideRow)) {
    int64_t offset = vectorOffset(argument, static_cast<int64_t>(vector));
    memory.copyOwn(memory.at(to, offset), from, offset, vectorBytes(argument), inside);
  }
}

void ThreadRing::wait(Value stage, Value) {
  memory.waitForCopies(schedule.getStages() - 1);
  stagePlace = placeOf(stage);
}

/// Past the row there are zeros.
Value ThreadRing::read(VectorType type, Value pointer, Value, Value) { return memory.load(type, pointer); }
