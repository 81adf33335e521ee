//===- UnalignedVectors.cpp - Shifted vectors of a kernel's body -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where rows start anywhere, the vectors of a thread begin `shift` columns
// earlier, so that those of the anchor are aligned in memory.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fastnorm;

/// The pointer that a kernel reads or writes a value through.
static Value pointerOf(const AccessPattern &pattern, const KernelInterface &interface, Value value) {
  if (isa<BlockArgument>(value))
    return interface.inputPointers.lookup(value);
  OperandRange yielded = pattern.kernel.getBody().front().getTerminator()->getOperands();
  return interface.resultPointers[llvm::find(yielded, value) - yielded.begin()];
}

/// How many columns the anchor's row begins behind an aligned address.
void BodyEmitter::enterShiftedRow() {
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  Value anchor = pattern.anchor();
  shift = i32(0);
  if (!anchor || pattern.hasGroups)
    return;
  int64_t bytes = elementBytesOf(anchor);
  int64_t granule = std::min<int64_t>(16, schedule.getVectorWidth() * bytes);
  Value address = rowAddress.lookup(pointerOf(pattern, interface, anchor));
  Value past = arith::TruncIOp::create(builder, loc, builder.getI32Type(), address);
  past = arith::AndIOp::create(builder, loc, past, i32(granule - 1));
  shift = arith::DivUIOp::create(builder, loc, past, i32(bytes));
}

const VectorColumns &BodyEmitter::columnsOf(int64_t vector) {
  auto known = columns.find(vector);
  if (known != columns.end())
    return known->second;
  Value first = arith::MulIOp::create(builder, loc, position.lane, constant(schedule.getVectorWidth()));
  if (columnBase)
    first = arith::AddIOp::create(builder, loc, first, columnBase);
  int64_t apart = vector * schedule.getThreadsPerRow() * schedule.getVectorWidth();
  first = arith::AddIOp::create(builder, loc, first, constant(apart));
  first = arith::TruncIOp::create(builder, loc, builder.getI32Type(), first);
  first = arith::SubIOp::create(builder, loc, first, shift);
  return columns[vector] = unaligned.columns(first, schedule.getVectorWidth());
}

/// Strides that leave rows of two operands equally far from an aligned address.
static bool isCongruent(RowStride left, RowStride right, int64_t bytes) {
  // Those known at run time are multiples of 16 bytes, where anything is known at all.
  auto bytesOf = [&](RowStride stride) { return ShapedType::isDynamic(stride.elements) ? 0 : stride.elements * bytes; };
  return (bytesOf(left) - bytesOf(right)) % 16 == 0;
}

UnalignedRow BodyEmitter::unalignedRow(Value pointer, Value value, Value offset) {
  Value anchor = pattern.anchor();
  UnalignedRow row{rowAddress.lookup(pointer)};
  if (offset)
    row.address = arith::AddIOp::create(builder, loc, row.address, offset);
  int64_t bytes = elementBytesOf(value);
  if (!anchor || pattern.hasGroups || isTable(value) || elementBytesOf(anchor) != bytes)
    return row;
  RowLayout own = RowLayout::of(pattern.kernel, value), other = RowLayout::of(pattern.kernel, anchor);
  bool sameRows = own.innerRows == other.innerRows && isCongruent(own.outer, other.outer, bytes) &&
                  isCongruent(own.inner, other.inner, bytes);
  row.sharesPhase = value == anchor || (pattern.alignment == 16 && sameRows);
  return row;
}

void BodyEmitter::settle(Value value, int64_t vector, int64_t slot) {
  auto issued = pending.find({{value, vector}, slot});
  if (issued == pending.end())
    return;
  Value finished = unaligned.finish(issued->second);
  pending.erase(issued);
  (slot == kNoSlot ? vectors[{value, vector}] : gathered[{{value, vector}, slot}]) = finished;
}
