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

namespace fastnorm {
/// "T" where all three types are one, else "T, T -> T".
static ParseResult parseOneOrEachType(OpAsmParser &parser, Type &residual, Type &input, Type &result);
static void printOneOrEachType(OpAsmPrinter &printer, Operation *, Type residual, Type input, Type result);
} // namespace fastnorm

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

/// "expects <what> of hidden size 64 to match the <whom>, but got 32".
static LogicalResult verifyHidden(Operation *op, StringRef what, Value value, StringRef whom, Value other) {
  if (!value || hiddenOf(value) == hiddenOf(other))
    return success();
  return op->emitOpError("expects ") << what << " of hidden size " << hiddenOf(other) << " to match the " << whom
                                     << ", but got " << shapeOf(value);
}

/// The leading dimensions, which count rows: all but the last.
static ArrayRef<int64_t> rowsOf(Value value) { return tensorOf(value).getShape().drop_back(); }

/// Only the first row dimension may be dynamic: the others are divided by.
static LogicalResult verifyInnerRows(Operation *op, Value value) {
  if (!llvm::any_of(rowsOf(value).drop_front(), ShapedType::isDynamic))
    return success();
  return op->emitOpError("expects only the first dimension to be dynamic, but got ") << tensorOf(value);
}

/// C2 of a norm: [hidden], or [heads, hidden] with the innermost row dimension of the input.
static LogicalResult verifyParameter(Operation *op, StringRef what, Value parameter, Value input) {
  if (!parameter)
    return success();
  if (failed(verifyHidden(op, what, parameter, "input", input)))
    return failure();
  ArrayRef<int64_t> heads = rowsOf(parameter);
  int64_t innermost = rowsOf(input).back();
  if (heads.empty() || (heads[0] == innermost && !ShapedType::isDynamic(innermost)))
    return success();
  return op->emitOpError("expects ") << what << " with heads to have the innermost row dimension of the input, "
                                     << shapeOf(input) << ", which must be static, but got " << shapeOf(parameter);
}

LogicalResult CombineOp::verify() {
  // C4
  if (failed(verifyStatic(*this, "hidden", hiddenOf(getResult()), kMostHidden)) ||
      failed(verifyStatic(*this, "top_k", hiddenOf(getRowIndex()), kMostSlots)))
    return failure();
  // C1
  if (failed(verifyHidden(*this, "expert_rows", getExpertRows(), "result", getResult())) ||
      failed(verifyHidden(*this, "shared", getShared(), "result", getResult())))
    return failure();
  // C2
  if (getGate() && !agree(tensorOf(getGate()).getShape(), tensorOf(getRowIndex()).getShape()))
    return emitOpError("expects gate of shape ")
           << shapeOf(getRowIndex()) << " to match row_index, but got " << shapeOf(getGate());
  // C3
  for (Value rows : {Value(getShared()), Value(getResult())})
    if (rows && !agree(rowsOf(getRowIndex()), rowsOf(rows)))
      return emitOpError("expects as many rows in ")
             << (rows == getResult() ? "the result" : "shared") << " as in row_index of shape "
             << shapeOf(getRowIndex()) << ", but got " << shapeOf(rows);
  return verifyInnerRows(*this, getResult());
}

LogicalResult ResidualAddOp::verify() {
  // C1
  for (auto [what, value] : {std::pair<StringRef, Value>("input", getInput()), {"the result", getResult()}})
    if (!agree(tensorOf(value).getShape(), tensorOf(getResidual()).getShape()))
      return emitOpError("expects ") << what << " to have the shape of residual, " << shapeOf(getResidual())
                                     << ", but got " << shapeOf(value);
  // C2
  if (failed(verifyStatic(*this, "hidden", hiddenOf(getResult()), kMostHidden)))
    return failure();
  return verifyInnerRows(*this, getResult());
}

