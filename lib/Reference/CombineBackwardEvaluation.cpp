//===- CombineBackwardEvaluation.cpp - Gradients of combine by their formulas -===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphOpEvaluation.h"
#include "RowValues.h"

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::reference;

namespace {

class CombineBackwardEvaluation {
public:
  CombineBackwardEvaluation(CombineBackwardOp op, const std::vector<const Tensor *> &operands, int64_t rows)
      : op(op), operands(operands), rows(rows), gradOutput(*operands[0]), index(elementsOf(*operands[1])),
        slots(operands[1]->rowElements()), hidden(gradOutput.rowElements()) {}

  HostTensor gradExpertRows(int64_t tableRows) const {
    // The slots of each expert row, ascending.
    std::vector<std::vector<int64_t>> slotsOf(tableRows);
    for (size_t slot = 0; slot < index.size(); ++slot)
      if (index[slot] >= 0 && index[slot] < static_cast<double>(tableRows))
        slotsOf[static_cast<size_t>(index[slot])].push_back(static_cast<int64_t>(slot));
    std::vector<double> gates = op.getGate() ? elementsOf(*at(op.getGate())) : std::vector<double>(index.size(), 1.0);
    HostTensor result = emptyResult(op.getGradExpertRows(), tableRows);
    forEachRow(tableRows, hidden, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        std::vector<double> sum(hidden);
        for (int64_t slot : slotsOf[row]) {
          std::vector<double> dy = readRow(gradOutput, slot / slots);
          for (int64_t column = 0; column < hidden; ++column)
            sum[column] += dy[column] * gates[slot];
        }
        storeRow(result, row, sum);
      }
    });
    return result;
  }

  HostTensor gradGate() const {
    const Tensor &expertRows = *at(op.getExpertRows());
    HostTensor result = emptyResult(op.getGradGate(), rows);
    forEachRow(rows, hidden * slots, [&](int64_t begin, int64_t end) {
      for (int64_t token = begin; token < end; ++token) {
        std::vector<double> dy = readRow(gradOutput, token);
        std::vector<double> gradients =
            op.getOldGradGate() ? readRow(*at(op.getOldGradGate()), token) : std::vector<double>(slots);
        for (int64_t slot = 0; slot < slots; ++slot) {
          double named = index[token * slots + slot];
          if (named < 0 || named >= static_cast<double>(expertRows.shape()[0]))
            continue;
          std::vector<double> expertRow = readRow(expertRows, static_cast<int64_t>(named));
          for (int64_t column = 0; column < hidden; ++column)
            gradients[slot] += dy[column] * expertRow[column];
        }
        storeRow(result, token, gradients);
      }
    });
    return result;
  }

private:
  const Tensor *at(Value operand) const {
    return operands[llvm::find(op->getOperands(), operand) - op->operand_begin()];
  }

  mutable CombineBackwardOp op;
  const std::vector<const Tensor *> &operands;
  int64_t rows;
  const Tensor &gradOutput;
  std::vector<double> index;
  int64_t slots;
  int64_t hidden;
};

} // namespace

std::vector<Tensor> reference::evaluateCombineBackward(CombineBackwardOp op,
                                                       const std::vector<const Tensor *> &operands, int64_t rows,
                                                       int64_t tableRows) {
  CombineBackwardEvaluation evaluation(op, operands, rows);
  std::vector<Tensor> results;
  if (op.getGradExpertRows())
    results.push_back(Tensor::own(evaluation.gradExpertRows(tableRows)));
  if (op.getGradGate())
    results.push_back(Tensor::own(evaluation.gradGate()));
  return results;
}
