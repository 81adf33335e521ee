//===- BodyEmitter.cpp - A kernel's body, one vector of a row at a time -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"

#include "fastnorm/Analysis/RowLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fastnorm;

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

BodyEmitter::BodyEmitter(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                         const KernelInterface &interface, LoadPolicy streamedPolicy)
    : builder(builder), loc(interface.function->getLoc()), pattern(pattern), schedule(schedule), interface(interface),
      access(builder, loc), isShifted(pattern.isShifted(schedule)),
      unaligned(builder, loc, pattern.hidden, schedule.getVectorWidth()), streamedPolicy(streamedPolicy),
      target(interface.function->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(kTargetAttr)) {}

Value BodyEmitter::constant(int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
}

LoadPolicy BodyEmitter::allowed(LoadPolicy policy) const {
  return interface.isDependent && policy == LoadPolicy::ReadOnly ? LoadPolicy::Ordered : policy;
}

VectorType BodyEmitter::vectorOf(Value value) {
  return VectorType::get({schedule.getVectorWidth()}, tensorOf(value).getElementType());
}

int64_t BodyEmitter::elementBytesOf(Value value) const { return elementBytes(tensorOf(value).getElementType()); }

/// Bytes of a row of a table, or of a row's slots.
int64_t BodyEmitter::rowBytes(Value value) const { return tensorOf(value).getShape().back() * elementBytesOf(value); }

Value BodyEmitter::yielded(unsigned index) const {
  return pattern.kernel.getBody().front().getTerminator()->getOperand(index);
}

bool BodyEmitter::isVectorInput(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument &&
         (llvm::is_contained(pattern.streamed, argument) || llvm::is_contained(pattern.invariants, argument));
}

Value BodyEmitter::conjunction(Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(builder, loc, left, right);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

Value BodyEmitter::pointerAsInteger(Value pointer) {
  Value index = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, pointer);
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
}

Value BodyEmitter::rowOffsetBytes(Value value) {
  RowLayout layout = RowLayout::of(pattern.kernel, value);
  if (layout.innerRows == 1)
    return strided(value, position.row, layout.outer);
  Value innerRows = constant(layout.innerRows);
  Value outer = strided(value, arith::DivUIOp::create(builder, loc, position.row, innerRows), layout.outer);
  Value inner = strided(value, arith::RemUIOp::create(builder, loc, position.row, innerRows), layout.inner);
  return outer && inner ? arith::AddIOp::create(builder, loc, outer, inner) : outer ? outer : inner;
}

/// Bytes of `count` strides of an operand; null: none.
Value BodyEmitter::strided(Value operand, Value count, RowStride stride) {
  int64_t bytes = elementBytesOf(operand);
  if (stride.elements == 0)
    return Value();
  if (!ShapedType::isDynamic(stride.elements))
    return arith::MulIOp::create(builder, loc, count, constant(stride.elements * bytes));
  Value elements = interface.strides.lookup({operand, stride.dimension});
  return arith::MulIOp::create(builder, loc, arith::MulIOp::create(builder, loc, count, elements), constant(bytes));
}

/// The address of a vector of a [hidden], [row, hidden] or gathered operand (there: of row 0).
VectorAddress BodyEmitter::addressOf(Value pointer, Value value, int64_t vector) {
  int64_t bytes = elementBytesOf(value);
  int64_t vectorBytes = schedule.getVectorWidth() * bytes;
  Value &base = chunkAddress[pointer];
  if (!base) {
    base = rowAddress.lookup(pointer);
    if (columnBase)
      base =
          arith::AddIOp::create(builder, loc, base, arith::MulIOp::create(builder, loc, columnBase, constant(bytes)));
  }
  return {base, vector * schedule.getThreadsPerRow() * vectorBytes};
}

VectorAddress BodyEmitter::resultAddress(unsigned index, int64_t vector) {
  return addressOf(interface.resultPointers[index], yielded(index), vector);
}

Value BodyEmitter::insideRow(int64_t vector) {
  int64_t stride = schedule.getThreadsPerRow() * schedule.getVectorWidth();
  bool wholeChunks = pattern.hidden % schedule.getColumnChunk() == 0;
  if (wholeChunks || (!columnBase && (vector + 1) * stride <= pattern.hidden))
    return Value();
  Value &condition = inside[vector];
  if (!condition) {
    Value column = arith::MulIOp::create(builder, loc, position.lane, constant(schedule.getVectorWidth()));
    if (columnBase)
      column = arith::AddIOp::create(builder, loc, column, columnBase);
    condition = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, column,
                                      constant(pattern.hidden - vector * stride));
  }
  return condition;
}

