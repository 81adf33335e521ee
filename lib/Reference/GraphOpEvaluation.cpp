//===- GraphOpEvaluation.cpp - Graph ops by their formulas ----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphOpEvaluation.h"
#include "RowValues.h"
#include "Types.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::reference;

/// One f32 for each row of a tensor.
static HostTensor emptyStatistic(const HostTensor &rows) {
  return HostTensor(DType::F32, std::vector<int64_t>(rows.shape().begin(), rows.shape().end() - 1));
}

/// result[t, c] = round(sum over k of expert_rows[row_index[t, k], c] * gate[t, k]), over the slots not dropped.
/// Gate and shared may be null.
static std::vector<Tensor> evaluateCombine(CombineOp op, const Tensor &expertRows, const Tensor &rowIndex,
                                           const Tensor *gate, const Tensor *shared, int64_t rows) {
  HostTensor result = emptyResult(op.getResult(), rows);
  double expertRowCount = expertRows.shape()[0];
  int64_t hidden = expertRows.rowElements();
  forEachRow(rows, hidden * rowIndex.rowElements(), [&](int64_t begin, int64_t end) {
    for (int64_t token = begin; token < end; ++token) {
      std::vector<double> indices = readRow(rowIndex, token);
      std::vector<double> gates = gate ? readRow(*gate, token) : std::vector<double>(indices.size(), 1.0);
      std::vector<double> sum = std::vector<double>(hidden, 0.0);
      for (size_t slot = 0; slot < indices.size(); ++slot) {
        if (indices[slot] < 0 || indices[slot] >= expertRowCount)
          continue;
        std::vector<double> expertRow = readRow(expertRows, static_cast<int64_t>(indices[slot]));
        for (int64_t column = 0; column < hidden; ++column)
          sum[column] += expertRow[column] * gates[slot];
      }
      std::vector<double> sharedRow = shared ? readRow(*shared, token) : std::vector<double>(hidden, 0.0);
      for (int64_t column = 0; column < hidden; ++column)
        sum[column] += sharedRow[column];
      storeRow(result, token, sum);
    }
  });
  return {Tensor::own(std::move(result))};
}

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

/// The column parameters of a norm: factors (1 without a weight) and addends (0 without a bias), each for all rows or a
/// row of them for each head.
template <typename NormOp> struct Affine {
  Affine(NormOp op, const std::vector<const Tensor *> &operands, int64_t hidden)
      : hidden(hidden), factors(hidden, 1.0), addends(hidden, 0.0) {
    if (op.getWeight()) {
      factors = elementsOf(*operands[1]);
      for (double &factor : factors)
        factor += op.getWeightOffset().convertToFloat();
    }
    if (op.getBias())
      addends = elementsOf(*operands.back());
  }

  double apply(double xhat, int64_t row, int64_t column) const {
    return xhat * at(factors, row, column) + at(addends, row, column);
  }

private:
  double at(const std::vector<double> &parameters, int64_t row, int64_t column) const {
    int64_t heads = parameters.size() / hidden;
    return parameters[row % heads * hidden + column];
  }

  int64_t hidden;
  std::vector<double> factors;
  std::vector<double> addends;
};

/// A row of a norm becomes xhat: less its mean if it has one, times rstd. Returns mean and rstd.
static std::pair<double, double> normalize(std::vector<double> &values, bool centres, double eps) {
  double mean = centres ? meanOf(values) : 0.0;
  std::vector<double> squares;
  for (double &value : values) {
    value -= mean;
    squares.push_back(value * value);
  }
  double rstd = 1.0 / std::sqrt(meanOf(squares) + eps);
  for (double &value : values)
    value *= rstd;
  return {mean, rstd};
}

/// Results of both norms: the rows, and the statistics that the op asks for.
template <typename NormOp>
static std::vector<Tensor> evaluateNorm(NormOp op, const std::vector<const Tensor *> &operands, int64_t rows) {
  constexpr bool kCentres = std::is_same_v<NormOp, LayerNormOp>;
  const Tensor &input = *operands[0];
  HostTensor result = emptyResult(op.getResult(), rows);
  HostTensor means = emptyStatistic(result);
  HostTensor rstds = emptyStatistic(result);
  Affine<NormOp> affine(op, operands, input.rowElements());
  DType inputType = *dtypeOf(cast<RankedTensorType>(op.getInput().getType()).getElementType());
  forEachRow(rows, input.rowElements(), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      std::vector<double> values = readRow(input, row);
      auto [mean, rstd] = normalize(values, kCentres, op.getEps().convertToFloat());
      for (size_t column = 0; column < values.size(); ++column) {
        double xhat = op.getRoundXhat() ? roundTo(inputType, values[column]) : values[column];
        values[column] = affine.apply(xhat, row, column);
      }
      storeRow(result, row, values);
      means.set(row, mean);
      rstds.set(row, rstd);
    }
  });
  std::vector<Tensor> results{Tensor::own(std::move(result))};
  if (kCentres && op->getNumResults() > 1)
    results.push_back(Tensor::own(std::move(means)));
  if (op->getNumResults() > 1)
    results.push_back(Tensor::own(std::move(rstds)));
  return results;
}

Result<std::vector<Tensor>> reference::evaluateGraphOp(Operation *op, const std::vector<const Tensor *> &operands,
                                                       int64_t rows, const std::vector<int64_t> &tableRows) {
  using Results = Result<std::vector<Tensor>>;
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](CombineOp combine) -> Results {
        return evaluateCombine(combine, *operands[0], *operands[1], combine.getGate() ? operands[2] : nullptr,
                               combine.getShared() ? operands.back() : nullptr, rows);
      })
      .Case([&](ResidualAddOp add) -> Results { return evaluateResidualAdd(add, *operands[0], *operands[1], rows); })
      .Case([&](RmsNormOp norm) -> Results { return evaluateNorm(norm, operands, rows); })
      .Case([&](LayerNormOp norm) -> Results { return evaluateNorm(norm, operands, rows); })
      .Case<RmsNormBackwardOp, LayerNormBackwardOp>(
          [&](auto backward) -> Results { return evaluateBackward(backward, operands, rows); })
      .Case([&](CombineBackwardOp backward) -> Results {
        return evaluateCombineBackward(backward, operands, rows, tableRows[0]);
      })
      .Default([](Operation *other) -> Results {
        return Error{"expected graph ops that the reference knows, but got '" + other->getName().getStringRef().str() +
                     "'"};
      });
}
