//===- ScatteredValues.cpp - What a kernel's body makes of each slot -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of slots over hidden, and rows that go where an index says.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "ElementConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fastnorm;

static bool hasSlots(Value index) { return axesOf(index).contains(Axis::Slot); }

/// Slot by slot, so that a slot's row is read once for all that is made of it.
void BodyEmitter::computeSlots(int64_t phase, int64_t vector, MutableArrayRef<Value> partials) {
  // The sums of a phase with the places of their partials.
  SmallVector<std::pair<AccessPattern::RowSum, Value *>> sums;
  for (auto [number, partial] : llvm::zip(pattern.rowSumsOf(phase), partials)) {
    AccessPattern::RowSum sum = pattern.rowSums[number];
    if (sum.reduce.getOperandAxes().contains(Axis::Slot))
      sums.emplace_back(sum, &partial);
  }
  bool scattersSlots = false;
  for (ScatterOp scatter : pattern.scatters) {
    if (pattern.phaseOfOp(scatter) != phase)
      continue;
    if (hasSlots(scatter.getIndex()))
      scattersSlots = true;
    else
      storeScattered(scatter, vectorValue(scatter.getRows(), vector), vector, 0);
  }
  if (sums.empty() && !scattersSlots)
    return;
  for (int64_t slot = 0; slot < slotCount(); ++slot) {
    for (auto [sum, place] : sums)
      if (ReduceOp reduce = sum.reduce; sum.slot == slot)
        *place = accumulate(reduce, slotVector(reduce.getInput(), vector, slot), vector, *place);
    for (ScatterOp scatter : pattern.scatters)
      if (pattern.phaseOfOp(scatter) == phase && hasSlots(scatter.getIndex()))
        storeScattered(scatter, slotVector(scatter.getRows(), vector, slot), vector, slot);
    issueNextSlots(vector, slot);
  }
}

Value BodyEmitter::resultPointer(Value yieldedValue) const {
  OperandRange values = pattern.kernel.getBody().front().getTerminator()->getOperands();
  return interface.resultPointers[llvm::find(values, yieldedValue) - values.begin()];
}

Value BodyEmitter::storable(Value elements, Value value) {
  Type from = cast<VectorType>(elements.getType()).getElementType();
  Type to = cast<RankedTensorType>(value.getType()).getElementType();
  if (from == to)
    return elements;
  Value wide = from.isF32() ? elements : emitWiden(builder, loc, elements);
  return to.isF32() ? wide : emitNarrow(builder, loc, wide, to, target);
}

void BodyEmitter::storeScattered(ScatterOp scatter, Value elements, int64_t vector, int64_t slot) {
  Value result = scatter.getResult();
  Value stored = storable(elements, result);
  Value offset = slotOffset.lookup({result, slot});
  Value predicate = conjunction(position.rowExists, presentSlots[result][slot]);
  if (isShifted)
    return storeShifted(stored, resultPointer(result), result, vector, offset, predicate);
  VectorAddress address = addressOf(resultPointer(result), result, vector);
  address.base = arith::AddIOp::create(builder, loc, address.base, offset);
  access.store(stored, address, storePolicy(), conjunction(predicate, insideRow(vector)));
}

Value BodyEmitter::scatteredVector(ScatterOp scatter, int64_t vector) {
  Value elements =
      hasSlots(scatter.getIndex()) ? slotVector(scatter.getRows(), vector, 0) : vectorValue(scatter.getRows(), vector);
  return cast<VectorType>(elements.getType()).getElementType().isF32() ? elements : emitWiden(builder, loc, elements);
}

void BodyEmitter::storeTableRow(ScatterOp scatter, Value row, int64_t vector, Value elements) {
  Value result = scatter.getResult();
  Value pointer = resultPointer(result);
  Value column = arith::MulIOp::create(builder, loc, position.lane, constant(schedule.getVectorWidth()));
  Value lane = arith::MulIOp::create(builder, loc, column, constant(elementBytes(result)));
  rowAddress[pointer] = arith::AddIOp::create(builder, loc, emitAddress(builder, loc, pointer), lane);
  VectorAddress address = addressOf(pointer, result, vector);
  address.base = arith::AddIOp::create(builder, loc, address.base, tableOffset(result, row));
  access.store(storable(elements, result), address, storePolicy(), conjunction(position.rowExists, insideRow(vector)));
}
