//===- Gradients.cpp - The gradients of the graph ops -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/IR/Gradients.h"

#include "AlgebraBuilder.h"
#include "GraphOpChecks.h"

#include "fastnorm/IR/GraphOps.h"

using namespace mlir;
using namespace fastnorm;

/// The sum of the gradients by a map over all elements: of one axis, [row].
static Value sumByMap(OpBuilder &builder, Location loc, ArrayRef<Value> gradients, RankedTensorType type) {
  SmallVector<Axis> list(std::max<int64_t>(1, type.getRank() - 1), Axis::Row);
  if (type.getRank() > 1)
    list.push_back(Axis::Hidden);
  auto axes = AxesAttr::get(builder.getContext(), list);
  AlgebraBuilder algebra(builder, loc, gradients[0]);
  SmallVector<Placed> inputs = llvm::map_to_vector(gradients, [&](Value value) { return Placed{value, axes}; });
  Placed sum = algebra.map(inputs, axes, type, [&](ValueRange elements) {
    Value total = algebra.toF32(elements[0]);
    for (Value element : elements.drop_front())
      total = algebra.add(total, algebra.toF32(element));
    return algebra.fromF32(total, type.getElementType());
  });
  return sum.value;
}

Value fastnorm::gradientAs(OpBuilder &builder, Location loc, Value gradient, Value known, RankedTensorType type) {
  if (!known)
    return gradient.getType() == type ? gradient : sumByMap(builder, loc, {gradient}, type);
  if (type.getRank() == 1)
    return sumByMap(builder, loc, {known, gradient}, type);
  return ResidualAddOp::create(builder, loc, type, known, gradient);
}

//===----------------------------------------------------------------------===//
// residual_add
//===----------------------------------------------------------------------===//

SmallVector<Value> ResidualAddOp::getParameters() { return {}; }
SmallVector<Value> ResidualAddOp::getSavedResults() { return {}; }
Operation *ResidualAddOp::returnSavedResults(OpBuilder &builder) { return *this; }
SmallVector<SavedValue> ResidualAddOp::getSavedValues() { return {}; }

