//===- RowReduction.cpp - Sums of a row over its threads -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowReduction.h"

#include "ClusterReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace fastnorm;

/// Up to this many slots every thread reads all, four at a time; beyond, lanes share them and meet in shuffles.
static constexpr int64_t kMostSlotsReadDirectly = 16;

Value fastnorm::emitIdentity(OpBuilder &builder, Location loc, Combiner combiner) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float value = combiner == Combiner::Add ? 0.0f : combiner == Combiner::Max ? -kInfinity : kInfinity;
  return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(value));
}

Value fastnorm::emitCombine(OpBuilder &builder, Location loc, Combiner combiner, Value left, Value right,
                            bool contract) {
  switch (combiner) {
  case Combiner::Add:
    return arith::AddFOp::create(builder, loc, left, right,
                                 contract ? arith::FastMathFlags::contract : arith::FastMathFlags::none);
  case Combiner::Max: return arith::MaximumFOp::create(builder, loc, left, right);
  case Combiner::Min: return arith::MinimumFOp::create(builder, loc, left, right);
  }
  llvm_unreachable("all combiners are handled");
}

namespace {

class RowReductionEmitter {
public:
  RowReductionEmitter(OpBuilder &builder, const KernelInterface &interface, ScheduleAttr schedule)
      : builder(builder), loc(interface.function->getLoc()), slots(interface.reductionSlots), schedule(schedule),
        warps(schedule.getThreads() / 32), filled(warps * schedule.getClusterCtas()) {}

  SmallVector<Value> run(ArrayRef<PartialReduction> partials) {
    SmallVector<Value> totals;
    int64_t lanes = std::min<int64_t>(32, schedule.getThreadsPerRow());
    for (const PartialReduction &partial : partials)
      totals.push_back(emitButterfly(builder, loc, partial.combiner, partial.value, lanes));
    if (schedule.getScope() == RowScope::Lanes || filled == 1)
      return totals;
    Value thread = gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                           builder.getIndexAttr(schedule.getThreads()));
    Value lane = arith::RemUIOp::create(builder, loc, thread, index(32));
    if (schedule.getScope() == RowScope::Cluster) {
      // Each reduction has slots of its own, so that a CTA that is ahead overwrites nothing.
      if (partials.front().number == 0)
        emitClusterStarted(builder, loc);
      writePeerSlots(partials, totals, thread, lane);
      emitClusterBarrier(builder, loc);
    } else {
      writeSlots(partials, totals, thread, lane);
      gpu::BarrierOp::create(builder, loc);
    }
    for (auto [partial, total] : llvm::zip(partials, totals))
      total = readSlots(partial, lane);
    return totals;
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  Value combine(Combiner combiner, Value left, Value right) {
    return emitCombine(builder, loc, combiner, left, right, /*contract=*/false);
  }

  void writeSlots(ArrayRef<PartialReduction> partials, ArrayRef<Value> values, Value thread, Value lane) {
    Value warp = arith::DivUIOp::create(builder, loc, thread, index(32));
    Value isFirstLane = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, index(0));
    auto onFirstLane = scf::IfOp::create(builder, loc, isFirstLane, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(onFirstLane.thenBlock());
      for (auto [partial, value] : llvm::zip(partials, values)) {
        Value slot = arith::AddIOp::create(builder, loc, warp, index(partial.number * slotsPerReduction(schedule)));
        memref::StoreOp::create(builder, loc, value, slots, slot);
      }
    }
    if (hasPaddingSlot())
      writePaddingSlots(partials, thread);
  }