//===----------------------------------------------------------------------===//
// Rows, chunks and phases
//===----------------------------------------------------------------------===//

void BodyEmitter::enterRow(const RowPosition &place, ArrayRef<Value> rowScalars) {
  position = place;
  scalars.clear();
  slotValues.clear();
  presentSlots.clear();
  // Row bases are 64-bit; the offset of a thread within its row is small.
  auto enter = [&](Value pointer, Value value) {
    Value address = pointerAsInteger(pointer);
    bool table = isTable(value);
    if (Value offset = table ? Value() : rowOffsetBytes(value))
      address = arith::AddIOp::create(builder, loc, address, offset);
    if (!isShifted && (table || axesOf(value).contains(Axis::Hidden))) {
      int64_t vectorBytes = schedule.getVectorWidth() * elementBytesOf(value);
      address = arith::AddIOp::create(builder, loc, address,
                                      arith::MulIOp::create(builder, loc, position.lane, constant(vectorBytes)));
    }
    rowAddress[pointer] = address;
  };
  for (BlockArgument argument : pattern.kernel.getBody().getArguments())
    enter(interface.inputPointers.lookup(argument), argument);
  for (auto [index, pointer] : llvm::enumerate(interface.resultPointers))
    enter(pointer, yielded(index));
  if (isShifted)
    enterShiftedRow();
  for (auto [argument, value] : llvm::zip(pattern.rowScalars, rowScalars))
    scalars[argument] = value;
  loadRowScalars();
  enterChunk(position.columnBase);
  // Held as they were loaded: unpacked forms would be merged over the rows.
  for (auto &[key, value] : held) {
    vectors[key] = value;
    waiting.insert(key);
  }
}

void BodyEmitter::setPosition(const RowPosition &place) {
  position = place;
  enterChunk(position.columnBase);
}

void BodyEmitter::holdInvariants(const RowPosition &place) {
  position = place;
  llvm::DenseSet<Value> ofAllRows;
  for (BlockArgument argument : pattern.invariants) {
    if (axesOf(argument).contains(Axis::Head))
      continue;
    ofAllRows.insert(argument);
    Value pointer = interface.inputPointers.lookup(argument);
    int64_t vectorBytes = schedule.getVectorWidth() * elementBytesOf(argument);
    rowAddress[pointer] =
        arith::AddIOp::create(builder, loc, pointerAsInteger(pointer),
                              arith::MulIOp::create(builder, loc, position.lane, constant(vectorBytes)));
  }
  enterChunk(position.columnBase);
  for (int64_t vector = 0; vector < schedule.getVectorsPerThread(); ++vector)
    issueInvariants(vector, LoadPolicy::ReadOnly, &ofAllRows);
  for (Value argument : ofAllRows)
    for (int64_t vector = 0; vector < schedule.getVectorsPerThread(); ++vector)
      held[{argument, vector}] = vectors.lookup({argument, vector});
}

SmallVector<Value> BodyEmitter::readRowScalars(Value row) {
  llvm::SaveAndRestore other(position.row, row);
  SmallVector<Value> values;
  for (BlockArgument argument : pattern.rowScalars)
    values.push_back(readRowScalar(argument));
  return values;
}

Value BodyEmitter::rowStart(BlockArgument argument, Value row) {
  llvm::SaveAndRestore other(position.row, row);
  Value address = pointerAsInteger(interface.inputPointers.lookup(argument));
  if (Value offset = rowOffsetBytes(argument))
    address = arith::AddIOp::create(builder, loc, address, offset);
  if (position.columnBase)
    address = arith::AddIOp::create(
        builder, loc, address,
        arith::MulIOp::create(builder, loc, position.columnBase, constant(elementBytesOf(argument))));
  return address;
}

void BodyEmitter::enterChunk(Value base) {
  columnBase = base;
  chunkAddress.clear();
  vectors.clear();
  gathered.clear();
  inside.clear();
  columns.clear();
  firstColumn = Value();
  shiftedRows.clear();
  pending.clear();
  incomplete.clear();
  waiting.clear();
}

