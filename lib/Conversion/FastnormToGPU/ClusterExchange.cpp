//===- ClusterExchange.cpp - Row sums of row groups in a cluster -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterExchange.h"
#include "ClusterReduction.h"

#include "fastnorm/Analysis/CentredPhase.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fastnorm;

ClusterExchange::ClusterExchange(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                                 const SharedLayout &layout, const KernelInterface &interface, Value sharedBase,
                                 const RowPosition &position)
    : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), layout(layout),
      memory(builder, loc) {
  Type i32 = builder.getI32Type();
  barriers = memory.ofGroup(memory.at(sharedBase, layout.exchangeOffset(0, 0, 0)), position.group,
                            layout.exchangeOffset(1, 0, 0) - layout.exchangeOffset(0, 0, 0));
  Value zero = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
  isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, position.lane, zero);
  Value cta =
      gpu::BlockIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x, builder.getIndexAttr(INT32_MAX));
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  rank = arith::RemUIOp::create(builder, loc, cta, index(schedule.getClusterCtas()));
  Value thread = gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                         builder.getIndexAttr(schedule.getThreads()));
  // Lanes past the last CTA send nothing.
  Value lane = arith::RemUIOp::create(builder, loc, thread, index(schedule.getClusterCtas()));
  Value peer = arith::IndexCastOp::create(builder, loc, i32, lane);
  peerSlots = memory.peerAddress(emitSharedPointer(builder, loc, interface.reductionSlots), peer);
  peerBarriers = memory.peerAddress(barriers, peer);
}

int64_t ClusterExchange::bytesOf(int64_t values) const {
  return values * (schedule.getThreadsPerRow() / 32) * schedule.getClusterCtas() * 4;
}

Value ClusterExchange::barrierOf(Value which, int64_t phase) {
  Value bytes = arith::MulIOp::create(builder, loc, which,
                                      memory.constant(layout.exchangeOffset(0, 1, 0) - layout.exchangeOffset(0, 0, 0)));
  return arith::AddIOp::create(builder, loc, bytes, memory.constant(8 * phase));
}

void ClusterExchange::initialize() {
  auto onFirst = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(onFirst.thenBlock());
  for (int64_t which = 0; which < 2; ++which)
    for (int64_t phase = 0; phase + 1 < pattern.phases; ++phase) {
      int64_t values = valuesTold(pattern, schedule, phase);
      if (values == 0)
        continue;
      Value barrier = memory.at(barriers, barrierOf(memory.constant(which), phase));
      memory.initializeBarrier(barrier, /*arrivals=*/1);
      memory.arriveExpecting(barrier, memory.constant(bytesOf(values)));
    }
  memory.publishBarriers();
}

void ClusterExchange::enterRow(Value number) {
  Value low = arith::TruncIOp::create(builder, loc, builder.getI32Type(), number);
  buffer = arith::AndIOp::create(builder, loc, low, memory.constant(1));
  Value round = arith::ShRUIOp::create(builder, loc, low, memory.constant(1));
  parity = arith::AndIOp::create(builder, loc, round, memory.constant(1));
}

Value ClusterExchange::firstSlot(int64_t warps) {
  Value count = arith::ConstantIndexOp::create(builder, loc, warps);
  return arith::MulIOp::create(builder, loc, rank, count);
}

void ClusterExchange::send(Value value, Value slot) {
  Value number = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), slot);
  Value bytes = arith::MulIOp::create(builder, loc, number, memory.constant(4));
  Value address = arith::AddIOp::create(builder, loc, peerSlots, bytes);
  Value barrier = arith::AddIOp::create(builder, loc, peerBarriers, barrierOf(buffer, current));
  memory.storeAsync(value, address, barrier);
}

void ClusterExchange::meet(int64_t values) {
  assert(values == valuesTold(pattern, schedule, current) && "what is sent is what was announced");
  Value barrier = memory.at(barriers, barrierOf(buffer, current));
  memory.wait(barrier, parity);
  auto onFirst = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(onFirst.thenBlock());
  memory.arriveExpecting(barrier, memory.constant(bytesOf(values)));
}
