//===- ColumnFinalize.cpp - The launch that adds up partials -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnFinalize.h"

#include "MapBody.h"
#include "RowReduction.h"
#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

/// Loads of a thread that are issued before the first is used.
static constexpr int64_t kSetsInFlight = 4;

static Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

namespace {

class FinalizeEmitter {
public:
  FinalizeEmitter(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                  const FinalizeInterface &interface)
      : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), interface(interface),
        layout(pattern, schedule), tileShape(layout, schedule), access(builder, loc),
        width(schedule.getFinalizeWidth()), unit(VectorType::get({layout.unit}, builder.getF32Type())) {}

  void run() {
    enter();
    if (interface.leavesPartials)
      forEachPart(layout.reductions, [&](int64_t reduction) { leaveSums(reduction); });
    else
      forEachPart(static_cast<int64_t>(interface.results.size()), [&](int64_t number) { storeResult(number); });
  }

private:
  Value i32(int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value i64(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }
  Value add(Value left, Value right) { return arith::AddIOp::create(builder, loc, left, right); }
  Value multiply(Value value, int64_t factor) {
    return arith::MulIOp::create(builder, loc, value, like(value, factor));
  }
  Value divide(Value value, int64_t by) { return arith::DivUIOp::create(builder, loc, value, like(value, by)); }
  Value remainder(Value value, int64_t by) { return arith::RemUIOp::create(builder, loc, value, like(value, by)); }
  Value less(Value left, Value right) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, left, right);
  }
  Value both(Value left, Value right) { return arith::AndIOp::create(builder, loc, left, right); }
  Value like(Value value, int64_t constant) { return value.getType().isInteger(64) ? i64(constant) : i32(constant); }
  Value widened(Value value) { return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), value); }
  Value index(Value value) { return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), value); }

  template <typename Op> Value number(Op op) {
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), op);
  }

  void enter() {
    thread = number(gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                            builder.getIndexAttr(kFinalizeThreads)));
    Value cta = number(gpu::BlockIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                              builder.getIndexAttr(interface.ctas)));
    Value lane = remainder(thread, 32);
    warp = divide(thread, 32);
    ownUnit = remainder(lane, width);
    rowOfWarp = divide(lane, width);
    tile = remainder(cta, tileShape.ofColumns);
    part = divide(cta, tileShape.ofColumns);
    split = i32(0);
    firstSet = widened(add(multiply(warp, 32 / width), rowOfWarp));
    if (int64_t splits = finalizeSplits(pattern, schedule); interface.leavesPartials) {
      split = remainder(part, splits);
      part = divide(part, splits);
      firstSet = add(multiply(firstSet, splits), widened(split));
      setStep = 32 / width * kFinalizeWarps * splits;
    } else {
      setStep = 32 / width * kFinalizeWarps;
    }
    // Of the units of a set, of all chunks.
    Value number = add(multiply(tile, width), ownUnit);
    int64_t unitsOfChunk = layout.chunk / layout.unit;
    if (layout.chunks * unitsOfChunk % width)
      unitExists = less(number, i32(layout.chunks * unitsOfChunk));
    Value rank = divide(number, unitsOfChunk);
    Value within = remainder(number, unitsOfChunk);
    unitBytes = add(multiply(widened(rank), layout.chunkBytes()), multiply(widened(within), layout.unit * 4));
  }

  /// CTAs of a part do its work; they all take the same branch.
  void forEachPart(int64_t parts, llvm::function_ref<void(int64_t)> emit) {
    for (int64_t number = 0; number < parts; ++number) {
      OpBuilder::InsertionGuard guard(builder);
      if (parts > 1) {
        Value isOwn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, part, i32(number));
        auto onOwn = scf::IfOp::create(builder, loc, isOwn, /*withElseRegion=*/false);
        builder.setInsertionPointToStart(onOwn.thenBlock());
      }
      emit(number);
    }
  }

  Value combine(Combiner combiner, Value left, Value right) {
    return emitCombine(builder, loc, combiner, left, right, /*contract=*/false);
  }

  /// The thread's unit of a set that may be past the last.
  Value loadUnit(int64_t reduction, Value set, Value identity) {
    Value exists = less(set, interface.sets);
    if (unitExists)
      exists = both(exists, unitExists);
    Value base = add(add(emitAddress(builder, loc, interface.partials), unitBytes), multiply(set, layout.setBytes()));
    Value loaded = access.load(unit, {base, reduction * layout.reductionBytes()}, LoadPolicy::Ordered, exists);
    // Zeros came where nothing was read.
    if (combinerOf(reduction) == Combiner::Add)
      return loaded;
    return arith::SelectOp::create(builder, loc, exists, loaded, identity);
  }

  Combiner combinerOf(int64_t reduction) {
    ReduceOp reduce = pattern.columnReductions[reduction];
    return reduce.getCombiner();
  }

  /// What the thread's sets have of its unit, in ascending order.
  Value sumOverSets(int64_t reduction) {
    Combiner combiner = combinerOf(reduction);
    Value identity = vector::BroadcastOp::create(builder, loc, unit, emitIdentity(builder, loc, combiner));
    auto loop = scf::ForOp::create(builder, loc, firstSet, interface.sets, i64(setStep * kSetsInFlight), identity);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> loaded;
    for (int64_t ahead = 0; ahead < kSetsInFlight; ++ahead)
      loaded.push_back(loadUnit(reduction, add(loop.getInductionVar(), i64(ahead * setStep)), identity));
    Value sum = loop.getRegionIterArg(0);
    for (Value value : loaded)
      sum = combine(combiner, sum, value);
    scf::YieldOp::create(builder, loc, sum);
    return loop.getResult(0);
  }

  /// Over the lanes that have the same unit.
  Value sumOverLanes(int64_t reduction, Value vector) {
    SmallVector<Value> sums(vector::ToElementsOp::create(builder, loc, vector).getResults());
    for (int64_t distance = 16; distance >= width; distance /= 2)
      for (Value &sum : sums) {
        auto shuffle = gpu::ShuffleOp::create(builder, loc, sum, distance, 32, gpu::ShuffleMode::XOR);
        sum = combine(combinerOf(reduction), sum, shuffle.getShuffleResult());
      }
    return vector::FromElementsOp::create(builder, loc, unit, sums);
  }

  /// Leaves a reduction's sums of each warp in shared memory, in slots of a number.
  void shareSums(int64_t reduction, int64_t slotNumber) {
    Value sum = sumOverLanes(reduction, sumOverSets(reduction));
    Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rowOfWarp, i32(0));
    auto onFirst = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(onFirst.thenBlock());
    Value slot = add(add(multiply(warp, tileShape.slotsOfWarp), multiply(ownUnit, layout.unit)),
                     i32(slotNumber * kFinalizeWarps * tileShape.slotsOfWarp));
    vector::StoreOp::create(builder, loc, sum, interface.slots, index(slot), /*nontemporal=*/false,
                            llvm::MaybeAlign(layout.unit * 4));
  }

  /// A reduction's sum for the element of this thread's number in the tile.
  Value readSum(int64_t reduction, int64_t slotNumber) {
    Value sum;
    for (int64_t number = 0; number < kFinalizeWarps; ++number) {
      Value slot = add(thread, i32((slotNumber * kFinalizeWarps + number) * tileShape.slotsOfWarp));
      Value value = memref::LoadOp::create(builder, loc, interface.slots, index(slot));
      sum = sum ? combine(combinerOf(reduction), sum, value) : value;
    }
    return sum;
  }

  /// Runs `emit` in the threads that have an element of the tile.
  void onElements(llvm::function_ref<void()> emit) {
    gpu::BarrierOp::create(builder, loc);
    Value hasElement = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, thread, i32(tileShape.elements));
    auto onOwners = scf::IfOp::create(builder, loc, hasElement, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(onOwners.thenBlock());
    emit();
  }

  /// The first of two launches: a set of the split's sums.
  void leaveSums(int64_t reduction) {
    shareSums(reduction, /*slotNumber=*/0);
    onElements([&] {
      Value element = add(multiply(tile, tileShape.elements), thread);
      Value exists = less(element, i32(layout.chunks * layout.chunk));
      Value rank = divide(element, layout.chunk);
      Value within = remainder(element, layout.chunk);
      Value bytes = add(multiply(widened(rank), layout.chunkBytes()), multiply(widened(within), 4));
      bytes = add(bytes, multiply(widened(split), layout.setBytes()));
      storeElement(readSum(reduction, /*slotNumber=*/0), add(emitAddress(builder, loc, interface.nextPartials), bytes),
                   reduction * layout.reductionBytes(), exists);
    });
  }

  void storeResult(int64_t number) {
    Value yielded = pattern.kernel.getBody().front().getTerminator()->getOperand(interface.results[number]);
    ColumnSources sources(pattern, yielded);
    for (auto [slotNumber, reduction] : llvm::enumerate(sources.reductions))
      shareSums(reduction, slotNumber);
    onElements([&] {
      enterColumn();
      values.clear();
      for (Value input : sources.inputs)
        values[input] = loadElement(input);
      for (auto [slotNumber, reduction] : llvm::enumerate(sources.reductions))
        values[pattern.columnReductions[reduction]->getResult(0)] = readSum(reduction, slotNumber);
      Value address =
          add(emitAddress(builder, loc, interface.resultPointers[number]), elementOffset(yielded, axesOf(yielded)));
      storeElement(valueOf(yielded), address, /*offsetBytes=*/0, columnExists);
    });
  }

  /// Which column the element of this thread is, from the order of pieces.
  void enterColumn() {
    Value element = add(multiply(tile, tileShape.elements), thread);
    Value rank = divide(element, layout.chunk);
    Value within = remainder(element, layout.chunk);
    column = layout.columnOf(builder, loc, schedule, divide(within, layout.piece));
    column = add(column, remainder(within, layout.piece));
    Value rankInRow = layout.chunks == layout.chunksOfRow ? rank : remainder(rank, layout.chunksOfRow);
    column = add(column, multiply(rankInRow, layout.chunk));
    columnExists = both(less(rank, i32(layout.chunks)), less(column, i32(pattern.hidden)));
    head = divide(rank, layout.chunksOfRow);
  }

  /// Where the thread's element of a [hidden] or [head, hidden] tensor is, in bytes (i64) behind its base.
  Value elementOffset(Value tensor, AxesAttr axes) {
    Value element = column;
    if (axes.contains(Axis::Head))
      element = add(element, multiply(head, pattern.hidden));
    return multiply(widened(element), elementBytes(tensor));
  }

  Value loadElement(Value input) {
    Value address =
        add(emitAddress(builder, loc, interface.inputPointers.lookup(input)), elementOffset(input, axesOf(input)));
    // It may share its buffer with the result.
    Value loaded = access.load(VectorType::get({1}, elementOf(input)), {address, 0}, LoadPolicy::Ordered, columnExists);
    return vector::ExtractOp::create(builder, loc, loaded, int64_t(0));
  }

  void storeElement(Value value, Value address, int64_t offsetBytes, Value exists) {
    Value vector = vector::BroadcastOp::create(builder, loc, VectorType::get({1}, value.getType()), value);
    access.store(vector, {address, offsetBytes}, StorePolicy::Cached, exists);
  }

  Value valueOf(Value value) {
    if (Value known = values.lookup(value))
      return known;
    auto map = value.getDefiningOp<MapOp>();
    SmallVector<Value> operands = llvm::map_to_vector(map.getInputs(), [&](Value input) { return valueOf(input); });
    return values[value] = emitMapBody(builder, map, operands, /*width=*/0, *requireTarget(pattern.kernel));
  }

  OpBuilder &builder;
  Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  const FinalizeInterface &interface;
  PartialsLayout layout;
  FinalizeTile tileShape;
  VectorAccess access;
  int64_t width; ///< units that a warp reads of one set
  VectorType unit;
  Value thread, warp, tile, part, split; ///< i32
  Value ownUnit, rowOfWarp;              ///< i32: of the warp's units, and of its sets
  Value unitExists, unitBytes;           ///< i1 (null: it does); i64: where in a set it is
  Value firstSet;                        ///< i64
  int64_t setStep = 0;                   ///< sets from one of a thread to its next
  Value column, columnExists;            ///< i32, i1
  Value head;                            ///< i32: whose sums the thread has
  llvm::DenseMap<Value, Value> values;   ///< scalars of the kernel's column values
};

} // namespace

void fastnorm::emitFinalize(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                            const FinalizeInterface &interface) {
  FinalizeEmitter(builder, pattern, schedule, interface).run();
}
