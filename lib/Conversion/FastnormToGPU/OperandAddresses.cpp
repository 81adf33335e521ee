//===- OperandAddresses.cpp - Where operands and their vectors lie -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"

#include "fastnorm/Analysis/RowLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fastnorm;

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
  int64_t bytes = elementBytes(operand);
  if (stride.elements == 0)
    return Value();
  if (!ShapedType::isDynamic(stride.elements))
    return arith::MulIOp::create(builder, loc, count, constant(stride.elements * bytes));
  Value elements = interface.strides.lookup({operand, stride.dimension});
  return arith::MulIOp::create(builder, loc, arith::MulIOp::create(builder, loc, count, elements), constant(bytes));
}

/// The address of a vector of a [hidden], [row, hidden] or gathered operand (there: of row 0).
VectorAddress BodyEmitter::addressOf(Value pointer, Value value, int64_t vector) {
  int64_t bytes = elementBytes(value);
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

Value BodyEmitter::rowStart(BlockArgument argument, Value row) {
  llvm::SaveAndRestore other(position.row, row);
  Value address = emitAddress(builder, loc, interface.inputPointers.lookup(argument));
  if (Value offset = rowOffsetBytes(argument))
    address = arith::AddIOp::create(builder, loc, address, offset);
  if (position.columnBase)
    address = arith::AddIOp::create(
        builder, loc, address,
        arith::MulIOp::create(builder, loc, position.columnBase, constant(elementBytes(argument))));
  return address;
}

/// Bytes from a table's base to one of its rows.
Value BodyEmitter::tableOffset(Value table, Value index) {
  Value offset = strided(table, index, RowLayout::of(pattern.kernel, table).outer);
  return offset ? offset : constant(0);
}

/// Bytes of a row of a table, or of a row's slots.
int64_t BodyEmitter::rowBytes(Value value) const {
  return cast<RankedTensorType>(value.getType()).getShape().back() * elementBytes(value);
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
