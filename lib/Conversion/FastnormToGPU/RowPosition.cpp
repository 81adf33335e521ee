//===- RowPosition.cpp - Which row and columns a thread works on -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPosition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

int64_t fastnorm::ctasAlongRow(const AccessPattern &pattern, ScheduleAttr schedule) {
  return schedule.getKind() == ScheduleKind::PerElement ? pattern.columnChunks(schedule) : schedule.getCtasPerRow();
}

RowWalk fastnorm::emitRowWalk(OpBuilder &builder, const KernelInterface &interface, const AccessPattern &pattern,
                              ScheduleAttr schedule) {
  Location loc = interface.function->getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  auto ranged = [&](auto op) -> Value { return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), op); };
  auto most = [&](int64_t value) { return builder.getIndexAttr(value); };
  Value cta = ranged(gpu::BlockIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x, most(INT32_MAX)));
  Value ctas = ranged(gpu::GridDimOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x, most(INT32_MAX)));
  Value thread = ranged(
      gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x, most(schedule.getThreads())));
  RowWalk walk;
  walk.position.lane = thread;
  Value cluster = cta, clusters = ctas;
  if (schedule.getCtasPerRow() > 1) {
    Value perRow = constant(schedule.getCtasPerRow());
    cluster = arith::DivUIOp::create(builder, loc, cta, perRow);
    clusters = arith::DivUIOp::create(builder, loc, ctas, perRow);
    Value rank = arith::RemUIOp::create(builder, loc, cta, perRow);
    walk.position.columnBase = arith::MulIOp::create(builder, loc, rank, constant(schedule.getColumnChunk()));
  }
  walk.first = cluster;
  walk.step = clusters;
  // Rows that are left for the thread, or of neighbouring ones for the first: warps walk together.
  Value left;
  if (schedule.getRowsPerCta() > 1) {
    Value group = arith::DivUIOp::create(builder, loc, thread, constant(schedule.getThreadsPerRow()));
    walk.position.lane = arith::RemUIOp::create(builder, loc, thread, constant(schedule.getThreadsPerRow()));
    walk.step = arith::MulIOp::create(builder, loc, clusters, constant(schedule.getRowsPerCta()));
    bool isLanes = schedule.getScope() == RowScope::Lanes;
    if (isLanes && pattern.columnHeads == 1) {
      // Neighbouring rows, which fill whole warps: all walk as far as the first of them.
      walk.first = arith::MulIOp::create(builder, loc, cluster, constant(schedule.getRowsPerCta()));
      left = arith::SubIOp::create(builder, loc, interface.rows, walk.first);
      walk.first = arith::AddIOp::create(builder, loc, walk.first, group);
    } else {
      walk.first = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, group, clusters), cluster);
      // Lanes of one warp again walk as far as the first group does.
      left = arith::SubIOp::create(builder, loc, interface.rows, isLanes ? cluster : walk.first);
      if (!isLanes)
        walk.position.group = group;
    }
  } else {
    left = arith::SubIOp::create(builder, loc, interface.rows, walk.first);
  }
  Value rounded =
      arith::AddIOp::create(builder, loc, left, arith::SubIOp::create(builder, loc, walk.step, constant(1)));
  Value count = arith::DivUIOp::create(builder, loc, rounded, walk.step);
  Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, left, constant(0));
  walk.count = arith::SelectOp::create(builder, loc, some, count, constant(0));
  return walk;
}

Value fastnorm::emitSlotSet(OpBuilder &builder, Location loc, const RowPosition &position, Value number) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  Value buffer = arith::AndIOp::create(builder, loc, number, constant(1));
  if (!position.group)
    return buffer;
  Value first = arith::MulIOp::create(builder, loc, position.group, constant(2));
  return arith::AddIOp::create(builder, loc, first, buffer);
}

RowPosition fastnorm::emitRowPosition(OpBuilder &builder, const KernelInterface &interface, ScheduleAttr schedule,
                                      int64_t ctas) {
  Location loc = interface.function->getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  auto toI64 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  };
  // A grid has at most 2^31 - 1 CTAs; known ranges let the back end use 32-bit arithmetic.
  Value cta = toI64(
      gpu::BlockIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x, builder.getIndexAttr(INT32_MAX)));
  Value thread = toI64(gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                               builder.getIndexAttr(schedule.getThreads())));
  RowPosition position;
  position.row = cta;
  position.lane = thread;
  if (ctas > 1) {
    position.row = arith::DivUIOp::create(builder, loc, cta, constant(ctas));
    Value chunk = arith::RemUIOp::create(builder, loc, cta, constant(ctas));
    position.columnBase = arith::MulIOp::create(builder, loc, chunk, constant(schedule.getColumnChunk()));
  }
  if (schedule.getRowsPerCta() > 1) {
    Value first = arith::MulIOp::create(builder, loc, position.row, constant(schedule.getRowsPerCta()));
    Value within = arith::DivUIOp::create(builder, loc, thread, constant(schedule.getThreadsPerRow()));
    position.row = arith::AddIOp::create(builder, loc, first, within);
    position.lane = arith::RemUIOp::create(builder, loc, thread, constant(schedule.getThreadsPerRow()));
  }
  if (interface.rows) {
    // All lanes of a warp take part in its shuffles, so those past the last row work on the last one again and only
    // do not store.
    position.rowExists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, position.row, interface.rows);
    Value last = arith::SubIOp::create(builder, loc, interface.rows, constant(1));
    position.row = arith::MinSIOp::create(builder, loc, position.row, last);
  }
  return position;
}
