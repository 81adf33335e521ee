//===- PersistentRows.cpp - CTAs that walk over many rows -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row is worked on in the same phases as by PerRow; around it are a loop over
// the rows of the thread, whose sums of columns it carries or finds in shared
// memory, and a ring of stages that keeps the next rows on their way.
// docs/Schedules.md, "Persistent rows".
//
//===----------------------------------------------------------------------===//

#include "BulkRing.h"
#include "ClusterReduction.h"
#include "ColumnPartials.h"
#include "RowPhases.h"
#include "Strategies.h"
#include "ThreadRing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <memory>

using namespace mlir;
using namespace fastnorm;

namespace {

class PersistentRowsEmitter {
public:
  PersistentRowsEmitter(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                        const KernelInterface &interface)
      : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), interface(interface),
        layout(pattern, schedule), body(builder, pattern, schedule, interface, LoadPolicy::Streaming),
        stages(schedule.getStages()) {}

  void run() {
    walk = emitRowWalk(builder, interface, pattern, schedule);
    body.setPosition(walk.position);
    if (stages > 0 || exchangesSums())
      startSharing();
    if (schedule.getInvariants() == Invariants::Early && !pattern.isShifted(schedule)) {
      RowPosition first = walk.position;
      first.row = existing(walk.first);
      body.holdInvariants(first);
    }
    SmallVector<Value> scalars = body.readRowScalars(existing(walk.first));
    shareBarriers();
    if (ring)
      fillRemainingStages();
    if (addsInSharedMemory(schedule)) {
      columns.emplace(builder, pattern, schedule, interface, walk.position);
      columns->initialize();
      body.keepColumnsIn(&*columns);
    }
    emitLoop(scalars);
  }

private:
  Value i64(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }
  Value i32(int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value add(Value left, Value right) { return arith::AddIOp::create(builder, loc, left, right); }
  Value less(Value left, Value right) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, left, right);
  }

  /// A row that can be read: this one, or the last.
  Value existing(Value row) {
    Value last = arith::SubIOp::create(builder, loc, interface.rows, i64(1));
    // Of no rows nothing is worked on, but the first is asked for: it must not lie before the tensor.
    last = arith::MaxSIOp::create(builder, loc, last, i64(0));
    return arith::MinSIOp::create(builder, loc, row, last);
  }

  auto rowStarts() {
    return [this](BlockArgument argument, Value row) { return body.rowStart(argument, row); };
  }

  bool copiesInBulk() const { return stages > 0 && schedule.getCopies() == Copies::Bulk; }
  bool exchangesSums() const { return schedule.getClusterCtas() > 1 && !pattern.rowReductions.empty(); }

  /// The first stage is on its way before anything else is asked for.
  void startSharing() {
    if (copiesInBulk() || exchangesSums())
      SharedMemory::requirePtx(interface.function, exchangesSums() ? 81 : 80);
    Value base = SharedMemory(builder, loc).base(interface.function);
    if (copiesInBulk())
      ring = std::make_unique<BulkRing>(builder, pattern, schedule, layout, base, walk.position);
    else if (stages > 0)
      ring = std::make_unique<ThreadRing>(builder, pattern, schedule, layout, base, walk.position,
                                          [&](int64_t vector) { return body.insideRow(vector); });
    body.readFrom(ring.get());
    if (exchangesSums()) {
      exchange = std::make_unique<ClusterExchange>(builder, pattern, schedule, layout, interface, base, walk.position);
      exchange->initialize();
      body.meetThrough(exchange.get());
    }
    if (ring)
      ring->start(less(i64(0), walk.count), walk.first, rowStarts());
  }

  /// Everyone who waits at the barriers, or whose stores complete them, finds them ready.
  void shareBarriers() {
    if (exchange)
      emitClusterBarrier(builder, loc);
    else if (copiesInBulk())
      gpu::BarrierOp::create(builder, loc);
  }

  /// Not all at once: every multiprocessor would compute at the same moment.
  void fillRemainingStages() {
    Value row = walk.first;
    for (int64_t stage = 1; stage < stages; ++stage) {
      row = add(row, walk.step);
      ring->fill(less(i64(stage), walk.count), i32(stage), row, rowStarts());
    }
  }

  /// The loop carries the row, the stage and the parity of its barrier, the row's scalars, and the columns' sums that
  /// are in registers.
  void emitLoop(ArrayRef<Value> scalars) {
    SmallVector<Value> carried{walk.first, i32(0), i32(0)};
    llvm::append_range(carried, scalars);
    size_t firstSum = carried.size();
    llvm::append_range(carried, body.startColumns());
    auto loop = scf::ForOp::create(builder, loc, i64(0), walk.count, i64(1), carried);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> arguments(loop.getRegionIterArgs());
      Turn turn{loop.getInductionVar(), arguments[0], arguments[1], arguments[2]};
      ArrayRef<Value> values(arguments);
      body.setColumns(values.drop_front(firstSum));
      emitTurn(turn, values.slice(3, scalars.size()));
    }
    if (!pattern.columnReductions.empty())
      emitStorePartials(builder, pattern, schedule, interface, walk.position,
                        SmallVector<Value>(loop.getResults().drop_front(firstSum)));
  }

  /// One time around the loop.
  struct Turn {
    Value number; ///< i64
    Value row;    ///< i64
    Value stage;  ///< i32
    Value parity; ///< i32
  };

  void emitTurn(const Turn &turn, ArrayRef<Value> scalars) {
    Value nextRow = add(turn.row, walk.step);
    // Asked for while this row waits.
    SmallVector<Value> nextScalars = body.readRowScalars(existing(nextRow));
    RowPosition position = walk.position;
    position.row = turn.row;
    if (schedule.getScope() == RowScope::Lanes) {
      position.rowExists = less(turn.row, interface.rows);
      position.row = existing(turn.row);
    }
    if (interface.reductionSlots)
      position.slotSet = emitSlotSet(builder, loc, position, turn.number);
    if (exchange)
      exchange->enterRow(turn.number);
    if (ring)
      ring->wait(turn.stage, turn.parity);
    body.enterRow(position, scalars);
    emitPhases(turn, position);
    SmallVector<Value> next{nextRow};
    llvm::append_range(next, nextStage(turn));
    llvm::append_range(next, nextScalars);
    llvm::append_range(next, body.getColumns());
    scf::YieldOp::create(builder, loc, next);
  }

  SmallVector<Value> nextStage(const Turn &turn) {
    if (!ring)
      return {turn.stage, turn.parity};
    Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, turn.stage, i32(stages - 1));
    Value stage = arith::SelectOp::create(builder, loc, isLast, i32(0), add(turn.stage, i32(1)));
    Value flips = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), isLast);
    return {stage, arith::XOrIOp::create(builder, loc, turn.parity, flips)};
  }

  void emitPhases(const Turn &turn, const RowPosition &position) {
    RowPhases::Around around;
    around.beforeMeeting = [&](int64_t phase) {
      // What the columns gather of this row stays before the barrier: behind it the row's inputs would have to wait.
      body.pinColumns();
      if (exchange)
        exchange->enterPhase(phase);
    };
    around.afterReading = [&](bool haveMet) {
      if (ring)
        refill(turn, position, haveMet && interface.reductionSlots);
    };
    RowPhases(body, pattern, schedule).run(around);
  }

  /// The stage is read: it is filled for the row `stages` turns from now, never before.
  void refill(const Turn &turn, const RowPosition &position, bool haveMet) {
    if (ring->readsTogether() && !haveMet)
      meet(position);
    Value turns = i64(stages);
    Value follows = less(add(turn.number, turns), walk.count);
    Value later = add(turn.row, arith::MulIOp::create(builder, loc, walk.step, turns));
    ring->fill(follows, turn.stage, later, rowStarts());
  }

  void meet(const RowPosition &position) {
    if (schedule.getThreadsPerRow() == 32)
      NVVM::SyncWarpOp::create(builder, loc, i32(-1));
    else
      emitRowBarrier(builder, loc, schedule, position);
  }

  OpBuilder &builder;
  Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  const KernelInterface &interface;
  SharedLayout layout;
  BodyEmitter body;
  int64_t stages;
  RowWalk walk;
  std::unique_ptr<RowRing> ring;             ///< null: rows go to registers
  std::unique_ptr<ClusterExchange> exchange; ///< null: none
  std::optional<SharedColumns> columns;      ///< none: the sums of columns are in registers
};

} // namespace

void fastnorm::emitPersistentRows(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                                  const KernelInterface &interface) {
  PersistentRowsEmitter(builder, pattern, schedule, interface).run();
}
