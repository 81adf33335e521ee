//===- WarpSlots.cpp - What the warps of a row tell each other -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpSlots.h"

#include "ClusterExchange.h"
#include "ClusterReduction.h"
#include "RowReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

WarpSlots::WarpSlots(OpBuilder &builder, const KernelInterface &interface, ScheduleAttr schedule,
                     const RowPosition &position, ClusterExchange *exchange, int64_t mostDirect)
    : builder(builder), loc(interface.function->getLoc()), slots(interface.reductionSlots), schedule(schedule),
      position(position), means(exchange), warps(schedule.getThreadsPerRow() / 32),
      filled(warps * schedule.getClusterCtas()), isDirect(filled <= mostDirect) {}

Value WarpSlots::index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

Value WarpSlots::slotAt(Value number) {
  if (!position.slotSet)
    return number;
  Value set = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), position.slotSet);
  int64_t ofSet = cast<MemRefType>(slots.getType()).getNumElements() / slotSets(schedule);
  return arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, set, index(ofSet)), number);
}

void WarpSlots::exchange(ArrayRef<Entry> entries) {
  thread = gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                   builder.getIndexAttr(schedule.getThreads()));
  if (position.group)
    thread = arith::RemUIOp::create(builder, loc, thread, index(schedule.getThreadsPerRow()));
  lane = arith::RemUIOp::create(builder, loc, thread, index(32));
  if (means) {
    sendToPeers(entries);
    means->meet(static_cast<int64_t>(entries.size()));
    return;
  }
  if (schedule.getScope() == RowScope::Cluster) {
    // Each number has slots of its own, so that a CTA that is ahead overwrites nothing.
    if (entries.front().number == 0)
      emitClusterStarted(builder, loc);
    writePeers(entries);
    emitClusterBarrier(builder, loc);
    return;
  }
  writeOwn(entries);
  emitRowBarrier(builder, loc, schedule, position);
}

void WarpSlots::writeOwn(ArrayRef<Entry> entries) {
  Value warp = arith::DivUIOp::create(builder, loc, thread, index(32));
  Value isFirstLane = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, index(0));
  auto onFirstLane = scf::IfOp::create(builder, loc, isFirstLane, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(onFirstLane.thenBlock());
    for (Entry entry : entries) {
      Value slot = arith::AddIOp::create(builder, loc, warp, index(firstSlot(entry.number)));
      memref::StoreOp::create(builder, loc, entry.value, slots, slotAt(slot));
    }
  }
  // Three floats are read as four: the back end widens the load.
  if (isDirect && warps % 4 == 3)
    writePadding(entries);
}

/// What is read beside the warps' slots must have been written, though nothing uses it.
void WarpSlots::writePadding(ArrayRef<Entry> entries) {
  Value isSecond = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, thread, index(1));
  auto onSecond = scf::IfOp::create(builder, loc, isSecond, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(onSecond.thenBlock());
  Value zero = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0.0f));
  for (Entry entry : entries)
    memref::StoreOp::create(builder, loc, zero, slots, slotAt(firstSlot(entry.number) + warps));
}

/// Lane p of each warp writes the warp's value into CTA p's slots; the warps of CTA r have slots r · warps onwards.
/// Everyone then reads at home, and nobody's shared memory is needed after the barrier: a CTA may leave.
void WarpSlots::writePeers(ArrayRef<Entry> entries) {
  Value ctas = index(schedule.getClusterCtas());
  Value isWriter = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, lane, ctas);
  auto onWriters = scf::IfOp::create(builder, loc, isWriter, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(onWriters.thenBlock());
  Value cta =
      gpu::BlockIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x, builder.getIndexAttr(INT32_MAX));
  Value rank = arith::RemUIOp::create(builder, loc, cta, ctas);
  Value warp = arith::DivUIOp::create(builder, loc, thread, index(32));
  Value own = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, rank, index(warps)), warp);
  Value peerRank = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), lane);
  Value peer = emitPeerPointer(builder, loc, slots, peerRank);
  for (Entry entry : entries) {
    Value slot = arith::AddIOp::create(builder, loc, own, index(firstSlot(entry.number)));
    emitPeerStore(builder, loc, entry.value, peer, slot);
  }
}