  /// Lane p of each warp writes the warp's value into CTA p's slots; the warps of CTA r have slots r · warps onwards.
  /// Everyone then reads at home, and nobody's shared memory is needed after the barrier: a CTA may leave.
  void writePeerSlots(ArrayRef<PartialReduction> partials, ArrayRef<Value> values, Value thread, Value lane) {
    Value ctas = index(schedule.getClusterCtas());
    Value isWriter = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, lane, ctas);
    auto onWriters = scf::IfOp::create(builder, loc, isWriter, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(onWriters.thenBlock());
    Value cta = gpu::BlockIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                       builder.getIndexAttr(INT32_MAX));
    Value rank = arith::RemUIOp::create(builder, loc, cta, ctas);
    Value warp = arith::DivUIOp::create(builder, loc, thread, index(32));
    Value own = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, rank, index(warps)), warp);
    Value peerRank = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), lane);
    Value peer = emitPeerPointer(builder, loc, slots, peerRank);
    for (auto [partial, value] : llvm::zip(partials, values)) {
      Value slot = arith::AddIOp::create(builder, loc, own, index(partial.number * slotsPerReduction(schedule)));
      emitPeerStore(builder, loc, value, peer, slot);
    }
  }

  /// Three floats are read as four: the back end widens the load.
  bool hasPaddingSlot() const { return warps <= kMostSlotsReadDirectly && warps % 4 == 3; }

  /// What is read beside the warps' slots must have been written, though nothing uses it.
  void writePaddingSlots(ArrayRef<PartialReduction> partials, Value thread) {
    Value isSecond = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, thread, index(1));
    auto onSecond = scf::IfOp::create(builder, loc, isSecond, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(onSecond.thenBlock());
    for (const PartialReduction &partial : partials)
      memref::StoreOp::create(builder, loc, emitIdentity(builder, loc, partial.combiner), slots,
                              index(partial.number * slotsPerReduction(schedule) + warps));
  }

  Value readSlots(const PartialReduction &partial, Value lane) {
    int64_t first = partial.number * slotsPerReduction(schedule);
    return filled <= kMostSlotsReadDirectly ? readAll(partial.combiner, first)
                                            : readByLanes(partial.combiner, first, lane);
  }

  /// 16-byte reads that all threads share, combined as a tree.
  Value readAll(Combiner combiner, int64_t first) {
    SmallVector<Value> values;
    for (int64_t done = 0; done < filled; done += 4) {
      int64_t count = std::min<int64_t>(4, filled - done);
      auto type = VectorType::get({count}, builder.getF32Type());
      Value slot = index(first + done);
      Value group = vector::LoadOp::create(builder, loc, type, slots, slot, /*nontemporal=*/false,
                                           llvm::MaybeAlign(count == 4 ? 16 : 4));
      auto elements = vector::ToElementsOp::create(builder, loc, group);
      llvm::append_range(values, elements.getResults());
    }
    while (values.size() > 1) {
      SmallVector<Value> sums;
      for (size_t pair = 0; pair + 1 < values.size(); pair += 2)
        sums.push_back(combine(combiner, values[pair], values[pair + 1]));
      if (values.size() % 2)
        sums.push_back(values.back());
      values = sums;
    }
    return values.front();
  }

  /// Lane l reads slots l, l + 32, … and the lanes meet in a butterfly.
  Value readByLanes(Combiner combiner, int64_t first, Value lane) {
    Value total;
    for (int64_t done = 0; done < filled; done += 32) {
      Value last = index(std::min<int64_t>(31, filled - done - 1));
      Value nearest = arith::MinUIOp::create(builder, loc, lane, last);
      Value slot = arith::AddIOp::create(builder, loc, nearest, index(first + done));
      Value value = memref::LoadOp::create(builder, loc, slots, slot);
      if (filled - done < 32) {
        Value isSlot = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, lane, last);
        value = arith::SelectOp::create(builder, loc, isSlot, value, emitIdentity(builder, loc, combiner));
      }
      total = total ? combine(combiner, total, value) : value;
    }
    return emitButterfly(builder, loc, combiner, total, 32);
  }

  OpBuilder &builder;
  Location loc;
  Value slots;
  ScheduleAttr schedule;
  int64_t warps;
  int64_t filled; ///< slots of a reduction that hold a warp's value
};

} // namespace

Value fastnorm::emitButterfly(OpBuilder &builder, Location loc, Combiner combiner, Value value, int64_t lanes) {
  for (int64_t distance = lanes / 2; distance >= 1; distance /= 2) {
    auto shuffle = gpu::ShuffleOp::create(builder, loc, value, distance, 32, gpu::ShuffleMode::XOR);
    value = emitCombine(builder, loc, combiner, value, shuffle.getShuffleResult(), /*contract=*/false);
  }
  return value;
}

SmallVector<Value> fastnorm::emitRowReductions(OpBuilder &builder, const KernelInterface &interface,
                                               ScheduleAttr schedule, ArrayRef<PartialReduction> partials) {
  return RowReductionEmitter(builder, interface, schedule).run(partials);
}
