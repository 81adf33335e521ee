//===- KernelOps.cpp - map, reduce, gather and scatter -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/IR/KernelOps.h"

#include "GraphOpChecks.h"
#include "KernelOpsSyntax.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace fastnorm;

#define GET_OP_CLASSES
#include "fastnorm/IR/KernelOps.cpp.inc"

static std::string text(int64_t extent) { return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent); }

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

/// The scalar functions that every lowering and the reference know.
static bool isScalarFunction(Operation *op) {
  return isa<arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::CmpFOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp,
             arith::SIToFPOp, arith::FPToSIOp, math::RsqrtOp, math::SqrtOp, math::AbsFOp, math::FmaOp, math::Exp2Op,
             math::Log2Op, math::RoundEvenOp>(op);
}

/// What a scalar function computes in: f32 and i1; a conversion has f32 on one side and what is stored on the other.
static LogicalResult verifyScalarTypes(Operation *op) {
  auto isArithmetic = [](Type type) { return type.isF32() || type.isInteger(1); };
  if (isa<arith::ExtFOp, arith::SIToFPOp, arith::TruncFOp, arith::FPToSIOp>(op)) {
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    Type wide = isa<arith::ExtFOp, arith::SIToFPOp>(op) ? to : from;
    Type stored = wide == to ? from : to;
    if (!wide.isF32() || !isStorable(stored) || stored.isInteger(64))
      return op->emitOpError("converts ") << from << " to " << to
                                          << ", but a fastnorm.map converts between f32 and bf16, f16, f8E4M3FN, i8 or "
                                             "i32";
    return success();
  }
  // A constant or a choice may be of any type that is stored; nothing is computed.
  if (isa<arith::ConstantOp, arith::SelectOp>(op))
    return success();
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!isArithmetic(type))
      return op->emitOpError("computes ") << type << " in a fastnorm.map, which computes in f32 and i1";
  return success();
}

LogicalResult MapOp::verify() {
  // C1
  if (getOperandAxes().size() != getInputs().size())
    return emitOpError("expects axes for each of its ")
           << getInputs().size() << " operands, but got " << getOperandAxes().size();
  AxesAttr resultAxes = getResultAxes();
  auto resultType = tensorOf(getResult());
  if (static_cast<int64_t>(resultAxes.getAxes().size()) != resultType.getRank())
    return emitOpError("expects a result of rank ")
           << resultAxes.getAxes().size() << " for axes " << resultAxes.str() << ", but got " << resultType;
  for (auto [number, input, attribute] : llvm::enumerate(getInputs(), getOperandAxes())) {
    auto axes = cast<AxesAttr>(attribute);
    RankedTensorType type = tensorOf(input);
    if (static_cast<int64_t>(axes.getAxes().size()) != type.getRank())
      return emitOpError("expects operand ")
             << number << " of rank " << axes.getAxes().size() << " for axes " << axes.str() << ", but got " << type;
    for (auto [dimension, axis] : llvm::enumerate(axes.getAxes())) {
      // C2
      if (axis == Axis::Group && resultAxes.contains(Axis::Hidden))
        continue;
      bool countsRows = static_cast<int64_t>(dimension) < axes.rowDimensions();
      std::optional<int64_t> resultDimension =
          countsRows ? axes.rowDimensionWithin(dimension, resultAxes.rowDimensions()) : resultAxes.dimensionOf(axis);
      bool needsHead = countsRows && (axis == Axis::Head || axes.rowDimensions() < resultAxes.rowDimensions());
      if (!resultDimension || (needsHead && !resultAxes.contains(Axis::Head)))
        return emitOpError("expects the axes of operand ")
               << number << ", " << axes.str() << ", to be among the result's, " << resultAxes.str();
      // C3
      if (!agree(type.getShape()[dimension], resultType.getShape()[*resultDimension]))
        return emitOpError("expects ") << stringifyAxis(axis) << " of operand " << number << " to be "
                                       << text(resultType.getShape()[*resultDimension]) << " as in the result, but got "
                                       << text(type.getShape()[dimension]);
    }
  }
  // C4
  Block &block = getBody().front();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError("expects one body argument for each of its ")
           << getInputs().size() << " operands, but got " << block.getNumArguments();
  for (auto [number, argument, input] : llvm::enumerate(block.getArguments(), getInputs()))
    if (argument.getType() != tensorOf(input).getElementType())
      return emitOpError("expects body argument ")
             << number << " of type " << tensorOf(input).getElementType() << ", but got " << argument.getType();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getOperands().size() != 1 || yield.getOperands()[0].getType() != resultType.getElementType())
    return emitOpError("expects its body to yield one ") << resultType.getElementType();
  // C5
  for (Operation &op : block.without_terminator()) {
    if (!isScalarFunction(&op))
      return op.emitOpError("is not a scalar function that a fastnorm.map may use; see the list in its documentation");
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &block)
        return op.emitOpError("uses a value from outside the body of its fastnorm.map; pass it as an operand");
    auto truncf = dyn_cast<arith::TruncFOp>(op);
    if (truncf &&
        truncf.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) != arith::RoundingMode::to_nearest_even)
      return op.emitOpError("rounds ") << arith::stringifyRoundingMode(*truncf.getRoundingmode())
                                       << ", but a fastnorm.map rounds to_nearest_even";
    if (failed(verifyScalarTypes(&op)))
      return failure();
  }
  return success();
}