/// Both operands have the gradient of the sum.
SmallVector<Value> ResidualAddOp::buildGradients(OpBuilder &builder, ValueRange saved, ArrayRef<Value> results,
                                                 ArrayRef<GradientRequest> requests) {
  return llvm::map_to_vector(requests, [&](GradientRequest request) {
    return request.type ? gradientAs(builder, getLoc(), results[0], request.known, request.type) : Value();
  });
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// A norm in the op's place that returns that many statistics as well; the op itself where it does.
template <typename NormOp> static Operation *withStatistics(NormOp op, OpBuilder &builder, unsigned count) {
  if (op->getNumResults() == 1 + count)
    return op;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  auto statistic = RankedTensorType::get(rowsOf(op.getInput()), builder.getF32Type());
  SmallVector<Type> types{op.getResult().getType()};
  types.append(count, statistic);
  auto norm = NormOp::create(builder, op.getLoc(), types, op->getOperands(), op->getAttrs());
  op.getResult().replaceAllUsesWith(norm.getResult());
  op->erase();
  return norm;
}

/// Input, statistics, then a weight.
template <typename NormOp> static SmallVector<SavedValue> savedByNorm(NormOp op, ArrayRef<SavedValue> statistics) {
  SmallVector<SavedValue> saved{{"input", op.getInput()}};
  llvm::append_range(saved, statistics);
  if (op.getWeight())
    saved.push_back({"weight", op.getWeight()});
  return saved;
}

namespace {

/// The backward op of a norm for what is asked for, and which of its results is the gradient of which operand.
template <typename NormOp> class NormGradients {
public:
  NormGradients(NormOp op, ValueRange saved, ArrayRef<GradientRequest> requests)
      : weight(op.getWeight() ? saved.back() : Value()), ofInput(requests[0]),
        ofWeight(op.getWeight() ? requests[1] : GradientRequest()),
        ofBias(op.getBias() ? requests.back() : GradientRequest()) {}

  /// The results of the backward op, one per operand of the norm.
  template <typename BackwardOp> SmallVector<Value> perOperand(NormOp op, BackwardOp backward) const {
    SmallVector<Value> gradients{backward.getGradInput()};
    if (op.getWeight())
      gradients.push_back(backward.getGradWeight());
    if (op.getBias())
      gradients.push_back(backward.getGradBias());
    return gradients;
  }

  Value weight; ///< null for none
  GradientRequest ofInput;
  GradientRequest ofWeight;
  GradientRequest ofBias;
};

} // namespace

SmallVector<Value> RmsNormOp::getParameters() { return presentValues({getWeight(), getBias()}); }
SmallVector<Value> RmsNormOp::getSavedResults() { return presentValues({getRstd()}); }
Operation *RmsNormOp::returnSavedResults(OpBuilder &builder) { return withStatistics(*this, builder, 1); }
SmallVector<SavedValue> RmsNormOp::getSavedValues() { return savedByNorm(*this, {{"rstd", getRstd()}}); }

SmallVector<Value> RmsNormOp::buildGradients(OpBuilder &builder, ValueRange saved, ArrayRef<Value> results,
                                             ArrayRef<GradientRequest> requests) {
  NormGradients<RmsNormOp> of(*this, saved, requests);
  auto backward = RmsNormBackwardOp::create(
      builder, getLoc(), of.ofInput.type, of.ofWeight.type, of.ofBias.type, results[0], saved[0], /*rstd=*/saved[1],
      of.weight, of.ofInput.known, of.ofWeight.known, of.ofBias.known, getWeightOffsetAttr(), getRoundXhatAttr());
  return of.perOperand(*this, backward);
}

SmallVector<Value> LayerNormOp::getParameters() { return presentValues({getWeight(), getBias()}); }
SmallVector<Value> LayerNormOp::getSavedResults() { return SmallVector<Value>(getStatistics()); }
Operation *LayerNormOp::returnSavedResults(OpBuilder &builder) { return withStatistics(*this, builder, 2); }
SmallVector<SavedValue> LayerNormOp::getSavedValues() {
  return savedByNorm(*this, {{"mean", getStatistics()[0]}, {"rstd", getStatistics()[1]}});
}

SmallVector<Value> LayerNormOp::buildGradients(OpBuilder &builder, ValueRange saved, ArrayRef<Value> results,
                                               ArrayRef<GradientRequest> requests) {
  NormGradients<LayerNormOp> of(*this, saved, requests);
  auto backward =
      LayerNormBackwardOp::create(builder, getLoc(), of.ofInput.type, of.ofWeight.type, of.ofBias.type, results[0],
                                  saved[0], /*mean=*/saved[1], /*rstd=*/saved[2], of.weight, of.ofInput.known,
                                  of.ofWeight.known, of.ofBias.known, getWeightOffsetAttr(), getRoundXhatAttr());
  return of.perOperand(*this, backward);
}

//===----------------------------------------------------------------------===//
// combine and gather
//===----------------------------------------------------------------------===//

/// What a gradient of rows by an index is computed as: in f32 where something is added before it is rounded.
static Type scatteredType(GradientRequest request) {
  if (!request.type)
    return {};
  return request.known ? f32Like(request.type) : request.type;
}

SmallVector<Value> CombineOp::getParameters() { return {}; }
SmallVector<Value> CombineOp::getSavedResults() { return {}; }
Operation *CombineOp::returnSavedResults(OpBuilder &builder) { return *this; }

SmallVector<SavedValue> CombineOp::getSavedValues() {
  SmallVector<SavedValue> saved{{"row_index", getRowIndex()}};
  if (getGate())
    saved.append({{"gate", getGate()}, {"expert_rows", getExpertRows()}});
  return saved;
}

/// The shared expert's gradient is that of the result.
SmallVector<Value> CombineOp::buildGradients(OpBuilder &builder, ValueRange saved, ArrayRef<Value> results,
                                             ArrayRef<GradientRequest> requests) {
  GradientRequest ofRows = requests[0], ofGate = getGate() ? requests[2] : GradientRequest();
  SmallVector<Value> gradients(requests.size());
  if (ofRows.type || ofGate.type) {
    auto backward = CombineBackwardOp::create(builder, getLoc(), scatteredType(ofRows), ofGate.type, results[0],
                                              /*row_index=*/saved[0],
                                              /*expert_rows=*/ofGate.type ? saved[2] : Value(),
                                              /*gate=*/getGate() ? saved[1] : Value(), ofGate.known, getIndexMap());
    if (ofRows.type)
      gradients[0] = gradientAs(builder, getLoc(), backward.getGradExpertRows(), ofRows.known, ofRows.type);
    if (ofGate.type)
      gradients[2] = backward.getGradGate();
  }
  if (getShared() && requests.back().type)
    gradients.back() = gradientAs(builder, getLoc(), results[0], requests.back().known, requests.back().type);
  return gradients;
}

SmallVector<Value> GatherOp::getParameters() { return {}; }
SmallVector<Value> GatherOp::getSavedResults() { return {}; }
Operation *GatherOp::returnSavedResults(OpBuilder &builder) { return *this; }
SmallVector<SavedValue> GatherOp::getSavedValues() { return {{"row_index", getIndex()}}; }

SmallVector<Value> GatherOp::buildGradients(OpBuilder &builder, ValueRange saved, ArrayRef<Value> results,
                                            ArrayRef<GradientRequest> requests) {
  SmallVector<Value> gradients(requests.size());
  if (requests[0].type && results[0]) {
    auto scatter = ScatterOp::create(builder, getLoc(), scatteredType(requests[0]), results[0], saved[0],
                                     /*into=*/Value(), getIndexMap());
    gradients[0] = gradientAs(builder, getLoc(), scatter.getResult(), requests[0].known, requests[0].type);
  }
  return gradients;
}
