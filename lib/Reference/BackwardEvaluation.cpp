//===- BackwardEvaluation.cpp - Gradients of the norms by their formulas --===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphOpEvaluation.h"
#include "RowValues.h"
#include "Types.h"

#include <algorithm>

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::reference;

namespace {

/// A gradient that sums over rows, those of each head apart, where it has heads.
class ColumnSum {
public:
  /// `gradient` is null where it is not asked for.
  ColumnSum(Value gradient, const Tensor *old) : gradient(gradient), old(old) {
    if (!gradient)
      return;
    auto type = cast<RankedTensorType>(gradient.getType());
    hidden = type.getShape().back();
    heads = type.getNumElements() / hidden;
  }

  std::vector<double> zeros() const { return std::vector<double>(heads * hidden); }
  bool isWanted() const { return static_cast<bool>(gradient); }
  double &at(std::vector<double> &sums, int64_t row, int64_t column) const {
    return sums[row % heads * hidden + column];
  }

  /// The sums of blocks in their order, and the old gradient, rounded.
  HostTensor round(const std::vector<std::vector<double>> &blocks) const {
    std::vector<double> total = old ? elementsOf(*old) : zeros();
    for (const std::vector<double> &block : blocks)
      for (size_t element = 0; element < total.size(); ++element)
        total[element] += block[element];
    auto type = cast<RankedTensorType>(gradient.getType());
    HostTensor result(*dtypeOf(type.getElementType()), {type.getShape().begin(), type.getShape().end()});
    storeRow(result, 0, total);
    return result;
  }

private:
  Value gradient;
  const Tensor *old;
  int64_t heads = 0;
  int64_t hidden = 0;
};

/// Both ops; `mean` is null for rms_norm_backward.
template <typename Op> class BackwardEvaluation {
public:
  BackwardEvaluation(Op op, Value mean, const std::vector<const Tensor *> &operands, int64_t rows)
      : op(op), operands(operands), rows(rows), gradOutput(*at(op.getGradOutput())), input(*at(op.getInput())),
        rstd(*at(op.getRstd())), mean(at(mean)), residual(at(op.getGradResidual())), hidden(input.rowElements()),
        inputType(*dtypeOf(cast<RankedTensorType>(op.getInput().getType()).getElementType())),
        weightSum(op.getGradWeight(), at(op.getOldGradWeight())), biasSum(op.getGradBias(), at(op.getOldGradBias())),
        factors(hidden, 1.0) {
    if (op.getWeight()) {
      factors = elementsOf(*at(op.getWeight()));
      for (double &factor : factors)
        factor += op.getWeightOffset().convertToFloat();
    }
  }

  std::vector<Tensor> run() {
    int64_t rowsPerBlock = rowsOfBlock(rows);
    int64_t count = (rows + rowsPerBlock - 1) / rowsPerBlock;
    std::vector<std::vector<double>> weights(count, weightSum.zeros()), biases(count, biasSum.zeros());
    HostTensor gradInput = op.getGradInput() ? emptyResult(op.getGradInput(), rows) : HostTensor();
    forEachRow(count, rowsPerBlock * hidden, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block)
        for (int64_t row = block * rowsPerBlock; row < std::min(rows, (block + 1) * rowsPerBlock); ++row)
          addRow(row, gradInput, weights[block], biases[block]);
    });
    std::vector<Tensor> results;
    if (op.getGradInput())
      results.push_back(Tensor::own(std::move(gradInput)));
    if (weightSum.isWanted())
      results.push_back(Tensor::own(weightSum.round(weights)));
    if (biasSum.isWanted())
      results.push_back(Tensor::own(biasSum.round(biases)));
    return results;
  }

private:
  const Tensor *at(Value operand) {
    return operand ? operands[llvm::find(op->getOperands(), operand) - op->operand_begin()] : nullptr;
  }

  void addRow(int64_t row, HostTensor &gradInput, std::vector<double> &weights, std::vector<double> &biases) const {
    std::vector<double> dy = readRow(gradOutput, row), xhat = readRow(input, row);
    double scale = 0.0, centre = 0.0;
    rstd.read(row, 1, &scale);
    if (mean)
      mean->read(row, 1, &centre);
    for (int64_t column = 0; column < hidden; ++column) {
      xhat[column] = (xhat[column] - centre) * scale;
      if (weightSum.isWanted())
        weightSum.at(weights, row, column) +=
            dy[column] * (roundsXhat ? roundTo(inputType, xhat[column]) : xhat[column]);
      if (biasSum.isWanted())
        biasSum.at(biases, row, column) += dy[column];
    }
    if (wantsInput)
      storeRow(gradInput, row, inputGradient(row, dy, xhat, scale));
  }

  std::vector<double> inputGradient(int64_t row, std::vector<double> wdy, const std::vector<double> &xhat,
                                    double scale) const {
    std::vector<double> products(hidden);
    int64_t heads = factors.size() / hidden;
    for (int64_t column = 0; column < hidden; ++column) {
      wdy[column] *= factors[row % heads * hidden + column];
      products[column] = wdy[column] * xhat[column];
    }
    double meanXhatWdy = meanOf(products), meanWdy = mean ? meanOf(wdy) : 0.0;
    std::vector<double> gradient = residual ? readRow(*residual, row) : std::vector<double>(hidden);
    for (int64_t column = 0; column < hidden; ++column)
      gradient[column] += scale * (wdy[column] - meanWdy - xhat[column] * meanXhatWdy);
    return gradient;
  }

  Op op;
  const std::vector<const Tensor *> &operands;
  int64_t rows;
  const Tensor &gradOutput;
  const Tensor &input;
  const Tensor &rstd;
  const Tensor *mean;
  const Tensor *residual;
  int64_t hidden;
  DType inputType;
  ColumnSum weightSum;
  ColumnSum biasSum;
  std::vector<double> factors; ///< weight + weight_offset, for all rows or each head
  bool roundsXhat = op.getRoundXhat();
  bool wantsInput = static_cast<bool>(op.getGradInput());
};

} // namespace

std::vector<Tensor> reference::evaluateBackward(RmsNormBackwardOp op, const std::vector<const Tensor *> &operands,
                                                int64_t rows) {
  return BackwardEvaluation<RmsNormBackwardOp>(op, Value(), operands, rows).run();
}

std::vector<Tensor> reference::evaluateBackward(LayerNormBackwardOp op, const std::vector<const Tensor *> &operands,
                                                int64_t rows) {
  return BackwardEvaluation<LayerNormBackwardOp>(op, op.getMean(), operands, rows).run();
}
