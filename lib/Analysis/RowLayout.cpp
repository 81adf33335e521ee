//===- RowLayout.cpp - Where the rows of an operand lie -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/RowLayout.h"

using namespace mlir;
using namespace fastnorm;

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

ArrayRef<int64_t> fastnorm::rowDimensionsOf(KernelOp kernel) {
  Value carrier = rowCarrier(kernel);
  return tensorOf(carrier).getShape().take_front(axesOf(carrier).rowDimensions());
}

int64_t fastnorm::innerRowsOf(KernelOp kernel) {
  int64_t count = 1;
  for (int64_t extent : rowDimensionsOf(kernel).drop_front())
    count *= extent;
  return count;
}

/// The stride of a value along each of the kernel's row dimensions: 0 along those it lacks.
static SmallVector<RowStride> rowStrides(KernelOp kernel, Value value) {
  ArrayRef<int64_t> rows = rowDimensionsOf(kernel);
  AxesAttr axes = axesOf(value);
  SmallVector<int64_t> own = stridesOf(tensorOf(value));
  SmallVector<RowStride> strides(rows.size());
  for (int64_t dimension = 0; dimension < axes.rowDimensions(); ++dimension)
    strides[*axes.rowDimensionWithin(dimension, rows.size())] = {own[dimension], dimension};
  return strides;
}

RowLayout RowLayout::of(KernelOp kernel, Value value) {
  RowLayout layout;
  if (isTable(value)) {
    layout.outer = {stridesOf(tensorOf(value))[0], 0};
    return layout;
  }
  ArrayRef<int64_t> rows = rowDimensionsOf(kernel);
  SmallVector<RowStride> strides = rowStrides(kernel, value);
  layout.outer = strides.back();
  // From the innermost dimension out: what goes on with the same stride is one dimension; the first that does not
  // begins the outer one.
  int64_t inner = rows.back(); // rows that one step of the next dimension passes in its group
  for (size_t dimension = rows.size() - 1; dimension-- > 0; inner *= rows[dimension]) {
    RowStride stride = strides[dimension];
    bool goesOn = !ShapedType::isDynamic(stride.elements) && !ShapedType::isDynamic(layout.outer.elements) &&
                  stride.elements == inner * layout.outer.elements;
    if (inner == 1) {
      layout.outer = stride;
    } else if (!goesOn && rows[dimension] != 1) {
      layout.reachesAllRows &= layout.innerRows == 1;
      layout.innerRows = inner;
      layout.inner = layout.outer;
      layout.outer = stride;
      inner = 1;
    }
  }
  return layout;
}

int64_t RowLayout::alignmentBytes(int64_t elementBytes, int64_t alignment) const {
  uint64_t bytes = alignment;
  for (RowStride stride : {outer, inner})
    if (!ShapedType::isDynamic(stride.elements) && stride.elements)
      bytes |= static_cast<uint64_t>(stride.elements * elementBytes);
  return std::min<int64_t>(16, bytes & -bytes);
}
