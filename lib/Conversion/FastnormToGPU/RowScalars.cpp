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
  Value address = pointerAsInteger(interface.inputPointers.lookup(argument));
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
  for (GatherOp gather : llvm::concat<const GatherOp>(pattern.gathers, pattern.rowGathers))
    resolveIndex(gather);
  computeScalars(/*phase=*/0);
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
  Type element = cast<RankedTensorType>(argument.getType()).getElementType();
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
