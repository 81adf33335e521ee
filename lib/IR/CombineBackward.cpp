//===- CombineBackward.cpp - Gradients of combine -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"
#include "GraphOpChecks.h"

#include "fastnorm/IR/GraphOps.h"

using namespace mlir;
using namespace fastnorm;

/// C2: what is there for each slot.
static LogicalResult verifySlots(CombineBackwardOp op, StringRef what, Value value) {
  if (!value || agree(tensorOf(value).getShape(), tensorOf(op.getRowIndex()).getShape()))
    return success();
  return op.emitOpError("expects ") << what << " of shape " << shapeOf(op.getRowIndex())
                                    << " to match row_index, but got " << shapeOf(value);
}

LogicalResult CombineBackwardOp::verify() {
  // C5
  if (failed(verifyStatic(*this, "hidden", hiddenOf(getGradOutput()), kMostHidden)) ||
      failed(verifyStatic(*this, "top_k", hiddenOf(getRowIndex()), kMostSlots)))
    return failure();
  // C1
  if (failed(verifyHidden(*this, "expert_rows", getExpertRows(), "grad_output", getGradOutput())) ||
      failed(verifyHidden(*this, "grad_expert_rows", getGradExpertRows(), "grad_output", getGradOutput())))
    return failure();
  if (getExpertRows() && getGradExpertRows() &&
      tensorOf(getExpertRows()).getShape() != tensorOf(getGradExpertRows()).getShape())
    return emitOpError("expects grad_expert_rows to have the shape of expert_rows, ")
           << shapeOf(getExpertRows()) << ", but got " << shapeOf(getGradExpertRows());
  // C2
  for (auto [what, value] : {std::pair<StringRef, Value>("gate", getGate()),
                             {"an old gradient", getOldGradGate()},
                             {"grad_gate", getGradGate()}})
    if (failed(verifySlots(*this, what, value)))
      return failure();
  // C3
  if (!agree(rowsOf(getRowIndex()), rowsOf(getGradOutput())))
    return emitOpError("expects as many rows in grad_output as in row_index of shape ")
           << shapeOf(getRowIndex()) << ", but got " << shapeOf(getGradOutput());
  // C4
  if (getNumResults() == 0)
    return emitOpError("expects at least one of expert_rows(…) and gate(…) behind '->', but computes none");
  if (getOldGradGate() && !getGradGate())
    return emitOpError("expects gate(…) among its results to add an old gradient to, but does not have it");
  if (getGradGate() && !getExpertRows())
    return emitOpError("expects expert_rows(…) to compute the gradient of gate from, but does not have it");
  return verifyInnerRows(*this, getGradOutput());
}

SmallVector<Value> CombineBackwardOp::getRowValues() {
  return presentValues({getGradOutput(), getRowIndex(), getGate(), getOldGradGate(), getGradGate()});
}
SmallVector<Value> CombineBackwardOp::getTables() { return presentValues({getExpertRows(), getGradExpertRows()}); }
SmallVector<Value> CombineBackwardOp::getRowIndices() { return SmallVector<Value>(getTables().size(), getRowIndex()); }
SmallVector<std::pair<Value, Value>> CombineBackwardOp::getEqualTables() {
  if (!getExpertRows() || !getGradExpertRows())
    return {};
  return {{getExpertRows(), getGradExpertRows()}};
}

namespace {

/// grad_expert_rows scatters a row for each slot; grad_gate has a sum over hidden for each.
class CombineBackwardDecomposition {
public:
  CombineBackwardDecomposition(CombineBackwardOp op, OpBuilder &builder, ValueRange operands)
      : op(op), builder(builder), algebra(builder, op.getLoc(), op.getGradOutput()), operands(operands),
        indexType(tensorOf(op.getRowIndex())), gradOutput{operands[0], algebra.rowHidden()} {}

  SmallVector<Value> results() {
    SmallVector<Value> values;
    if (op.getGradExpertRows())
      values.push_back(gradExpertRows());
    if (op.getGradGate())
      values.push_back(gradGate());
    return values;
  }

private:
  /// What stands for one of the op's operands.
  Value at(Value operand) { return operands[llvm::find(op->getOperands(), operand) - op->operand_begin()]; }

  RankedTensorType slotRows() {
    SmallVector<int64_t> shape(indexType.getShape());
    shape.push_back(hiddenOf(op.getGradOutput()));
    return RankedTensorType::get(shape, builder.getF32Type());
  }

  Value gradExpertRows() {
    SmallVector<Placed> factors{gradOutput};
    if (op.getGate())
      factors.push_back({at(op.getGate()), algebra.rowSlot()});
    Placed rows = algebra.map(factors, algebra.rowSlotHidden(), slotRows(), [&](ValueRange arguments) {
      Value row = algebra.toF32(arguments[0]);
      return arguments.size() == 1 ? row : algebra.contractible(row, algebra.toF32(arguments[1]));
    });
    auto type = tensorOf(op.getGradExpertRows());
    return ScatterOp::create(builder, op.getLoc(), like(type, type.getElementType()), rows.value, operands[1],
                             /*into=*/Value(), op.getIndexMap());
  }

  Value gradGate() {
    auto type = tensorOf(op.getGradGate());
    AlgebraBuilder::Gathered gathered = algebra.gather(at(op.getExpertRows()), operands[1], /*asksPresent=*/true);
    Placed products =
        algebra.map({gradOutput, gathered.rows}, algebra.rowSlotHidden(), slotRows(), [&](ValueRange arguments) {
          return algebra.contractible(algebra.toF32(arguments[0]), algebra.toF32(arguments[1]));
        });
    SmallVector<Placed> inputs{algebra.reduce(Combiner::Add, Axis::Hidden, products), gathered.present};
    if (op.getOldGradGate())
      inputs.push_back({at(op.getOldGradGate()), algebra.rowSlot()});
    return algebra
        .map(inputs, algebra.rowSlot(), like(type, type.getElementType()),
             [&](ValueRange arguments) {
               // The rows of a dropped slot are zeros, but grad_output may hold Inf or NaN.
               Value sum = algebra.select(arguments[1], arguments[0], algebra.constant(0.0));
               if (op.getOldGradGate())
                 sum = algebra.add(sum, algebra.toF32(arguments[2]));
               return algebra.fromF32(sum, type.getElementType());
             })
        .value;
  }

  CombineBackwardOp op;
  OpBuilder &builder;
  AlgebraBuilder algebra;
  ValueRange operands;
  RankedTensorType indexType;
  Placed gradOutput;
};

} // namespace

SmallVector<Value> CombineBackwardOp::decompose(OpBuilder &builder, ValueRange operands) {
  return CombineBackwardDecomposition(*this, builder, operands).results();
}
