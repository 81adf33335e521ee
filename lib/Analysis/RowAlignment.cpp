//===- RowAlignment.cpp - Where the vectors of rows are aligned -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/AccessPattern.h"

#include "fastnorm/Analysis/RowLayout.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

int64_t AccessPattern::coveredColumns(ScheduleAttr schedule) const {
  // Vectors of groups begin with their groups, shifted or not.
  return isShifted(schedule) && !hasGroups ? hidden + schedule.getVectorWidth() - 1 : hidden;
}

int64_t AccessPattern::columnChunks(ScheduleAttr schedule) const {
  return llvm::divideCeil(coveredColumns(schedule), schedule.getColumnChunk());
}

Value AccessPattern::anchor() const {
  for (Value yielded : kernel.getBody().front().getTerminator()->getOperands())
    if (!isScattered(yielded) && axesOf(yielded).areRowsAnd({Axis::Hidden}))
      return yielded;
  return streamed.empty() ? Value() : Value(streamed.front());
}

bool AccessPattern::liesAsAnchor(Value value, ScheduleAttr schedule) const {
  Value other = anchor();
  if (!other || hasGroups || isTable(value))
    return false;
  if (value == other)
    return true;
  // Columns between aligned places; bases that are multiples of 16 bytes are such places.
  auto period = [&](Value operand) { return std::min<int64_t>(schedule.getVectorWidth(), 16 / elementBytes(operand)); };
  if (alignment < 16 || period(value) > period(other))
    return false;
  auto isCongruent = [&](RowStride left, RowStride right) {
    // Those known at run time are multiples of 16 bytes.
    auto past = [](RowStride stride) { return ShapedType::isDynamic(stride.elements) ? 0 : stride.elements; };
    return (past(left) - past(right)) % period(value) == 0;
  };
  RowLayout own = RowLayout::of(kernel, value), others = RowLayout::of(kernel, other);
  return own.innerRows == others.innerRows && isCongruent(own.outer, others.outer) &&
         isCongruent(own.inner, others.inner);
}

/// How far apart rows may be for vectors to be aligned in all of them.
void AccessPattern::placeRows() {
  Block &block = kernel.getBody().front();
  if (auto function = kernel->getParentOfType<FunctionOpInterface>())
    if (auto given = function->getAttrOfType<IntegerAttr>(kAlignmentAttr))
      alignment = given.getInt();
  alignedElements = int64_t(1) << llvm::countr_zero(static_cast<uint64_t>(hidden));
  SmallVector<Value> operands(block.getArguments());
  llvm::append_range(operands, block.getTerminator()->getOperands());
  for (Value value : operands) {
    AxesAttr axes = axesOf(value);
    RowLayout layout = RowLayout::of(kernel, value);
    if (!layout.reachesAllRows)
      unsupported.emplace_back(kernel, "reads rows of axes " + axes.str() + " that two strides do not reach");
    if (axes && !axes.contains(Axis::Hidden))
      continue;
    int64_t bytes = elementBytes(value);
    int64_t aligned = layout.alignmentBytes(bytes, alignment);
    if (aligned < 16)
      alignedElements = std::min(alignedElements, std::max<int64_t>(1, aligned / bytes));
  }
}
