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
  Value result = kernel.getBody().front().getTerminator()->getOperand(0);
  return tensorOf(result).getShape().take_front(axesOf(result).rowDimensions());
}

int64_t fastnorm::innerRowsOf(KernelOp kernel) {
  int64_t count = 1;
  for (int64_t extent : rowDimensionsOf(kernel).drop_front())
    count *= extent;
  return count;
}

/// The stride of a value along each of the kernel's row dimensions: 0 along those it lacks.
static SmallVector<int64_t> rowStrides(KernelOp kernel, Value value) {
  ArrayRef<int64_t> rows = rowDimensionsOf(kernel);
  AxesAttr axes = axesOf(value);
  ArrayRef<int64_t> shape = tensorOf(value).getShape();
  SmallVector<int64_t> strides(rows.size(), 0);
  for (int64_t dimension = 0; dimension < axes.rowDimensions(); ++dimension) {
    int64_t stride = 1;
    for (int64_t extent : shape.drop_front(dimension + 1))
      stride *= extent;
    strides[*axes.rowDimensionWithin(dimension, rows.size())] = stride;
  }
  return strides;
}

RowLayout RowLayout::of(KernelOp kernel, Value value) {
  ArrayRef<int64_t> rows = rowDimensionsOf(kernel);
  SmallVector<int64_t> strides = rowStrides(kernel, value);
  RowLayout layout;
  layout.outerStride = strides.back();
  // From the innermost dimension out: what goes on with the same stride is one dimension; the first that does not
  // begins the outer one.
  int64_t inner = rows.back();
  for (size_t dimension = rows.size() - 1; dimension-- > 0;) {
    bool goesOn = strides[dimension] == inner * layout.outerStride;
    if (layout.innerRows == 1 && !goesOn && inner > 1)
      layout = {inner, strides[dimension], layout.outerStride};
    else if (inner == 1)
      layout.outerStride = strides[dimension];
    inner *= rows[dimension];
  }
  return layout;
}
