//===- GraphOps.cpp - Verifiers of the graph level -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/IR/GraphOps.h"

#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace fastnorm;

#define GET_OP_CLASSES
#include "fastnorm/IR/GraphOps.cpp.inc"

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static int64_t hiddenOf(Value value) { return tensorOf(value).getShape().back(); }

/// A `?` may turn out to be any number, so it agrees with everything.
static bool agree(int64_t left, int64_t right) {
  return left == right || ShapedType::isDynamic(left) || ShapedType::isDynamic(right);
}

static bool agree(ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
  return left.size() == right.size() &&
         llvm::all_of(llvm::zip(left, right), [](auto pair) { return agree(std::get<0>(pair), std::get<1>(pair)); });
}

static std::string shapeOf(Value value) {
  std::string text;
  for (int64_t extent : tensorOf(value).getShape())
    text += (text.empty() ? "" : "x") + (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
  return text;
}

static LogicalResult verifyStatic(Operation *op, StringRef what, int64_t extent, int64_t most) {
  if (ShapedType::isDynamic(extent) || extent < 1)
    return op->emitOpError("expects ") << what << " to be static and at least 1, but got "
                                       << (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
  if (extent > most)
    return op->emitOpError("expects ") << what << " of at most " << most << ", but got " << extent;
  return success();
}

LogicalResult CombineOp::verify() {
  // C4
  if (failed(verifyStatic(*this, "hidden", hiddenOf(getResult()), kMostHidden)) ||
      failed(verifyStatic(*this, "top_k", hiddenOf(getRowIndex()), kMostSlots)))
    return failure();
  // C1
  if (hiddenOf(getExpertRows()) != hiddenOf(getResult()))
    return emitOpError("expects expert_rows of hidden size ")
           << hiddenOf(getResult()) << " to match the result, but got " << shapeOf(getExpertRows());
  if (tensorOf(getExpertRows()).getElementType() != tensorOf(getResult()).getElementType())
    return emitOpError("expects the result to have the element type of expert_rows, ")
           << tensorOf(getExpertRows()).getElementType() << ", but got " << tensorOf(getResult()).getElementType();
  // C2
  if (!agree(tensorOf(getGate()).getShape(), tensorOf(getRowIndex()).getShape()))
    return emitOpError("expects gate of shape ")
           << shapeOf(getRowIndex()) << " to match row_index, but got " << shapeOf(getGate());
  // C3
  if (!agree(tensorOf(getRowIndex()).getShape()[0], tensorOf(getResult()).getShape()[0]))
    return emitOpError("expects as many rows in the result as in row_index of shape ")
           << shapeOf(getRowIndex()) << ", but got " << shapeOf(getResult());
  return success();
}

LogicalResult ResidualAddOp::verify() {
  // C1
  return verifyStatic(*this, "hidden", hiddenOf(getResult()), kMostHidden);
}

LogicalResult RmsNormOp::verify() {
  // C6
  if (failed(verifyStatic(*this, "hidden", hiddenOf(getInput()), kMostHidden)))
    return failure();
  // C1
  if (!agree(tensorOf(getInput()).getShape(), tensorOf(getResult()).getShape()))
    return emitOpError("expects the result to have the shape of the input, ")
           << shapeOf(getInput()) << ", but got " << shapeOf(getResult());
  // C2
  if (getWeight() && hiddenOf(getWeight()) != hiddenOf(getInput()))
    return emitOpError("expects weight of hidden size ")
           << hiddenOf(getInput()) << " to match the input, but got " << shapeOf(getWeight());
  // C3
  if (getRstd() && !agree(tensorOf(getRstd()).getShape()[0], tensorOf(getInput()).getShape()[0]))
    return emitOpError("expects rstd to have the rows of the input, ")
           << shapeOf(getInput()) << ", but got " << shapeOf(getRstd());
  // C4
  if (!getEps().isFinite() || getEps().isNegative())
    return emitOpError("expects eps to be finite and not negative, but got ") << getEpsAttr();
  if (!getWeightOffset().isFinite())
    return emitOpError("expects weight_offset to be finite, but got ") << getWeightOffsetAttr();
  // C5
  if (!getWeight() && !getWeightOffset().isZero())
    return emitOpError("expects a weight to add weight_offset ") << getWeightOffsetAttr() << " to, but has none";
  return success();
}

//===----------------------------------------------------------------------===//
// Rows and tables
//===----------------------------------------------------------------------===//

SmallVector<Value> CombineOp::getRowValues() { return {getRowIndex(), getGate(), getResult()}; }
SmallVector<Value> CombineOp::getTables() { return {getExpertRows()}; }
SmallVector<Value> CombineOp::getRowIndices() { return {getRowIndex()}; }

SmallVector<Value> ResidualAddOp::getRowValues() { return {getResidual(), getInput(), getResult()}; }
SmallVector<Value> ResidualAddOp::getTables() { return {}; }
SmallVector<Value> ResidualAddOp::getRowIndices() { return {}; }

SmallVector<Value> RmsNormOp::getRowValues() {
  SmallVector<Value> values{getInput(), getResult()};
  if (getRstd())
    values.push_back(getRstd());
  return values;
}
SmallVector<Value> RmsNormOp::getTables() { return {}; }
SmallVector<Value> RmsNormOp::getRowIndices() { return {}; }
