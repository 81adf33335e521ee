//===- GraphOpChecks.cpp - What verifiers of graph ops share -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphOpChecks.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace fastnorm;

RankedTensorType fastnorm::tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

int64_t fastnorm::hiddenOf(Value value) { return tensorOf(value).getShape().back(); }

bool fastnorm::agree(int64_t left, int64_t right) {
  return left == right || ShapedType::isDynamic(left) || ShapedType::isDynamic(right);
}

bool fastnorm::agree(ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
  return left.size() == right.size() &&
         llvm::all_of(llvm::zip(left, right), [](auto pair) { return agree(std::get<0>(pair), std::get<1>(pair)); });
}

std::string fastnorm::shapeOf(Value value) {
  std::string text;
  for (int64_t extent : tensorOf(value).getShape())
    text += (text.empty() ? "" : "x") + (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
  return text;
}

LogicalResult fastnorm::verifyStatic(Operation *op, StringRef what, int64_t extent, int64_t most) {
  if (ShapedType::isDynamic(extent) || extent < 1)
    return op->emitOpError("expects ") << what << " to be static and at least 1, but got "
                                       << (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
  if (extent > most)
    return op->emitOpError("expects ") << what << " of at most " << most << ", but got " << extent;
  return success();
}

LogicalResult fastnorm::verifyHidden(Operation *op, StringRef what, Value value, StringRef whom, Value other) {
  if (!value || hiddenOf(value) == hiddenOf(other))
    return success();
  return op->emitOpError("expects ") << what << " of hidden size " << hiddenOf(other) << " to match the " << whom
                                     << ", but got " << shapeOf(value);
}

ArrayRef<int64_t> fastnorm::rowsOf(Value value) { return tensorOf(value).getShape().drop_back(); }

LogicalResult fastnorm::verifyInnerRows(Operation *op, Value value) {
  ArrayRef<int64_t> rows = rowsOf(value);
  if (rows.empty() || !llvm::any_of(rows.drop_front(), ShapedType::isDynamic))
    return success();
  return op->emitOpError("expects only the first dimension to be dynamic, but got ") << tensorOf(value);
}

LogicalResult fastnorm::verifyParameter(Operation *op, StringRef what, Value parameter, Value input) {
  if (!parameter)
    return success();
  if (failed(verifyHidden(op, what, parameter, "input", input)))
    return failure();
  ArrayRef<int64_t> heads = rowsOf(parameter);
  int64_t innermost = rowsOf(input).empty() ? ShapedType::kDynamic : rowsOf(input).back();
  if (heads.empty() || (heads[0] == innermost && !ShapedType::isDynamic(innermost)))
    return success();
  return op->emitOpError("expects ") << what << " with heads to have the innermost row dimension of the input, "
                                     << shapeOf(input) << ", which must be static, but got " << shapeOf(parameter);
}

SmallVector<Value> fastnorm::presentValues(std::initializer_list<Value> values) {
  return SmallVector<Value>(llvm::make_filter_range(values, [](Value value) { return static_cast<bool>(value); }));
}

LogicalResult fastnorm::verifyWeightOffset(Operation *op, FloatAttr offset, bool hasWeight) {
  if (!offset.getValue().isFinite())
    return op->emitOpError("expects weight_offset to be finite, but got ") << offset;
  if (!hasWeight && !offset.getValue().isZero())
    return op->emitOpError("expects a weight to add weight_offset ") << offset << " to, but has none";
  return success();
}