/// Appends the values among `values` whose axes have the row.
static void appendRowValues(SmallVector<Value> &rows, AxesAttr axes, Value value) {
  if (axes.contains(Axis::Row))
    rows.push_back(value);
}

SmallVector<Value> MapOp::getRowValues() {
  SmallVector<Value> rows;
  for (auto [input, axes] : llvm::zip(getInputs(), getOperandAxes()))
    appendRowValues(rows, cast<AxesAttr>(axes), input);
  appendRowValues(rows, getResultAxes(), getResult());
  return rows;
}
SmallVector<Value> MapOp::getTables() { return {}; }
SmallVector<Value> MapOp::getRowIndices() { return {}; }

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  auto inputType = tensorOf(getInput());
  auto resultType = tensorOf(getResult());
  // C3
  if (getAxis() == Axis::Head || getAxis() == Axis::Group)
    return emitOpError("expects to reduce row, slot or hidden, but got ") << stringifyAxis(getAxis());
  // C1
  std::optional<int64_t> dimension = getOperandAxes().dimensionOf(getAxis());
  if (!dimension || static_cast<int64_t>(getOperandAxes().getAxes().size()) != inputType.getRank())
    return emitOpError("expects axes of the input's rank that include ")
           << stringifyAxis(getAxis()) << ", but got " << getOperandAxes().str() << " for " << inputType;
  if (getOperandAxes().without(getAxis()).getAxes().empty())
    return emitOpError("expects an input with another axis beside ") << stringifyAxis(getAxis());
  // C2
  SmallVector<int64_t> shape(inputType.getShape());
  if (std::optional<int64_t> group = getGroup()) {
    // C4
    if (getAxis() != Axis::Hidden || *group < 1 || shape[*dimension] % *group)
      return emitOpError("expects group to divide hidden, but got ")
             << *group << " along " << stringifyAxis(getAxis()) << " of " << inputType;
    shape[*dimension] /= *group;
  } else {
    // All dimensions that are rows: they count through one row number.
    int64_t count = llvm::count(getOperandAxes().getAxes(), getAxis());
    shape.erase(shape.begin() + *dimension, shape.begin() + *dimension + count);
  }
  bool sameShape = shape.size() == resultType.getShape().size() &&
                   llvm::all_of(llvm::zip(shape, resultType.getShape()),
                                [](auto pair) { return agree(std::get<0>(pair), std::get<1>(pair)); });
  if (!sameShape || !inputType.getElementType().isF32() || !resultType.getElementType().isF32())
    return emitOpError("expects f32 and a result of type ")
           << RankedTensorType::get(shape, Float32Type::get(getContext())) << ", but got " << inputType << " and "
           << resultType;
  return success();
}

