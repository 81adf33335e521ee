//===- RowRing.cpp - Rows on their way into shared memory -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowRing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fastnorm;

RowRing::RowRing(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule, const SharedLayout &layout,
                 Value sharedBase, const RowPosition &position)
    : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), layout(layout),
      memory(builder, loc), position(position) {
  ring = memory.ofGroup(memory.at(sharedBase, layout.ringOffset), position.group, layout.groupBytes);
  lane = arith::TruncIOp::create(builder, loc, builder.getI32Type(), position.lane);
}

Value RowRing::placeOf(Value stage) {
  return memory.at(ring, arith::MulIOp::create(builder, loc, stage, constant(layout.stageBytes)));
}

int64_t RowRing::vectorBytes(BlockArgument argument) const {
  return schedule.getVectorWidth() * elementBytes(argument);
}

Value RowRing::laneBytes(BlockArgument argument) {
  return arith::MulIOp::create(builder, loc, lane, constant(vectorBytes(argument)));
}

int64_t RowRing::vectorOffset(BlockArgument argument, int64_t vector) const {
  return vector * schedule.getThreadsPerRow() * vectorBytes(argument);
}

Value RowRing::load(BlockArgument argument, VectorType type, int64_t vector, Value inside) {
  Value place = memory.at(stagePlace, layout.streamOffset(argument));
  Value own = memory.at(memory.at(place, laneBytes(argument)), vectorOffset(argument, vector));
  return read(type, own, inside, place);
}
