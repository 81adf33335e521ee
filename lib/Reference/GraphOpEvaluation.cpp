//===- GraphOpEvaluation.cpp - Graph ops by their formulas ----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphOpEvaluation.h"
#include "Types.h"

#include "fastnorm/IR/GraphOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::reference;

/// Zeros of a result's dtype, with the rows given and the rest of the shape from its type.
static HostTensor emptyResult(Value value, int64_t rows) {
  auto type = cast<RankedTensorType>(value.getType());
  std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
  shape[0] = rows;
  return HostTensor(*dtypeOf(type.getElementType()), shape);
}

static std::vector<double> readRow(const Tensor &tensor, int64_t row) {
  std::vector<double> values(tensor.rowElements());
  tensor.read(row * tensor.rowElements(), tensor.rowElements(), values.data());
  return values;
}

static void storeRow(HostTensor &tensor, int64_t row, const std::vector<double> &values) {
  for (size_t column = 0; column < values.size(); ++column)
    tensor.set(row * values.size() + column, values[column]);
}

/// result[t, c] = round(sum over k of expert_rows[row_index[t, k], c] * gate[t, k]), over the slots not dropped.
static std::vector<Tensor> evaluateCombine(CombineOp op, const Tensor &expertRows, const Tensor &rowIndex,
                                           const Tensor &gate, int64_t rows) {
  HostTensor result = emptyResult(op.getResult(), rows);
  double expertRowCount = expertRows.shape()[0];
  int64_t hidden = expertRows.rowElements();
  forEachRow(rows, hidden * rowIndex.rowElements(), [&](int64_t begin, int64_t end) {
    for (int64_t token = begin; token < end; ++token) {
      std::vector<double> indices = readRow(rowIndex, token);
      std::vector<double> gates = readRow(gate, token);
      std::vector<double> sum(hidden, 0.0);
      for (size_t slot = 0; slot < indices.size(); ++slot) {
        if (indices[slot] < 0 || indices[slot] >= expertRowCount)
          continue;
        std::vector<double> expertRow = readRow(expertRows, static_cast<int64_t>(indices[slot]));
        for (int64_t column = 0; column < hidden; ++column)
          sum[column] += expertRow[column] * gates[slot];
      }
      storeRow(result, token, sum);
    }
  });
  return {Tensor::own(std::move(result))};
}

/// result = round(residual + input)
static std::vector<Tensor> evaluateResidualAdd(ResidualAddOp op, const Tensor &residual, const Tensor &input,
                                               int64_t rows) {
  HostTensor result = emptyResult(op.getResult(), rows);
  forEachRow(rows, input.rowElements(), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      std::vector<double> sum = readRow(residual, row);
      std::vector<double> added = readRow(input, row);
      for (size_t column = 0; column < sum.size(); ++column)
        sum[column] += added[column];
      storeRow(result, row, sum);
    }
  });
  return {Tensor::own(std::move(result))};
}

/// rstd[r] = 1 / sqrt(mean of input[r, c]^2 + eps); result[r, c] = round(input[r, c] * rstd[r] * (weight[c] + offset))
static std::vector<Tensor> evaluateRmsNorm(RmsNormOp op, const Tensor &input, const Tensor *weight, int64_t rows) {
  HostTensor result = emptyResult(op.getResult(), rows);
  HostTensor rstds(DType::F32, {rows});
  double eps = op.getEps().convertToFloat();
  std::vector<double> factors(input.rowElements(), 1.0);
  if (weight) {
    weight->read(0, factors.size(), factors.data());
    for (double &factor : factors)
      factor += op.getWeightOffset().convertToFloat();
  }
  forEachRow(rows, input.rowElements(), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      std::vector<double> values = readRow(input, row);
      double sumOfSquares = 0.0;
      for (double value : values)
        sumOfSquares += value * value;
      double rstd = 1.0 / std::sqrt(sumOfSquares / values.size() + eps);
      for (size_t column = 0; column < values.size(); ++column)
        values[column] = values[column] * rstd * factors[column];
      storeRow(result, row, values);
      rstds.set(row, rstd);
    }
  });
  std::vector<Tensor> results{Tensor::own(std::move(result))};
  if (op.getRstd())
    results.push_back(Tensor::own(std::move(rstds)));
  return results;
}

Result<std::vector<Tensor>> reference::evaluateGraphOp(Operation *op, const std::vector<const Tensor *> &operands,
                                                       int64_t rows) {
  using Results = Result<std::vector<Tensor>>;
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](CombineOp combine) -> Results {
        return evaluateCombine(combine, *operands[0], *operands[1], *operands[2], rows);
      })
      .Case([&](ResidualAddOp add) -> Results { return evaluateResidualAdd(add, *operands[0], *operands[1], rows); })
      .Case([&](RmsNormOp norm) -> Results {
        return evaluateRmsNorm(norm, *operands[0], norm.getWeight() ? operands[1] : nullptr, rows);
      })
      .Default([](Operation *other) -> Results {
        return Error{"expected graph ops that the reference knows, but got '" + other->getName().getStringRef().str() +
                     "'"};
      });
}
