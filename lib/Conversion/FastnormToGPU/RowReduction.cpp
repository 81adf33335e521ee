//===- RowReduction.cpp - Sums of a row over its threads -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowReduction.h"

#include "WarpSlots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

Value fastnorm::emitButterfly(OpBuilder &builder, Location loc, Combiner combiner, Value value, int64_t lanes) {
  for (int64_t distance = lanes / 2; distance >= 1; distance /= 2) {
    auto shuffle = gpu::ShuffleOp::create(builder, loc, value, distance, 32, gpu::ShuffleMode::XOR);
    value = emitCombine(builder, loc, combiner, value, shuffle.getShuffleResult(), /*contract=*/false);
  }
  return value;
}

/// What is emitted next is for the first warp of a row alone.
static void enterFirstWarp(OpBuilder &builder, Location loc, const RowPosition &position) {
  Value warp = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, position.lane, warp);
  auto branch = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
}

SmallVector<Value> fastnorm::emitRowReductions(OpBuilder &builder, const KernelInterface &interface,
                                               ScheduleAttr schedule, const RowPosition &position,
                                               ArrayRef<PartialReduction> partials, ClusterExchange *exchange,
                                               bool onlyFirstWarp) {
  Location loc = interface.function->getLoc();
  int64_t lanes = std::min<int64_t>(32, schedule.getThreadsPerRow());
  SmallVector<Value> totals;
  for (const PartialReduction &partial : partials)
    totals.push_back(emitButterfly(builder, loc, partial.combiner, partial.value, lanes));
  WarpSlots slots(builder, interface, schedule, position, exchange, kMostSlotsReadDirectly);
  if (schedule.getScope() == RowScope::Lanes || slots.count() == 1)
    return totals;
  SmallVector<WarpSlots::Entry> entries;
  for (auto [partial, total] : llvm::zip(partials, totals))
    entries.push_back({partial.number, total});
  slots.exchange(entries);
  if (onlyFirstWarp)
    enterFirstWarp(builder, loc, position);
  for (auto [partial, total] : llvm::zip(partials, totals))
    total = slots.meet(partial.combiner, slots.read(partial.number));
  return totals;
}

void fastnorm::emitRowBarrier(OpBuilder &builder, Location loc, ScheduleAttr schedule, const RowPosition &position) {
  if (!position.group) {
    gpu::BarrierOp::create(builder, loc);
    return;
  }
  Value group = arith::TruncIOp::create(builder, loc, builder.getI32Type(), position.group);
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  // Barrier 0 is the one of all threads.
  Value barrier = arith::AddIOp::create(builder, loc, group, i32(1));
  NVVM::BarrierOp::create(builder, loc, TypeRange(), barrier, i32(schedule.getThreadsPerRow()),
                          NVVM::BarrierReductionAttr(), Value());
}
