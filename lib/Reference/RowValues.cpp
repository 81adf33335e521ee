//===- RowValues.cpp - Rows of tensors as f64 -----------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowValues.h"

#include "Types.h"

using namespace mlir;
using namespace fastnorm;

HostTensor reference::emptyResult(Value value, int64_t rows) {
  auto type = cast<RankedTensorType>(value.getType());
  std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
  int64_t innerRows = 1;
  for (size_t dimension = 1; dimension + 1 < shape.size(); ++dimension)
    innerRows *= shape[dimension];
  if (shape.size() > 1 && innerRows)
    shape[0] = rows / innerRows;
  return HostTensor(*dtypeOf(type.getElementType()), shape);
}

std::vector<double> reference::readRow(const Tensor &tensor, int64_t row) {
  std::vector<double> values(tensor.rowElements());
  tensor.read(row * tensor.rowElements(), tensor.rowElements(), values.data());
  return values;
}

void reference::storeRow(HostTensor &tensor, int64_t row, const std::vector<double> &values) {
  for (size_t column = 0; column < values.size(); ++column)
    tensor.set(row * values.size() + column, values[column]);
}

std::vector<double> reference::elementsOf(const Tensor &tensor) {
  std::vector<double> elements(tensor.rows() * tensor.rowElements());
  tensor.read(0, elements.size(), elements.data());
  return elements;
}

int64_t reference::rowsOfBlock(int64_t rows) {
  constexpr int64_t kMostBlocks = 64;
  return std::max<int64_t>(1, (rows + kMostBlocks - 1) / kMostBlocks);
}

double reference::meanOf(const std::vector<double> &values) {
  double sum = 0.0;
  for (double value : values)
    sum += value;
  return sum / values.size();
}

double reference::roundTo(DType dtype, double value) {
  HostTensor rounded(dtype, {1});
  rounded.set(0, value);
  return rounded.at(0);
}
