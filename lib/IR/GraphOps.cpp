//===- GraphOps.cpp - Verifiers of the graph level -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphOpChecks.h"

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
  if (!statistics.empty() && rowsOf(op.getInput()).empty())
    return op.emitOpError("expects an input with a row dimension for ")
           << statistics.front().first << " to have it, too; write "
           << RankedTensorType::get({1, hiddenOf(op.getInput())}, tensorOf(op.getInput()).getElementType())
           << " for the one row";
  for (auto [name, statistic] : statistics)
    if (!agree(tensorOf(statistic).getShape(), rowsOf(op.getInput())))
      return op.emitOpError("expects ") << name << " to have the rows of the input, " << shapeOf(op.getInput())
                                        << ", but got " << shapeOf(statistic);
  // C4
  if (!op.getEps().isFinite() || op.getEps().isNegative())
    return op.emitOpError("expects eps to be finite and not negative, but got ") << op.getEpsAttr();
  return verifyWeightOffset(op, op.getWeightOffsetAttr(), static_cast<bool>(op.getWeight()));
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
  static constexpr StringLiteral kNames[] = {"mean", "rstd"};
  SmallVector<std::pair<StringRef, Value>> statistics;
  for (auto [name, statistic] : llvm::zip(kNames, getStatistics()))
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

SmallVector<Value> CombineOp::getRowValues() {
  return presentValues({getRowIndex(), getGate(), getShared(), getResult()});
}
SmallVector<Value> CombineOp::getTables() { return {getExpertRows()}; }
SmallVector<Value> CombineOp::getRowIndices() { return {getRowIndex()}; }

SmallVector<Value> ResidualAddOp::getRowValues() { return {getResidual(), getInput(), getResult()}; }
SmallVector<Value> ResidualAddOp::getTables() { return {}; }
SmallVector<Value> ResidualAddOp::getRowIndices() { return {}; }

SmallVector<Value> RmsNormOp::getRowValues() { return presentValues({getInput(), getResult(), getRstd()}); }
SmallVector<Value> RmsNormOp::getTables() { return {}; }
SmallVector<Value> RmsNormOp::getRowIndices() { return {}; }

SmallVector<Value> LayerNormOp::getRowValues() {
  SmallVector<Value> values{getInput(), getResult()};
  llvm::append_range(values, getStatistics());
  return values;
}
SmallVector<Value> LayerNormOp::getTables() { return {}; }
SmallVector<Value> LayerNormOp::getRowIndices() { return {}; }
