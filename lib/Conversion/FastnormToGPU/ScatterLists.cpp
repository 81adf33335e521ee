//===- ScatterLists.cpp - Scatters that add up -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots that name one row are added up by the threads that store it. For each
// row of the result there is a list of its slots, which three launches before
// build: in whatever order slots join it, each then looks for the smallest one
// behind itself, so that the order of addition is fixed.
//
// Slots are counted through all rows, from 1; 0 is none. `heads` holds the slot
// that joined a row's list last and, behind that of all rows, its smallest;
// `links` the slot that joined before and, likewise, the next larger one. A
// launch that is repeated alone, as for timing it, does what it did: a slot
// that has joined does not join again, which would close its list to a ring.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "Strategies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

namespace {

class AccumulationEmitter {
public:
  AccumulationEmitter(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                      const KernelInterface &interface)
      : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), interface(interface),
        scatter(pattern.accumulatingScatter()), access(builder, loc),
        // Rows that several slots read should stay in the L2.
        body(builder, pattern, schedule, interface, LoadPolicy::Ordered) {
    hasSlots = axesOf(scatter.getIndex()).contains(Axis::Slot);
    Value rows = interface.tableRows.lookup(scatter.getResult());
    resultRows = rows;
    slots = multiply(interface.rows, slotsPerRow());
    lastJoined = emitAddress(builder, loc, interface.listHeads);
    smallest = add(lastJoined, multiply(rows, kBytes));
    joinedBefore = emitAddress(builder, loc, interface.listLinks);
    nextLarger = add(joinedBefore, multiply(slots, kBytes));
  }

  void run(AccumulationStep step) {
    switch (step) {
    case AccumulationStep::Clear: return clear();
    case AccumulationStep::Link:
      return forEach(slots, [&](Value number) { whereNamed(number, [&](Value row) { join(number, row); }); });
    case AccumulationStep::Order:
      return forEach(slots, [&](Value number) { whereNamed(number, [&](Value row) { order(number, row); }); });
    case AccumulationStep::AddUp: return addUp();
    }
  }

private:
  static constexpr int64_t kBytes = 8;
  /// In `joinedBefore`: in no list yet.
  static constexpr int64_t kHasNotJoined = -1;