/// As writePeers, but the stores arrive when the exchange says so.
void WarpSlots::sendToPeers(ArrayRef<Entry> entries) {
  Value ctas = index(schedule.getClusterCtas());
  Value isSender = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, lane, ctas);
  Value warp = arith::DivUIOp::create(builder, loc, thread, index(32));
  Value own = arith::AddIOp::create(builder, loc, means->firstSlot(warps), warp);
  auto onSenders = scf::IfOp::create(builder, loc, isSender, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(onSenders.thenBlock());
  for (Entry entry : entries) {
    Value slot = arith::AddIOp::create(builder, loc, own, index(firstSlot(entry.number)));
    means->send(entry.value, slotAt(slot));
  }
}

WarpSlots::Held WarpSlots::read(int64_t number) {
  return isDirect ? readAll(firstSlot(number)) : readByLanes(firstSlot(number));
}

/// 16-byte reads that all threads share.
WarpSlots::Held WarpSlots::readAll(int64_t first) {
  Held held;
  for (int64_t done = 0; done < filled; done += 4) {
    int64_t count = std::min<int64_t>(4, filled - done);
    auto type = VectorType::get({count}, builder.getF32Type());
    Value slot = slotAt(first + done);
    Value group = vector::LoadOp::create(builder, loc, type, slots, slot, /*nontemporal=*/false,
                                         llvm::MaybeAlign(count == 4 ? 16 : 4));
    auto elements = vector::ToElementsOp::create(builder, loc, group);
    llvm::append_range(held.values, elements.getResults());
  }
  return held;
}

int64_t WarpSlots::lanesOfSlots() const { return std::min<int64_t>(32, llvm::PowerOf2Ceil(filled)); }

/// Lane l reads slots l, l + 32, …; of fewer than 32, lanes with the same place among them the same.
WarpSlots::Held WarpSlots::readByLanes(int64_t first) {
  Held held;
  int64_t lanes = lanesOfSlots();
  Value place = lanes < 32 ? Value(arith::RemUIOp::create(builder, loc, lane, index(lanes))) : lane;
  for (int64_t done = 0; done < filled; done += lanes) {
    bool isPartial = filled - done < lanes;
    Value last = index(std::min(lanes, filled - done) - 1);
    Value nearest = isPartial ? Value(arith::MinUIOp::create(builder, loc, place, last)) : place;
    Value slot = arith::AddIOp::create(builder, loc, nearest, index(first + done));
    held.values.push_back(memref::LoadOp::create(builder, loc, slots, slotAt(slot)));
    held.exists.push_back(isPartial ? Value(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, place, last))
                                    : Value());
  }
  return held;
}

Value WarpSlots::meet(Combiner combiner, const Held &held) {
  auto combine = [&](Value left, Value right) {
    return emitCombine(builder, loc, combiner, left, right, /*contract=*/false);
  };
  SmallVector<Value> values = held.values;
  if (isDirect) {
    while (values.size() > 1) {
      SmallVector<Value> sums;
      for (size_t pair = 0; pair + 1 < values.size(); pair += 2)
        sums.push_back(combine(values[pair], values[pair + 1]));
      if (values.size() % 2)
        sums.push_back(values.back());
      values = sums;
    }
    return values.front();
  }
  Value total;
  for (auto [value, exists] : llvm::zip(values, held.exists)) {
    Value own = exists ? arith::SelectOp::create(builder, loc, exists, value, emitIdentity(builder, loc, combiner))
                       : Value(value);
    total = total ? combine(total, own) : own;
  }
  return emitButterfly(builder, loc, combiner, total, lanesOfSlots());
}