void BodyEmitter::enterPhase(int64_t phase) {
  currentPhase = phase;
  llvm::DenseMap<VectorKey, Value> kept;
  for (auto &[key, value] : vectors) {
    bool crosses = pattern.crossing.contains(key.first) && pattern.phaseOf(key.first) < phase;
    auto argument = dyn_cast<BlockArgument>(key.first);
    bool invariant = argument && llvm::is_contained(pattern.invariants, argument);
    if (crosses || invariant)
      kept[key] = value;
    if (crosses && schedule.getKeep() == Keep::Packed && elementBytesOf(key.first) < 4)
      waiting.insert(key);
  }
  vectors = kept;
  gathered.clear();
  // What was issued and not used yet waits as it is.
  llvm::DenseMap<PendingKey, PendingVector> stillPending;
  for (auto &[key, value] : pending)
    if (key.second == kNoSlot)
      stillPending[key] = value;
  pending = stillPending;
}

Value BodyEmitter::readRowScalar(BlockArgument argument) {
  Value address = pointerAsInteger(interface.inputPointers.lookup(argument));
  if (Value offset = rowOffsetBytes(argument))
    address = arith::AddIOp::create(builder, loc, address, offset);
  auto type = VectorType::get({1}, tensorOf(argument).getElementType());
  Value loaded = access.load(type, {address, 0}, allowed(LoadPolicy::ReadOnly), Value());
  return vector::ExtractOp::create(builder, loc, loaded, int64_t(0));
}

void BodyEmitter::loadRowScalars() {
  for (BlockArgument argument : pattern.slotScalars)
    loadSlotScalars(argument);
  for (BlockArgument argument : pattern.rowScalars)
    if (!scalars.contains(argument))
      scalars[argument] = readRowScalar(argument);
  // What a gather needs of its index, and slot scalars that maps compute: all before the first row is asked for.
  for (GatherOp gather : llvm::concat<const GatherOp>(pattern.gathers, pattern.rowGathers))
    resolveIndex(gather);
  computeScalars(/*phase=*/0);
}

/// Bytes from a table's base to one of its rows.
Value BodyEmitter::tableOffset(Value table, Value index) {
  Value offset = strided(table, index, RowLayout::of(pattern.kernel, table).outer);
  return offset ? offset : constant(0);
}

/// Where the rows of a gather lie and which of them exist.
void BodyEmitter::resolveIndex(GatherOp gather) {
  bool hasSlots = llvm::is_contained(pattern.gathers, gather);
  SmallVector<Value> indices(hasSlots ? slotScalars(gather.getIndex()) : ArrayRef<Value>(scalar(gather.getIndex())));
  Value rows = interface.tableRows.lookup(gather.getTable());
  SmallVector<Value> &present = presentSlots[gather.getResult()];
  for (auto [slot, index] : llvm::enumerate(indices)) {
    if (!index.getType().isInteger(64))
      index = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), index);
    // Unsigned: a negative index is past the last row too.
    present.push_back(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index, rows));
    slotOffset[{gather.getResult(), slot}] = tableOffset(gather.getTable(), index);
  }
  if (gather.getPresent() && hasSlots)
    slotValues[gather.getPresent()] = present;
  else if (gather.getPresent())
    scalars[gather.getPresent()] = present[0];
}

/// All maps to [row] and [row, slot] of a phase: outside of the loops that use them.
void BodyEmitter::computeScalars(int64_t phase) {
  for (MapOp map : pattern.kernel.getBody().getOps<MapOp>()) {
    if (pattern.phaseOf(map.getResult()) != phase || variesAlongHidden(map.getResultAxes()))
      continue;
    if (map.getResultAxes().contains(Axis::Slot))
      (void)slotScalars(map.getResult());
    else
      (void)scalar(map.getResult());
  }
}