AxesAttr ReduceOp::getResultAxes() {
  SmallVector<Axis> axes(getOperandAxes().without(getAxis()).getAxes());
  if (getGroup())
    axes.push_back(Axis::Group);
  return AxesAttr::get(getContext(), axes);
}

SmallVector<Value> ReduceOp::getRowValues() {
  SmallVector<Value> rows;
  appendRowValues(rows, getOperandAxes(), getInput());
  appendRowValues(rows, getResultAxes(), getResult());
  return rows;
}
SmallVector<Value> ReduceOp::getTables() { return {}; }
SmallVector<Value> ReduceOp::getRowIndices() { return {}; }

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  auto tableType = tensorOf(getTable());
  auto indexType = tensorOf(getIndex());
  // C3
  if (tableType.getRank() != 2 || indexType.getRank() > 4 || !indexType.getElementType().isIntOrIndex() ||
      indexType.getElementType().isInteger(1))
    return emitOpError("expects a table of rank 2 and an i32 or i64 index of rank 1 to 4, but got ")
           << tableType << " and " << indexType;
  // C1
  SmallVector<int64_t> shape(indexType.getShape());
  shape.push_back(tableType.getShape()[1]);
  auto expected = RankedTensorType::get(shape, tableType.getElementType());
  if (getResult().getType() != expected)
    return emitOpError("expects a result of type ") << expected << ", but got " << getResult().getType();
  // C2
  auto expectedPresent = RankedTensorType::get(indexType.getShape(), IntegerType::get(getContext(), 1));
  if (getPresent() && getPresent().getType() != expectedPresent)
    return emitOpError("expects present of type ") << expectedPresent << ", but got " << getPresent().getType();
  return success();
}

SmallVector<Value> GatherOp::getRowValues() {
  SmallVector<Value> rows{getIndex(), getResult()};
  if (getPresent())
    rows.push_back(getPresent());
  return rows;
}
SmallVector<Value> GatherOp::getTables() { return {getTable()}; }
SmallVector<Value> GatherOp::getRowIndices() { return {getIndex()}; }

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

LogicalResult ScatterOp::verify() {
  auto rowsType = tensorOf(getRows());
  auto indexType = tensorOf(getIndex());
  auto resultType = tensorOf(getResult());
  auto isFloat = [](RankedTensorType type) {
    return isa<Float32Type, BFloat16Type, Float16Type>(type.getElementType());
  };
  // C3
  if (indexType.getRank() > 4 || !indexType.getElementType().isIntOrIndex() || indexType.getElementType().isInteger(1))
    return emitOpError("expects an i32 or i64 index of rank 1 to 4, but got ") << indexType;
  // C1
  SmallVector<int64_t> shape(indexType.getShape());
  shape.push_back(resultType.getShape().back());
  if (resultType.getRank() != 2 || !isFloat(resultType) || !isFloat(rowsType) || !agree(rowsType.getShape(), shape))
    return emitOpError("expects rows of the index's shape, ")
           << shapeOf(getIndex())
           << ", followed by the hidden size of a result of rank 2, all f32, bf16 or f16, but got " << rowsType
           << " and " << resultType;
  // C2
  if (getInto() && (getIndexMap() != IndexMap::Injective || getInto().getType() != getResult().getType()))
    return emitOpError("expects into of the result's type, ")
           << getResult().getType() << ", together with index_map injective, but got " << getInto().getType() << " and "
           << stringifyIndexMap(getIndexMap());
  return success();
}

SmallVector<Value> ScatterOp::getRowValues() { return {getRows(), getIndex()}; }
SmallVector<Value> ScatterOp::getTables() { return {getResult()}; }
SmallVector<Value> ScatterOp::getRowIndices() { return {getIndex()}; }
SmallVector<std::pair<Value, Value>> ScatterOp::getEqualTables() {
  if (!getInto())
    return {};
  return {{getInto(), getResult()}};
}
