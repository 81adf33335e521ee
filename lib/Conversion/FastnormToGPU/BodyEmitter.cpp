//===- BodyEmitter.cpp - A kernel's body, one vector of a row at a time -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

Value BodyEmitter::yielded(unsigned index) const {
  return pattern.kernel.getBody().front().getTerminator()->getOperand(index);
}

bool BodyEmitter::isVectorInput(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument &&
         (llvm::is_contained(pattern.streamed, argument) || llvm::is_contained(pattern.invariants, argument) ||
          llvm::is_contained(pattern.groupScalars, argument));
}

Value BodyEmitter::conjunction(Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(builder, loc, left, right);
}

//===----------------------------------------------------------------------===//
// Rows, chunks and phases
//===----------------------------------------------------------------------===//

void BodyEmitter::enterRow(const RowPosition &place, ArrayRef<Value> rowScalars, Value slot) {
  position = place;
  onlySlot = slot;
  scalars.clear();
  slotValues.clear();
  presentSlots.clear();
  // Row bases are 64-bit; the offset of a thread within its row is small.
  auto enter = [&](Value pointer, Value value) {
    Value address = emitAddress(builder, loc, pointer);
    bool table = isTable(value);
    if (Value offset = table ? Value() : rowOffsetBytes(value))
      address = arith::AddIOp::create(builder, loc, address, offset);
    if (!isShifted && (table || axesOf(value).contains(Axis::Hidden))) {
      int64_t vectorBytes = schedule.getVectorWidth() * elementBytes(value);
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
    bool isOfHead = axesOf(argument).contains(Axis::Head);
    if (isOfHead && pattern.columnHeads == 1)
      continue;
    ofAllRows.insert(argument);
    Value pointer = interface.inputPointers.lookup(argument);
    int64_t vectorBytes = schedule.getVectorWidth() * elementBytes(argument);
    rowAddress[pointer] =
        arith::AddIOp::create(builder, loc, emitAddress(builder, loc, pointer),
                              arith::MulIOp::create(builder, loc, position.lane, constant(vectorBytes)));
    if (isOfHead)
      rowAddress[pointer] = arith::AddIOp::create(builder, loc, rowAddress[pointer], rowOffsetBytes(argument));
  }
  enterChunk(position.columnBase);
  for (int64_t vector = 0; vector < schedule.getVectorsPerThread(); ++vector)
    issueInvariants(vector, LoadPolicy::ReadOnly, &ofAllRows);
  for (Value argument : ofAllRows)
    for (int64_t vector = 0; vector < schedule.getVectorsPerThread(); ++vector)
      held[{argument, vector}] = vectors.lookup({argument, vector});
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
    if (crosses && schedule.getKeep() == Keep::Packed && elementBytes(key.first) < 4)
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

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

int64_t BodyEmitter::slotGroup() const {
  int64_t inFlight = schedule.getSlotsInFlight();
  return slotCount() <= inFlight ? slotCount() : std::max<int64_t>(1, inFlight / 2);
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
         (!only || only->contains(gather.getResult())) && slot < std::min(slotCount(), 2 * slotGroup()); ++slot)
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
  for (int64_t number : pattern.rowSumsOf(phase)) {
    ReduceOp reduce = pattern.rowSums[number].reduce;
    partials.push_back(emitIdentity(builder, loc, reduce.getCombiner()));
  }
  return partials;
}

/// One chain over the elements: the order is fixed. Elements past the row leave the partial as it was.
Value BodyEmitter::accumulate(ReduceOp reduce, Value input, int64_t vector, Value partial) {
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
  if (sharedColumns)
    return {};
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
void BodyEmitter::accumulateColumns(ReduceOp reduce, int64_t number, int64_t vector) {
  Value input = vectorValue(reduce.getInput(), vector);
  int64_t place = number * schedule.getVectorsPerThread() + vector;
  Value sum = sharedColumns ? sharedColumns->load(number, vector) : columnSums[place];
  Value next = emitCombine(builder, loc, reduce.getCombiner(), sum, input, /*contract=*/true);
  if (position.rowExists)
    next = arith::SelectOp::create(builder, loc, position.rowExists, next, sum);
  if (sharedColumns)
    sharedColumns->store(number, vector, next);
  else
    columnSums[place] = next;
}

void BodyEmitter::accumulateRows(int64_t phase, int64_t vector, SmallVectorImpl<Value> &partials) {
  for (auto [number, partial] : llvm::zip(pattern.rowSumsOf(phase), partials)) {
    ReduceOp reduce = pattern.rowSums[number].reduce;
    if (!reduce.getOperandAxes().contains(Axis::Slot))
      partial = accumulate(reduce, vectorValue(reduce.getInput(), vector), vector, partial);
  }
}

void BodyEmitter::storeOutput(unsigned resultIndex, Value value, int64_t vector) {
  if (isScattered(value))
    return;
  if (axesOf(value).areRowsAnd({Axis::Hidden}))
    storeVector(resultIndex, vector);
  else if (axesOf(value).contains(Axis::Group))
    storeGroup(resultIndex, vector);
}

void BodyEmitter::computePhase(int64_t phase, int64_t vector, SmallVectorImpl<Value> &partials) {
  // Where the next phase reads rows again it computes them again, too, and here their inputs may not have been read.
  bool keepsRow = schedule.getKind() != ScheduleKind::TwoPass && schedule.getScope() != RowScope::Grid;
  for (Value value : pattern.crossing) {
    if (!keepsRow || pattern.phaseOf(value) != phase || isVectorInput(value))
      continue;
    if (axesOf(value).contains(Axis::Group))
      groupValue(value, vector);
    else
      vectorValue(value, vector);
  }
  accumulateRows(phase, vector, partials);
  computeSlots(phase, vector, partials);
  for (auto [number, reduce] : llvm::enumerate(SmallVector<ReduceOp>(pattern.columnReductions)))
    if (pattern.phaseOfOp(reduce) == phase)
      accumulateColumns(reduce, static_cast<int64_t>(number), vector);
  Operation *yield = pattern.kernel.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(yield->getOperands()))
    if (pattern.phaseOf(value) == phase)
      storeOutput(index, value, vector);
}

void BodyEmitter::computeOutputs(int64_t vector) {
  for (auto [number, reduce] : llvm::enumerate(SmallVector<ReduceOp>(pattern.columnReductions)))
    accumulateColumns(reduce, static_cast<int64_t>(number), vector);
  Operation *yield = pattern.kernel.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(yield->getOperands()))
    storeOutput(index, value, vector);
}

