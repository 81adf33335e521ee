//===- BackwardOps.cpp - Verifiers of the norms' gradients -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphOpChecks.h"

#include "fastnorm/IR/GraphOps.h"

using namespace mlir;
using namespace fastnorm;

/// C1: the shape of the input.
static LogicalResult verifyRows(Operation *op, StringRef what, Value value, Value input) {
  if (!value || agree(tensorOf(value).getShape(), tensorOf(input).getShape()))
    return success();
  return op->emitOpError("expects ") << what << " to have the shape of the input, " << shapeOf(input) << ", but got "
                                     << shapeOf(value);
}

/// C4: what is added to a gradient is there only with it, and has its shape.
static LogicalResult verifyAddend(Operation *op, StringRef what, Value addend, StringRef whom, Value gradient) {
  if (!addend)
    return success();
  if (!gradient)
    return op->emitOpError("expects ") << whom << " among its results to add " << what << " to, but does not have it";
  if (agree(tensorOf(addend).getShape(), tensorOf(gradient).getShape()))
    return success();
  return op->emitOpError("expects ") << what << " to have the shape of " << whom << ", " << shapeOf(gradient)
                                     << ", but got " << shapeOf(addend);
}

template <typename Op> static LogicalResult verifyBackward(Op op, ArrayRef<std::pair<StringRef, Value>> statistics) {
  Value input = op.getInput();
  // C7
  if (failed(verifyStatic(op, "hidden", hiddenOf(input), kMostHidden)))
    return failure();
  // C5
  if (op->getNumResults() == 0)
    return op.emitOpError("expects at least one of input(…), weight(…) and bias(…) behind '->', but computes none");
  // C1
  if (failed(verifyInnerRows(op, input)) || failed(verifyRows(op, "grad_output", op.getGradOutput(), input)) ||
      failed(verifyRows(op, "grad_input", op.getGradInput(), input)))
    return failure();
  // C2
  for (auto [what, value] : {std::pair<StringRef, Value>("weight", op.getWeight()),
                             {"grad_weight", op.getGradWeight()},
                             {"grad_bias", op.getGradBias()}})
    if (failed(verifyParameter(op, what, value, input)))
      return failure();
  if (op.getWeight() && op.getGradWeight() &&
      tensorOf(op.getWeight()).getShape() != tensorOf(op.getGradWeight()).getShape())
    return op.emitOpError("expects grad_weight to have the shape of weight, ")
           << shapeOf(op.getWeight()) << ", but got " << shapeOf(op.getGradWeight());
  // C3
  for (auto [name, statistic] : statistics)
    if (!agree(tensorOf(statistic).getShape(), rowsOf(input)))
      return op.emitOpError("expects ") << name << " to have the rows of the input, " << shapeOf(input) << ", but got "
                                        << shapeOf(statistic);
  // C4
  if (failed(verifyAddend(op, "the residual", op.getGradResidual(), "input(…)", op.getGradInput())) ||
      failed(verifyAddend(op, "an old gradient", op.getOldGradWeight(), "weight(…)", op.getGradWeight())) ||
      failed(verifyAddend(op, "an old gradient", op.getOldGradBias(), "bias(…)", op.getGradBias())))
    return failure();
  // C6
  return verifyWeightOffset(op, op.getWeightOffsetAttr(), static_cast<bool>(op.getWeight()));
}

LogicalResult RmsNormBackwardOp::verify() { return verifyBackward(*this, {{"rstd", getRstd()}}); }

LogicalResult LayerNormBackwardOp::verify() {
  return verifyBackward(*this, {{"mean", getMean()}, {"rstd", getRstd()}});
}

SmallVector<Value> RmsNormBackwardOp::getRowValues() {
  return presentValues({getGradOutput(), getInput(), getRstd(), getGradResidual(), getGradInput()});
}
SmallVector<Value> RmsNormBackwardOp::getTables() { return {}; }
SmallVector<Value> RmsNormBackwardOp::getRowIndices() { return {}; }

SmallVector<Value> LayerNormBackwardOp::getRowValues() {
  return presentValues({getGradOutput(), getInput(), getMean(), getRstd(), getGradResidual(), getGradInput()});
}
SmallVector<Value> LayerNormBackwardOp::getTables() { return {}; }
SmallVector<Value> LayerNormBackwardOp::getRowIndices() { return {}; }
