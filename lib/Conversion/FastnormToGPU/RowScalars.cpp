//===- RowScalars.cpp - Scalars of rows and slots, and what gathers need of them -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"

#include "fastnorm/Analysis/RowLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fastnorm;

SmallVector<Value> BodyEmitter::readRowScalars(Value row) {
  llvm::SaveAndRestore other(position.row, row);
  SmallVector<Value> values;
  for (BlockArgument argument : pattern.rowScalars)
    values.push_back(readRowScalar(argument));
  return values;
}

Value BodyEmitter::readRowScalar(BlockArgument argument) {
  Value address = emitAddress(builder, loc, interface.inputPointers.lookup(argument));
  if (Value offset = rowOffsetBytes(argument))
    address = arith::AddIOp::create(builder, loc, address, offset);
  auto type = VectorType::get({1}, cast<RankedTensorType>(argument.getType()).getElementType());
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
  for (GatherOp gather : llvm::concat<const GatherOp>(pattern.gathers, pattern.rowGathers)) {
    resolveIndex(gather.getResult(), gather.getTable(), gather.getIndex());
    SmallVector<Value> present = presentSlots[gather.getResult()];
    if (gather.getPresent() && axesOf(gather.getIndex()).contains(Axis::Slot))
      slotValues[gather.getPresent()] = present;
    else if (gather.getPresent())
      scalars[gather.getPresent()] = present[0];
  }
  for (ScatterOp scatter : pattern.scatters)
    resolveIndex(scatter.getResult(), scatter.getResult(), scatter.getIndex());
  computeScalars(/*phase=*/0);
}

/// Where the rows of a table lie that an index names, for a result of a gather or scatter, and which of them exist.
void BodyEmitter::resolveIndex(Value result, Value table, Value index) {
  bool hasSlots = axesOf(index).contains(Axis::Slot);
  SmallVector<Value> named(hasSlots ? slotScalars(index) : ArrayRef<Value>(scalar(index)));
  Value rows = interface.tableRows.lookup(table);
  SmallVector<Value> &present = presentSlots[result];
  for (auto [slot, row] : llvm::enumerate(named)) {
    if (!row.getType().isInteger(64))
      row = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), row);
    // Unsigned: a negative index is past the last row too.
    present.push_back(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, row, rows));
    slotRow[{result, slot}] = row;
    slotOffset[{result, slot}] = tableOffset(table, row);
  }
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

int64_t BodyEmitter::slotAccessBytes(Value value) const {
  int64_t bytes = elementBytes(value);
  // What every row starts at a multiple of, and divides its bytes.
  int64_t aligned = RowLayout::of(pattern.kernel, value).alignmentBytes(bytes, pattern.alignment);
  return std::min<int64_t>(std::max(aligned, bytes), rowBytes(value) & -rowBytes(value));
}

/// All slots of a row in the widest loads that their alignment allows; the threads of a row read the same.
void BodyEmitter::loadSlotScalars(BlockArgument argument) {
  Type element = cast<RankedTensorType>(argument.getType()).getElementType();
  int64_t bytes = elementBytes(element);
  SmallVector<Value> &values = slotValues[argument];
  Value base = rowAddress.lookup(interface.inputPointers.lookup(argument));
  if (onlySlot)
    base = arith::AddIOp::create(builder, loc, base, arith::MulIOp::create(builder, loc, onlySlot, constant(bytes)));
  int64_t perAccess = onlySlot ? 1 : std::max<int64_t>(1, slotAccessBytes(argument) / bytes);
  for (int64_t slot = 0; slot < slotCount(); slot += perAccess) {
    auto type = VectorType::get({perAccess}, element);
    Value loaded = access.load(type, {base, slot * bytes}, allowed(LoadPolicy::ReadOnly), Value());
    auto elements = vector::ToElementsOp::create(builder, loc, loaded);
    llvm::append_range(values, elements.getResults());
  }
}

/// Likewise, all slots of a result's row.
void BodyEmitter::storeSlotScalars(unsigned resultIndex, Value predicate) {
  Value value = yielded(resultIndex);
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  int64_t bytes = elementBytes(element);
  int64_t perAccess = std::max<int64_t>(1, slotAccessBytes(value) / bytes);
  Value base = rowAddress.lookup(interface.resultPointers[resultIndex]);
  SmallVector<Value> values(slotScalars(value));
  for (int64_t slot = 0; slot < slotCount(); slot += perAccess) {
    Value vector = vector::FromElementsOp::create(builder, loc, VectorType::get({perAccess}, element),
                                                  ArrayRef<Value>(values).slice(slot, perAccess));
    access.store(vector, {base, slot * bytes}, StorePolicy::Cached, predicate);
  }
}