/// C1, C2, C4, C5 and C6 of a norm, and C3 for its statistics by name.
template <typename NormOp>
static LogicalResult verifyNorm(NormOp op, ArrayRef<std::pair<StringRef, Value>> statistics) {
  // C6
  if (failed(verifyStatic(op, "hidden", hiddenOf(op.getInput()), kMostHidden)))
    return failure();
  // C1
  if (!agree(tensorOf(op.getInput()).getShape(), tensorOf(op.getResult()).getShape()))
    return op.emitOpError("expects the result to have the shape of the input, ")
           << shapeOf(op.getInput()) << ", but got " << shapeOf(op.getResult());
  // C2
  if (failed(verifyInnerRows(op, op.getInput())) ||
      failed(verifyParameter(op, "weight", op.getWeight(), op.getInput())) ||
      failed(verifyParameter(op, "bias", op.getBias(), op.getInput())))
    return failure();
  // C3
  for (auto [name, statistic] : statistics)
    if (!agree(tensorOf(statistic).getShape(), rowsOf(op.getInput())))
      return op.emitOpError("expects ") << name << " to have the rows of the input, " << shapeOf(op.getInput())
                                        << ", but got " << shapeOf(statistic);
  // C4
  if (!op.getEps().isFinite() || op.getEps().isNegative())
    return op.emitOpError("expects eps to be finite and not negative, but got ") << op.getEpsAttr();
  if (!op.getWeightOffset().isFinite())
    return op.emitOpError("expects weight_offset to be finite, but got ") << op.getWeightOffsetAttr();
  // C5
  if (!op.getWeight() && !op.getWeightOffset().isZero())
    return op.emitOpError("expects a weight to add weight_offset ") << op.getWeightOffsetAttr() << " to, but has none";
  return success();
}

LogicalResult RmsNormOp::verify() {
  SmallVector<std::pair<StringRef, Value>> statistics;
  if (getRstd())
    statistics.emplace_back("rstd", getRstd());
  return verifyNorm(*this, statistics);
}

LogicalResult LayerNormOp::verify() {
  // C3
  if (getStatistics().size() != 0 && getStatistics().size() != 2)
    return emitOpError("expects two statistics, mean and rstd, or none, but got ") << getStatistics().size();
  SmallVector<std::pair<StringRef, Value>> statistics;
  for (auto [name, statistic] : llvm::zip(ArrayRef<StringRef>{"mean", "rstd"}, getStatistics()))
    statistics.emplace_back(name, statistic);
  return verifyNorm(*this, statistics);
}

ParseResult fastnorm::parseOneOrEachType(OpAsmParser &parser, Type &residual, Type &input, Type &result) {
  if (parser.parseType(residual))
    return failure();
  input = result = residual;
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseType(input) || parser.parseArrow() || parser.parseType(result));
}

void fastnorm::printOneOrEachType(OpAsmPrinter &printer, Operation *, Type residual, Type input, Type result) {
  printer << residual;
  if (input != residual || result != residual)
    printer << ", " << input << " -> " << result;
}

//===----------------------------------------------------------------------===//
// Rows and tables
//===----------------------------------------------------------------------===//

/// The values that are there.
static SmallVector<Value> present(std::initializer_list<Value> values) {
  return SmallVector<Value>(llvm::make_filter_range(values, [](Value value) { return static_cast<bool>(value); }));
}

SmallVector<Value> CombineOp::getRowValues() { return present({getRowIndex(), getGate(), getShared(), getResult()}); }
SmallVector<Value> CombineOp::getTables() { return {getExpertRows()}; }
SmallVector<Value> CombineOp::getRowIndices() { return {getRowIndex()}; }

SmallVector<Value> ResidualAddOp::getRowValues() { return {getResidual(), getInput(), getResult()}; }
SmallVector<Value> ResidualAddOp::getTables() { return {}; }
SmallVector<Value> ResidualAddOp::getRowIndices() { return {}; }

SmallVector<Value> RmsNormOp::getRowValues() { return present({getInput(), getResult(), getRstd()}); }
SmallVector<Value> RmsNormOp::getTables() { return {}; }
SmallVector<Value> RmsNormOp::getRowIndices() { return {}; }

SmallVector<Value> LayerNormOp::getRowValues() {
  SmallVector<Value> values{getInput(), getResult()};
  llvm::append_range(values, getStatistics());
  return values;
}
SmallVector<Value> LayerNormOp::getTables() { return {}; }
SmallVector<Value> LayerNormOp::getRowIndices() { return {}; }
