//===- GridSplit.cpp - Rows split over the CTAs of a grid -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch per phase, since CTAs of a grid cannot wait for one another: what
// ends a phase is the end of its launch. Sums pass between launches in global
// memory and are combined in a fixed order by everyone who needs them.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "ColumnPartials.h"
#include "Strategies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

namespace {

/// The sums of a row's CTAs in global memory.
class GridPartials {
public:
  GridPartials(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
               const KernelInterface &interface, const RowPosition &position)
      : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), access(builder, loc) {
    rowBase =
        add(emitAddress(builder, loc, interface.rowSums), multiply(position.row, sumBytes() * pattern.rowSums.size()));
    // A CTA's columns begin at its number times its chunk.
    Value rank = arith::DivUIOp::create(builder, loc, position.columnBase, constant(schedule.getColumnChunk()));
    own = add(rowBase, multiply(rank, 4));
    isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, position.lane, constant(0));
  }

  /// Stores what this CTA's columns add to the reductions of a phase.
  void store(int64_t phase, ArrayRef<Value> sums) {
    for (int64_t number : pattern.rowSumsOf(phase)) {
      Value vector = vector::BroadcastOp::create(builder, loc, element(), sums.front());
      sums = sums.drop_front();
      access.store(vector, {own, number * sumBytes()}, StorePolicy::Cached, isFirst);
    }
  }

  /// The totals of a phase's reductions: lane l takes CTAs l, l + 32, …, and the lanes meet in a butterfly.
  SmallVector<Value> load(int64_t phase) {
    Value thread = gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                           builder.getIndexAttr(schedule.getThreads()));
    Value lane = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), thread);
    lane = arith::RemUIOp::create(builder, loc, lane, constant(32));
    Value place = add(rowBase, multiply(lane, 4));
    SmallVector<Value> totals;
    for (int64_t number : pattern.rowSumsOf(phase)) {
      ReduceOp reduce = pattern.rowSums[number].reduce;
      Value identity = emitIdentity(builder, loc, reduce.getCombiner());
      Value total = identity;
      for (int64_t first = 0; first < schedule.getCtasPerRow(); first += 32) {
        Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, lane,
                                             constant(schedule.getCtasPerRow() - first));
        Value loaded = access.load(element(), {place, number * sumBytes() + first * 4}, LoadPolicy::Ordered, exists);
        Value value = vector::ExtractOp::create(builder, loc, loaded, int64_t(0));
        value = arith::SelectOp::create(builder, loc, exists, value, identity);
        total = emitCombine(builder, loc, reduce.getCombiner(), total, value, /*contract=*/false);
      }
      totals.push_back(emitButterfly(builder, loc, reduce.getCombiner(), total, 32));
    }
    return totals;
  }

private:
  Value constant(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }
  Value add(Value left, Value right) { return arith::AddIOp::create(builder, loc, left, right); }
  Value multiply(Value value, int64_t factor) { return arith::MulIOp::create(builder, loc, value, constant(factor)); }
  VectorType element() { return VectorType::get({1}, builder.getF32Type()); }
  int64_t sumBytes() const { return schedule.getCtasPerRow() * 4; }

  OpBuilder &builder;
  Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  VectorAccess access;
  Value rowBase, own, isFirst;
};

/// What a launch of one phase does.
class GridPhaseEmitter {
public:
  GridPhaseEmitter(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                   const KernelInterface &interface, int64_t phase)
      : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), interface(interface),
        phase(phase), isLast(phase + 1 == pattern.phases), needed(pattern.neededIn(phase)),
        // Read again by the next launch, if there is one: the lines should stay in the L2.
        body(builder, pattern, schedule, interface, isLast ? LoadPolicy::Streaming : LoadPolicy::Ordered) {}

  void run() {
    if (schedule.isPersistent())
      return walkOverRows();
    emitRow(emitRowPosition(builder, interface, schedule, ctasAlongRow(pattern, schedule)));
  }

private:
  Value constant(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }

  /// The thread keeps its columns: what they gather is kept, and left when the rows are done.
  void walkOverRows() {
    RowWalk walk = emitRowWalk(builder, interface, pattern, schedule);
    if (schedule.getInvariants() == Invariants::Early && !pattern.isShifted(schedule)) {
      RowPosition first = walk.position;
      first.row = walk.first;
      body.holdInvariants(first);
    }
    std::optional<SharedColumns> columns;
    if (addsInSharedMemory(schedule)) {
      columns.emplace(builder, pattern, schedule, interface, walk.position);
      columns->initialize();
      body.keepColumnsIn(&*columns);
    }
    SmallVector<Value> carried{walk.first};
    llvm::append_range(carried, body.startColumns());
    auto loop = scf::ForOp::create(builder, loc, constant(0), walk.count, constant(1), carried);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> arguments(loop.getRegionIterArgs());
      RowPosition position = walk.position;
      position.row = arguments.front();
      if (interface.reductionSlots)
        position.slotSet = emitSlotSet(builder, loc, position, loop.getInductionVar());
      body.setColumns(ArrayRef<Value>(arguments).drop_front());
      emitRow(position);
      SmallVector<Value> next{arith::AddIOp::create(builder, loc, arguments.front(), walk.step)};
      llvm::append_range(next, body.getColumns());
      scf::YieldOp::create(builder, loc, next);
    }
    if (!pattern.columnReductions.empty())
      emitStorePartials(builder, pattern, schedule, interface, walk.position,
                        SmallVector<Value>(loop.getResults().drop_front()), phase);
  }

  void emitRow(const RowPosition &position) {
    body.enterRow(position);
    std::optional<GridPartials> sums;
    if (interface.rowSums)
      sums.emplace(builder, pattern, schedule, interface, position);
    int64_t count = schedule.getVectorsPerThread();
    int64_t inFlight = schedule.getVectorsInFlight();
    issue(0, std::min(count, inFlight));
    for (int64_t earlier = 0; earlier < phase; ++earlier)
      body.enterTotals(earlier, sums->load(earlier));
    body.storeRowResults(phase);
    SmallVector<Value> partials = body.startPartials(phase);
    for (int64_t group = 0; group < count; group += inFlight) {
      int64_t end = std::min(count, group + inFlight);
      if (group > 0)
        issue(group, end);
      for (int64_t vector = group; vector < end; ++vector)
        body.computePhase(phase, vector, partials);
    }
    if (!isLast)
      sums->store(phase, body.reducePartials(phase, partials));
  }

  void issue(int64_t begin, int64_t end) {
    for (int64_t vector = begin; vector < end; ++vector)
      body.issueLoads(vector, &needed);
    for (int64_t vector = begin; vector < end; ++vector)
      body.issueInvariants(vector, LoadPolicy::Ordered, &needed);
  }

  OpBuilder &builder;
  Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  const KernelInterface &interface;
  int64_t phase;
  bool isLast;
  llvm::DenseSet<Value> needed;
  BodyEmitter body;
};

} // namespace

void fastnorm::emitGridPhase(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                             const KernelInterface &interface, int64_t phase) {
  GridPhaseEmitter(builder, pattern, schedule, interface, phase).run();
}