  int64_t slotsPerRow() const { return hasSlots ? pattern.slots : 1; }
  Value constant(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }
  Value add(Value left, Value right) { return arith::AddIOp::create(builder, loc, left, right); }
  Value multiply(Value value, int64_t factor) { return arith::MulIOp::create(builder, loc, value, constant(factor)); }
  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(builder, loc, predicate, left, right);
  }
  Value isSlot(Value slot) { return compare(arith::CmpIPredicate::ne, slot, constant(0)); }
  Value both(Value left, Value right) { return arith::AndIOp::create(builder, loc, left, right); }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  VectorType element() { return VectorType::get({1}, builder.getI64Type()); }

  Value load(Value list, Value number) {
    Value loaded =
        access.load(element(), {add(list, multiply(number, kBytes)), 0}, LoadPolicy::Ordered, /*predicate=*/Value());
    return vector::ExtractOp::create(builder, loc, loaded, int64_t(0));
  }
  void store(Value list, Value number, Value value, Value predicate = Value()) {
    access.store(vector::BroadcastOp::create(builder, loc, element(), value), {add(list, multiply(number, kBytes)), 0},
                 StorePolicy::Cached, predicate);
  }

  /// The number of this thread.
  Value threadNumber() {
    auto toI64 = [&](Value index) -> Value {
      return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
    };
    Value cta = toI64(gpu::BlockIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                             builder.getIndexAttr(INT32_MAX)));
    Value thread = toI64(gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                                 builder.getIndexAttr(schedule.getThreads())));
    return add(multiply(cta, schedule.getThreads()), thread);
  }

  void onlyBelow(Value number, Value count, llvm::function_ref<void()> work) {
    onlyIf(compare(arith::CmpIPredicate::slt, number, count), work);
  }

  /// A thread for each number below `count`.
  void forEach(Value count, llvm::function_ref<void(Value)> work) {
    Value number = threadNumber();
    onlyBelow(number, count, [&] { work(number); });
  }

  void onlyIf(Value condition, llvm::function_ref<void()> work) {
    auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    work();
  }

  /// Of a slot by its number from 0.
  void enterSlot(Value number, RowPosition position) {
    position.row = number;
    position.rowExists = Value();
    Value slot;
    if (hasSlots) {
      position.row = arith::DivUIOp::create(builder, loc, number, constant(slotsPerRow()));
      slot = arith::RemUIOp::create(builder, loc, number, constant(slotsPerRow()));
    }
    body.enterRow(position, /*rowScalars=*/{}, slot);
  }

  /// Works on a slot that is not dropped, with the row that it names.
  void whereNamed(Value number, llvm::function_ref<void(Value)> work) {
    RowPosition position;
    position.lane = constant(0);
    enterSlot(number, position);
    onlyIf(body.isNamed(scatter), [&] { work(body.namedRow(scatter)); });
  }

  void clear() {
    Value number = threadNumber();
    onlyBelow(number, resultRows, [&] {
      store(lastJoined, number, constant(0));
      store(smallest, number, constant(0));
    });
    onlyBelow(number, slots, [&] { store(joinedBefore, number, constant(kHasNotJoined)); });
  }

  void join(Value number, Value row) {
    Value before = load(joinedBefore, number);
    onlyIf(compare(arith::CmpIPredicate::eq, before, constant(kHasNotJoined)), [&] {
      Value last = access.exchange({add(lastJoined, multiply(row, kBytes)), 0}, add(number, constant(1)));
      store(joinedBefore, number, last);
    });
  }

  /// Looks at all slots of the list: the next larger one than this, and whether none is smaller.
  void order(Value number, Value row) {
    Value own = add(number, constant(1));
    Value isSmallest = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    SmallVector<Value> start{load(lastJoined, row), constant(0), isSmallest};
    auto loop = scf::WhileOp::create(
        builder, loc, TypeRange(ValueRange(start)), start,
        [&](OpBuilder &, Location, ValueRange carried) {
          scf::ConditionOp::create(builder, loc, isSlot(carried[0]), carried);
        },
        [&](OpBuilder &, Location, ValueRange carried) {
          Value other = carried[0], next = carried[1];
          Value isLarger = compare(arith::CmpIPredicate::ugt, other, own);
          // 0 less 1 is past every slot.
          Value isNearer = compare(arith::CmpIPredicate::ult, add(other, constant(-1)), add(next, constant(-1)));
          Value isNotSmaller = compare(arith::CmpIPredicate::uge, other, own);
          scf::YieldOp::create(builder, loc,
                               ValueRange{load(joinedBefore, add(other, constant(-1))),
                                          select(both(isLarger, isNearer), other, next),
                                          both(carried[2], isNotSmaller)});
        });
    store(nextLarger, number, loop.getResult(1));
    store(smallest, row, own, loop.getResult(2));
  }

  void addUp() {
    KernelInterface ofResult = interface;
    ofResult.rows = resultRows;
    RowPosition position = emitRowPosition(builder, ofResult, schedule, ctasAlongRow(pattern, schedule));
    int64_t count = schedule.getVectorsPerThread();
    auto type = VectorType::get({schedule.getVectorWidth()}, builder.getF32Type());
    SmallVector<Value> start{load(smallest, position.row)};
    start.append(count, vector::BroadcastOp::create(builder, loc, type, emitIdentity(builder, loc, Combiner::Add)));
    auto loop = scf::WhileOp::create(
        builder, loc, TypeRange(ValueRange(start)), start,
        [&](OpBuilder &, Location, ValueRange carried) {
          scf::ConditionOp::create(builder, loc, isSlot(carried[0]), carried);
        },
        [&](OpBuilder &, Location, ValueRange carried) {
          scf::YieldOp::create(builder, loc, addSlot(position, carried));
        });
    body.setPosition(position);
    for (int64_t vector = 0; vector < count; ++vector)
      body.storeTableRow(scatter, position.row, vector, loop.getResult(1 + vector));
  }

  /// The next slot of the list, and the sums with this one.
  SmallVector<Value> addSlot(const RowPosition &position, ValueRange carried) {
    Value number = add(carried[0], constant(-1));
    SmallVector<Value> next{load(nextLarger, number)};
    enterSlot(number, position);
    int64_t count = schedule.getVectorsPerThread();
    for (int64_t vector = 0; vector < count; ++vector) {
      body.issueLoads(vector);
      body.issueInvariants(vector, LoadPolicy::ReadOnly);
    }
    for (int64_t vector = 0; vector < count; ++vector)
      next.push_back(emitCombine(builder, loc, Combiner::Add, carried[1 + vector],
                                 body.scatteredVector(scatter, vector), /*contract=*/true));
    return next;
  }

  OpBuilder &builder;
  Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  const KernelInterface &interface;
  ScatterOp scatter;
  VectorAccess access;
  BodyEmitter body;
  bool hasSlots;
  Value resultRows, slots;                              ///< how many, i64
  Value lastJoined, smallest, joinedBefore, nextLarger; ///< addresses, i64
};

} // namespace

void fastnorm::emitAccumulation(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                                const KernelInterface &interface, AccumulationStep step) {
  AccumulationEmitter(builder, pattern, schedule, interface).run(step);
}