/// All slots of a row in the widest loads that their alignment allows; the threads of a row read the same.
void BodyEmitter::loadSlotScalars(BlockArgument argument) {
  Type element = tensorOf(argument).getElementType();
  int64_t bytes = elementBytes(element);
  // What every row starts at a multiple of, and divides its bytes.
  int64_t accessBytes = RowLayout::of(pattern.kernel, argument).alignmentBytes(bytes, pattern.alignment);
  accessBytes = std::max(accessBytes, bytes);
  accessBytes = std::min<int64_t>(accessBytes, rowBytes(argument) & -rowBytes(argument));
  int64_t perAccess = std::max<int64_t>(1, accessBytes / bytes);
  SmallVector<Value> &values = slotValues[argument];
  Value base = rowAddress.lookup(interface.inputPointers.lookup(argument));
  for (int64_t slot = 0; slot < pattern.slots; slot += perAccess) {
    auto type = VectorType::get({perAccess}, element);
    Value loaded = access.load(type, {base, slot * bytes}, allowed(LoadPolicy::ReadOnly), Value());
    auto elements = vector::ToElementsOp::create(builder, loc, loaded);
    llvm::append_range(values, elements.getResults());
  }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

int64_t BodyEmitter::slotGroup() const {
  int64_t inFlight = schedule.getSlotsInFlight();
  return pattern.slots <= inFlight ? pattern.slots : std::max<int64_t>(1, inFlight / 2);
}

void BodyEmitter::issueVector(Value value, int64_t vector, Value offset, LoadPolicy policy, Value predicate,
                              int64_t slot) {
  auto gather = value.getDefiningOp<GatherOp>();
  Value input = gather ? gather.getTable() : value;
  if (isShifted)
    return issueShifted(value, input, vector, offset, policy, predicate, slot);
  VectorAddress address = addressOf(interface.inputPointers.lookup(input), input, vector);
  if (offset)
    address.base = arith::AddIOp::create(builder, loc, address.base, offset);
  Value loaded = access.load(vectorOf(input), address, policy, conjunction(predicate, insideRow(vector)));
  (slot == kNoSlot ? vectors[{value, vector}] : gathered[{{value, vector}, slot}]) = loaded;
}

void BodyEmitter::issueSlot(GatherOp gather, int64_t vector, int64_t slot) {
  issueVector(gather.getResult(), vector, slotOffset.lookup({gather.getResult(), slot}), streamedPolicy,
              presentSlots[gather.getResult()][slot], slot);
}

void BodyEmitter::issueLoads(int64_t vector, const llvm::DenseSet<Value> *only) {
  for (GatherOp gather : pattern.gathers)
    for (int64_t slot = 0;
         (!only || only->contains(gather.getResult())) && slot < std::min(pattern.slots, 2 * slotGroup()); ++slot)
      issueSlot(gather, vector, slot);
  for (GatherOp gather : pattern.rowGathers)
    if (!only || only->contains(gather.getResult()))
      issueVector(gather.getResult(), vector, slotOffset.lookup({gather.getResult(), 0}), streamedPolicy,
                  presentSlots[gather.getResult()][0]);
  for (BlockArgument argument : pattern.groupScalars) {
    if (only && !only->contains(argument))
      continue;
    VectorAddress address = groupAddress(interface.inputPointers.lookup(argument), argument, vector);
    Value loaded = access.load(VectorType::get({1}, tensorOf(argument).getElementType()), address,
                               allowed(LoadPolicy::ReadOnly), insideRow(vector));
    vectors[{argument, vector}] = vector::ExtractOp::create(builder, loc, loaded, int64_t(0));
  }
  for (BlockArgument argument : pattern.streamed) {
    if (only && !only->contains(argument))
      continue;
    if (ring)
      vectors[{argument, vector}] = ring->load(argument, vectorOf(argument), vector, insideRow(vector));
    else
      issueVector(argument, vector, /*offset=*/Value(), streamedPolicy, /*predicate=*/Value());
  }
}

void BodyEmitter::issueInvariants(int64_t vector, LoadPolicy policy, const llvm::DenseSet<Value> *only) {
  for (BlockArgument argument : pattern.invariants) {
    if ((only && !only->contains(argument)) || held.contains({argument, vector}))
      continue;
    issueVector(argument, vector, /*offset=*/Value(), allowed(policy), /*predicate=*/Value());
  }
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

SmallVector<Value> BodyEmitter::startPartials(int64_t phase) {
  SmallVector<Value> partials;
  for (ReduceOp reduce : pattern.rowReductions)
    if (pattern.phaseOfOp(reduce) == phase)
      partials.push_back(emitIdentity(builder, loc, reduce.getCombiner()));
  return partials;
}

/// One chain over the elements: the order is fixed. Elements past the row leave the partial as it was.
Value BodyEmitter::accumulate(ReduceOp reduce, int64_t vector, Value partial) {
  Value input = vectorValue(reduce.getInput(), vector);
  auto elements = vector::ToElementsOp::create(builder, loc, input);
  if (isShifted)
    return accumulateShifted(reduce, elements.getResults(), vector, partial);
  Value sum = partial;
  for (Value element : elements.getResults())
    sum = emitCombine(builder, loc, reduce.getCombiner(), sum, element, /*contract=*/true);
  if (Value condition = insideRow(vector))
    sum = arith::SelectOp::create(builder, loc, condition, sum, partial);
  return sum;
}

SmallVector<Value> BodyEmitter::startColumns() {
  auto type = VectorType::get({schedule.getVectorWidth()}, builder.getF32Type());
  SmallVector<Value> identities;
  for (ReduceOp reduce : pattern.columnReductions)
    identities.append(
        schedule.getVectorsPerThread(),
        vector::BroadcastOp::create(builder, loc, type, emitIdentity(builder, loc, reduce.getCombiner())));
  return identities;
}

void BodyEmitter::pinColumns() {
  for (Value &sum : columnSums)
    sum = access.opaque(sum);
}

/// Columns past the row gather what nobody reads.
void BodyEmitter::accumulateColumns(int64_t phase, int64_t vector) {
  for (auto [number, reduce] : llvm::enumerate(SmallVector<ReduceOp>(pattern.columnReductions))) {
    if (pattern.phaseOfOp(reduce) != phase)
      continue;
    Value &sum = columnSums[number * schedule.getVectorsPerThread() + vector];
    Value next = emitCombine(builder, loc, reduce.getCombiner(), sum, vectorValue(reduce.getInput(), vector),
                             /*contract=*/true);
    sum = position.rowExists ? Value(arith::SelectOp::create(builder, loc, position.rowExists, next, sum)) : next;
  }
}

void BodyEmitter::computePhase(int64_t phase, int64_t vector, SmallVectorImpl<Value> &partials) {
  for (Value value : pattern.crossing) {
    if (pattern.phaseOf(value) != phase || isVectorInput(value))
      continue;
    if (axesOf(value).contains(Axis::Group))
      groupValue(value, vector);
    else
      vectorValue(value, vector);
  }
  auto partial = partials.begin();
  for (ReduceOp reduce : pattern.rowReductions)
    if (pattern.phaseOfOp(reduce) == phase) {
      *partial = accumulate(reduce, vector, *partial);
      ++partial;
    }
  accumulateColumns(phase, vector);
  Operation *yield = pattern.kernel.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(yield->getOperands()))
    if (pattern.phaseOf(value) == phase && axesOf(value).areRowsAnd({Axis::Hidden}))
      storeVector(index, vector);
    else if (pattern.phaseOf(value) == phase && axesOf(value).contains(Axis::Group))
      storeGroup(index, vector);
}

SmallVector<Value> BodyEmitter::reducePartials(int64_t phase, ArrayRef<Value> partials) {
  SmallVector<PartialReduction> pending;
  for (auto [number, reduce] : llvm::enumerate(SmallVector<ReduceOp>(pattern.rowReductions)))
    if (pattern.phaseOfOp(reduce) == phase)
      pending.push_back({reduce.getCombiner(), partials[pending.size()], static_cast<int64_t>(number)});
  return pending.empty() ? SmallVector<Value>()
                         : emitRowReductions(builder, interface, schedule, position, pending, exchange);
}

void BodyEmitter::enterTotals(int64_t phase, ArrayRef<Value> totals) {
  for (ReduceOp reduce : pattern.rowReductions)
    if (pattern.phaseOfOp(reduce) == phase) {
      scalars[reduce.getResult()] = totals.front();
      totals = totals.drop_front();
    }
  computeScalars(phase + 1);
}

void BodyEmitter::finishPhase(int64_t phase, ArrayRef<Value> partials) {
  enterTotals(phase, reducePartials(phase, partials));
  storeRowResults(phase + 1);
}

void BodyEmitter::storeVector(unsigned resultIndex, int64_t vector) {
  StorePolicy policy = schedule.getStores() == Stores::Streaming ? StorePolicy::Streaming : StorePolicy::Cached;
  Value value = yielded(resultIndex);
  if (isShifted)
    return storeShifted(vectorValue(value, vector), interface.resultPointers[resultIndex], value, vector, policy);
  access.store(vectorValue(value, vector), resultAddress(resultIndex, vector), policy,
               conjunction(position.rowExists, insideRow(vector)));
}

/// [row] results: by the first thread of the row.
void BodyEmitter::storeRowResults(int64_t phase) {
  Operation *yield = pattern.kernel.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(yield->getOperands())) {
    if (!axesOf(value).areRowsAnd({}) || pattern.phaseOf(value) != phase)
      continue;
    Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, position.lane, constant(0));
    if (position.columnBase)
      isFirst = conjunction(
          isFirst, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, position.columnBase, constant(0)));
    auto type = VectorType::get({1}, tensorOf(value).getElementType());
    Value vector = vector::BroadcastOp::create(builder, loc, type, scalar(value));
    access.store(vector, {rowAddress.lookup(interface.resultPointers[index]), 0}, StorePolicy::Cached,
                 conjunction(position.rowExists, isFirst));
  }
}
