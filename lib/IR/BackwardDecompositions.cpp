//===- BackwardDecompositions.cpp - Gradients in the kernel algebra -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"

#include "fastnorm/IR/GraphOps.h"

using namespace mlir;
using namespace fastnorm;

namespace {

/// What both ops are made of. A layer_norm has a mean, which its xhat is centred by; an rms_norm has none.
template <typename Op> class BackwardDecomposition {
public:
  BackwardDecomposition(Op op, Value mean, OpBuilder &builder, ValueRange operands)
      : op(op), mean(mean), builder(builder), algebra(builder, op.getLoc(), op.getInput(), hasHeads(op)),
        operands(operands), type(cast<RankedTensorType>(op.getInput().getType())) {}

  SmallVector<Value> results() {
    SmallVector<Value> values;
    Placed xhat = normalized();
    if (op.getGradInput())
      values.push_back(gradInput(xhat));
    if (Value gradient = op.getGradWeight())
      values.push_back(columnSum(weightProducts(xhat), gradient, op.getOldGradWeight()));
    if (Value gradient = op.getGradBias())
      values.push_back(columnSum(wide(op.getGradOutput()), gradient, op.getOldGradBias()));
    return values;
  }

private:
  static bool hasHeads(Op op) {
    return llvm::any_of(ArrayRef<Value>{op.getWeight(), op.getGradWeight(), op.getGradBias()}, [](Value parameter) {
      return parameter && cast<RankedTensorType>(parameter.getType()).getRank() == 2;
    });
  }

  /// What stands for one of the op's operands.
  Value at(Value operand) { return operands[llvm::find(op->getOperands(), operand) - op->operand_begin()]; }
  Placed rows(Value operand) { return {at(operand), algebra.rowHidden()}; }
  Placed scalar(Value operand) { return {at(operand), algebra.row()}; }
  RankedTensorType statisticType() { return RankedTensorType::get(type.getShape().drop_back(), builder.getF32Type()); }

  /// Rows as f32.
  Placed wide(Value operand) {
    if (cast<RankedTensorType>(operand.getType()).getElementType().isF32())
      return rows(operand);
    return algebra.map({rows(operand)}, algebra.rowHidden(), f32Like(type),
                       [&](ValueRange arguments) { return algebra.toF32(arguments[0]); });
  }

  Placed normalized() {
    SmallVector<Placed> inputs{rows(op.getInput()), scalar(op.getRstd())};
    if (mean)
      inputs.push_back(scalar(mean));
    return algebra.map(inputs, algebra.rowHidden(), f32Like(type), [&](ValueRange arguments) {
      Value x = algebra.toF32(arguments[0]);
      return algebra.multiply(mean ? algebra.subtract(x, arguments[2]) : x, arguments[1]);
    });
  }

  /// (weight + weight_offset) · grad_output.
  Placed weighted() {
    if (!op.getWeight())
      return wide(op.getGradOutput());
    return algebra.map({rows(op.getGradOutput()), algebra.parameter(at(op.getWeight()))}, algebra.rowHidden(),
                       f32Like(type), [&](ValueRange arguments) {
                         Value weight = algebra.toF32(arguments[1]);
                         if (!op.getWeightOffset().isZero())
                           weight = algebra.add(weight, algebra.constant(op.getWeightOffset().convertToFloat()));
                         return algebra.multiply(weight, algebra.toF32(arguments[0]));
                       });
  }

  Placed meanOf(Placed value) {
    Placed sum = algebra.reduce(Combiner::Add, Axis::Hidden, value);
    return algebra.map({sum}, algebra.row(), statisticType(), [&](ValueRange arguments) {
      return algebra.multiply(arguments[0], algebra.constant(1.0 / type.getShape().back()));
    });
  }

  Value gradInput(Placed xhat) {
    Placed wdy = weighted();
    Placed product = algebra.map({wdy, xhat}, algebra.rowHidden(), f32Like(type), [&](ValueRange arguments) {
      return algebra.contractible(arguments[0], arguments[1]);
    });
    SmallVector<Placed> inputs{wdy, xhat, meanOf(product), scalar(op.getRstd())};
    if (mean)
      inputs.push_back(meanOf(wdy));
    if (op.getGradResidual())
      inputs.push_back(rows(op.getGradResidual()));
    auto resultType = cast<RankedTensorType>(op.getGradInput().getType());
    Placed result = algebra.map(inputs, algebra.rowHidden(), resultType, [&](ValueRange arguments) {
      Value centred = mean ? algebra.subtract(arguments[0], arguments[4]) : arguments[0];
      Value rest = algebra.lessProduct(centred, arguments[1], arguments[2]);
      Value value = op.getGradResidual() ? algebra.fma(rest, arguments[3], algebra.toF32(arguments.back()))
                                         : algebra.multiply(rest, arguments[3]);
      return algebra.fromF32(value, resultType.getElementType());
    });
    return result.value;
  }

  /// grad_output · xhat.
  Placed weightProducts(Placed xhat) {
    return algebra.map({rows(op.getGradOutput()), xhat}, algebra.rowHidden(), f32Like(type), [&](ValueRange arguments) {
      Value factor = arguments[1];
      if (op.getRoundXhat())
        factor = algebra.toF32(algebra.fromF32(factor, type.getElementType()));
      return algebra.contractible(algebra.toF32(arguments[0]), factor);
    });
  }

  /// The sum over the rows, or over those of each head, plus the old gradient, as the gradient's type.
  Value columnSum(Placed rows, Value gradient, Value old) {
    auto gradientType = cast<RankedTensorType>(gradient.getType());
    SmallVector<Placed> inputs{algebra.columnSum(rows, gradientType.getRank() == 2)};
    if (old)
      inputs.push_back(algebra.parameter(at(old)));
    if (!old && gradientType.getElementType().isF32() && inputs[0].value.getDefiningOp())
      return inputs[0].value;
    Placed result = algebra.map(inputs, inputs[0].axes, gradientType, [&](ValueRange arguments) {
      Value sum = old ? algebra.add(arguments[0], algebra.toF32(arguments[1])) : arguments[0];
      return algebra.fromF32(sum, gradientType.getElementType());
    });
    return result.value;
  }

  Op op;
  Value mean; ///< null for rms_norm
  OpBuilder &builder;
  AlgebraBuilder algebra;
  ValueRange operands;
  RankedTensorType type;
};

} // namespace

SmallVector<Value> RmsNormBackwardOp::decompose(OpBuilder &builder, ValueRange operands) {
  return BackwardDecomposition<RmsNormBackwardOp>(*this, Value(), builder, operands).results();
}

SmallVector<Value> LayerNormBackwardOp::decompose(OpBuilder &builder, ValueRange operands) {
  return BackwardDecomposition<LayerNormBackwardOp>(*this, getMean(), builder, operands).results();
}