SmallVector<Value> BodyEmitter::reducePartials(int64_t phase, ArrayRef<Value> partials) {
  SmallVector<PartialReduction> pending;
  for (auto [number, partial] : llvm::zip(pattern.rowSumsOf(phase), partials)) {
    ReduceOp reduce = pattern.rowSums[number].reduce;
    pending.push_back({reduce.getCombiner(), partial, number});
  }
  return pending.empty()
             ? SmallVector<Value>()
             : emitRowReductions(builder, interface, schedule, position, pending, exchange, endsInScalars(phase));
}

/// Whether a row that a CTA works on once has nothing behind a phase's reductions but [row] and [row, slot] results,
/// which its first thread stores. (Gradients of 8 slots at 7168: 14 warps that all read 8 x 14 sums took 0.9 us of 5.)
bool BodyEmitter::endsInScalars(int64_t phase) const {
  return schedule.getKind() == ScheduleKind::PerRow && schedule.getScope() == RowScope::Cta &&
         !schedule.isPersistent() && phase + 2 == pattern.phases && pattern.neededIn(phase + 1).empty();
}

void BodyEmitter::enterTotals(int64_t phase, ArrayRef<Value> totals) {
  for (auto [number, total] : llvm::zip(pattern.rowSumsOf(phase), totals)) {
    ReduceOp reduce = pattern.rowSums[number].reduce;
    if (reduce.getOperandAxes().contains(Axis::Slot))
      slotValues[reduce.getResult()].push_back(total);
    else
      scalars[reduce.getResult()] = total;
  }
  computeScalars(phase + 1);
}

void BodyEmitter::finishPhase(int64_t phase, ArrayRef<Value> partials) {
  enterTotals(phase, reducePartials(phase, partials));
  storeRowResults(phase + 1);
}

void BodyEmitter::storeVector(unsigned resultIndex, int64_t vector) {
  Value value = yielded(resultIndex);
  if (isShifted)
    return storeShifted(vectorValue(value, vector), interface.resultPointers[resultIndex], value, vector,
                        /*offset=*/Value(), position.rowExists);
  access.store(vectorValue(value, vector), resultAddress(resultIndex, vector), storePolicy(),
               conjunction(position.rowExists, insideRow(vector)));
}

/// [row] and [row, slot] results: by the first thread of the row.
void BodyEmitter::storeRowResults(int64_t phase) {
  Operation *yield = pattern.kernel.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(yield->getOperands())) {
    bool hasSlots = !isScattered(value) && axesOf(value).areRowsAnd({Axis::Slot});
    if (isScattered(value) || pattern.phaseOf(value) != phase || (!hasSlots && !axesOf(value).areRowsAnd({})))
      continue;
    Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, position.lane, constant(0));
    if (position.columnBase)
      isFirst = conjunction(
          isFirst, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, position.columnBase, constant(0)));
    isFirst = conjunction(position.rowExists, isFirst);
    if (hasSlots) {
      storeSlotScalars(index, isFirst);
      continue;
    }
    auto type = VectorType::get({1}, tensorOf(value).getElementType());
    Value vector = vector::BroadcastOp::create(builder, loc, type, scalar(value));
    access.store(vector, {rowAddress.lookup(interface.resultPointers[index]), 0}, StorePolicy::Cached, isFirst);
  }
}
