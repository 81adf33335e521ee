//===- KernelOps.cpp - Verifiers of the kernel algebra -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/IR/KernelOps.h"

#include "KernelOpsSyntax.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace fastnorm;

#define GET_OP_CLASSES
#include "fastnorm/IR/KernelOps.cpp.inc"

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool agree(int64_t left, int64_t right) {
  return left == right || ShapedType::isDynamic(left) || ShapedType::isDynamic(right);
}

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
// kernel
//===----------------------------------------------------------------------===//

/// The axes of a gather's index, or of its result.
static AxesAttr gatherAxes(GatherOp gather, bool withHidden) {
  int64_t rank = tensorOf(gather.getIndex()).getRank();
  SmallVector<Axis> axes(std::max<int64_t>(1, rank - 1), Axis::Row);
  if (rank >= 2)
    axes.push_back(Axis::Slot);
  if (withHidden)
    axes.push_back(Axis::Hidden);
  return AxesAttr::get(gather.getContext(), axes);
}

/// The axes that one use gives to a value; nothing for a table and for a yield.
static AxesAttr axesOfUse(OpOperand &use) {
  if (auto map = dyn_cast<MapOp>(use.getOwner()))
    return cast<AxesAttr>(map.getOperandAxes()[use.getOperandNumber()]);
  if (auto reduce = dyn_cast<ReduceOp>(use.getOwner()))
    return reduce.getOperandAxes();
  if (auto gather = dyn_cast<GatherOp>(use.getOwner()))
    return use.get() == gather.getTable() ? AxesAttr() : gatherAxes(gather, /*withHidden=*/false);
  return {};
}

AxesAttr fastnorm::axesOf(Value value) {
  if (Operation *producer = value.getDefiningOp()) {
    if (auto map = dyn_cast<MapOp>(producer))
      return map.getResultAxes();
    if (auto reduce = dyn_cast<ReduceOp>(producer))
      return reduce.getResultAxes();
    auto gather = cast<GatherOp>(producer);
    return gatherAxes(gather, value == gather.getResult());
  }
  for (OpOperand &use : value.getUses())
    if (AxesAttr axes = axesOfUse(use))
      return axes;
  return {};
}

bool fastnorm::isTable(Value value) {
  return isa<BlockArgument>(value) && llvm::any_of(value.getUses(), [](OpOperand &use) {
           auto gather = dyn_cast<GatherOp>(use.getOwner());
           return gather && use.get() == gather.getTable();
         });
}

bool fastnorm::isColumnReduction(Operation *op) {
  auto reduce = dyn_cast_or_null<ReduceOp>(op);
  return reduce && reduce.getAxis() == Axis::Row;
}

void fastnorm::addComputed(Block &block, llvm::DenseSet<Value> &values) {
  for (Operation &op : block)
    if (llvm::any_of(op.getOperands(), [&](Value operand) { return values.contains(operand); }))
      values.insert(op.result_begin(), op.result_end());
}

llvm::DenseSet<Value> fastnorm::columnValues(KernelOp kernel) {
  llvm::DenseSet<Value> columns;
  for (ReduceOp reduce : kernel.getBody().getOps<ReduceOp>())
    if (isColumnReduction(reduce))
      columns.insert(reduce.getResult());
  addComputed(kernel.getBody().front(), columns);
  return columns;
}

Value fastnorm::rowCarrier(KernelOp kernel) {
  Block &block = kernel.getBody().front();
  SmallVector<Value> candidates(block.getTerminator()->getOperands());
  for (Operation &op : block.without_terminator())
    if (isColumnReduction(&op))
      candidates.push_back(op.getOperand(0));
  auto carries = [](Value value) {
    AxesAttr axes = axesOf(value);
    return axes && axes.contains(Axis::Row);
  };
  auto carrier = llvm::find_if(candidates, carries);
  return carrier == candidates.end() ? Value() : *carrier;
}

Value fastnorm::rowOperand(KernelOp kernel) {
  SmallVector<Value> values = kernel.getRowValues();
  return values.empty() ? Value() : values.back();
}

/// C3: every use agrees with the value's axes, and a table is only a table.
static LogicalResult verifyUses(KernelOp kernel, Value value) {
  AxesAttr axes = axesOf(value);
  bool table = isTable(value);
  for (OpOperand &use : value.getUses()) {
    AxesAttr axesThere = axesOfUse(use);
    bool tableThere = isa<GatherOp>(use.getOwner()) && !axesThere;
    if (tableThere && !isa<BlockArgument>(value))
      return use.getOwner()->emitOpError("gathers from a value computed in the same kernel");
    if (table != tableThere && !isa<YieldOp>(use.getOwner()))
      return use.getOwner()->emitOpError("reads rows directly from a value that another op gathers from");
    if (axes && axesThere && axes.withoutHeadNames() != axesThere.withoutHeadNames())
      return use.getOwner()->emitOpError("expects a value with axes ")
             << axesThere.str() << ", but another place in its kernel gives it " << axes.str();
  }
  if (isa<BlockArgument>(value) && !table && !axes)
    return kernel.emitOpError("has an input that nothing in its body reads");
  return success();
}

/// C5: one size of hidden and of slot over all values of the body.
static LogicalResult verifySizes(KernelOp kernel, Value value, llvm::DenseMap<int, int64_t> &sizes) {
  AxesAttr axes = axesOf(value);
  if (!axes)
    return success();
  for (auto [dimension, axis] : llvm::enumerate(axes.getAxes())) {
    if (axis == Axis::Row || axis == Axis::Head)
      continue;
    int64_t extent = tensorOf(value).getShape()[dimension];
    if (ShapedType::isDynamic(extent) || extent < 1)
      return kernel.emitOpError("expects ")
             << stringifyAxis(axis) << " to be static and at least 1, but got " << tensorOf(value);
    int64_t most = axis == Axis::Slot ? kMostSlots : kMostHidden;
    if (extent > most)
      return kernel.emitOpError("expects ")
             << stringifyAxis(axis) << " of at most " << most << ", but got " << tensorOf(value);
    auto [entry, isNew] = sizes.try_emplace(static_cast<int>(axis), extent);
    if (!isNew && entry->second != extent)
      return kernel.emitOpError("expects one size of ")
             << stringifyAxis(axis) << " in its body, but got " << entry->second << " and " << extent;
  }
  return success();
}

/// C5: row dimensions are those of the kernel's results.
static LogicalResult verifyRows(KernelOp kernel, Value value, ArrayRef<int64_t> rows) {
  AxesAttr axes = axesOf(value);
  for (int64_t dimension = 0; axes && dimension < axes.rowDimensions(); ++dimension) {
    int64_t extent = tensorOf(value).getShape()[dimension];
    std::optional<int64_t> place = axes.rowDimensionWithin(dimension, rows.size());
    if (!place || !agree(rows[*place], extent) || (*place > 0 && ShapedType::isDynamic(extent)))
      return kernel.emitOpError("expects values with the row dimensions of its results, of which only the first may be "
                                "dynamic, but has one with axes ")
             << axes.str() << " of type " << tensorOf(value) << " beside " << rowCarrier(kernel).getType();
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  Block &block = getBody().front();
  // C1
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError("expects body arguments of the types of its inputs");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError("expects its body to yield values of the types of its results");
  llvm::DenseMap<int, int64_t> sizes;
  for (BlockArgument argument : block.getArguments())
    if (failed(verifyUses(*this, argument)) || failed(verifySizes(*this, argument, sizes)))
      return failure();
  for (Operation &op : block.without_terminator()) {
    // C2
    if (!isa<MapOp, ReduceOp, GatherOp>(op))
      return op.emitOpError("cannot stand in a fastnorm.kernel, which holds fastnorm.map, reduce and gather");
    for (Value result : op.getResults())
      if (failed(verifyUses(*this, result)) || failed(verifySizes(*this, result, sizes)))
        return failure();
  }
  auto groups = sizes.find(static_cast<int>(Axis::Group));
  auto hidden = sizes.find(static_cast<int>(Axis::Hidden));
  if (groups != sizes.end() && hidden != sizes.end() && hidden->second % groups->second)
    return emitOpError("expects a number of groups that divides hidden ")
           << hidden->second << ", but got " << groups->second;
  // C4
  llvm::DenseSet<Value> columns = columnValues(*this);
  for (Value result : yield.getOperands()) {
    if (isa<BlockArgument>(result))
      return emitOpError("yields one of its inputs; return that value directly, or copy it with a fastnorm.map");
    AxesAttr axes = axesOf(result);
    bool isColumns = axes.contains(Axis::Hidden) && !axes.contains(Axis::Row) && columns.contains(result);
    if (!axes.areRowsAnd({}) && !axes.areRowsAnd({Axis::Hidden}) && !axes.areRowsAnd({Axis::Group}) && !isColumns)
      return emitOpError(
                 "expects results with axes [row], [row, hidden] or [row, group], or [hidden] of what is reduced "
                 "over rows, but yields one with ")
             << axes.str();
    if (!isColumns && axes.rowDimensions() != axesOf(rowCarrier(*this)).rowDimensions())
      return emitOpError("expects results with the same row dimensions, but yields ")
             << rowCarrier(*this).getType() << " and " << result.getType();
  }
  // C6
  for (MapOp map : getBody().getOps<MapOp>())
    if (map.getResultAxes().contains(Axis::Row) && columns.contains(map.getResult()))
      return map.emitOpError("computes rows from a reduction over all rows of its kernel; compute the reduction in a "
                             "kernel of its own");
  if (yield.getNumOperands() == 0)
    return success();
  Value carrier = rowCarrier(*this);
  ArrayRef<int64_t> rows = tensorOf(carrier).getShape().take_front(axesOf(carrier).rowDimensions());
  for (BlockArgument argument : block.getArguments())
    if (failed(verifyRows(*this, argument, rows)))
      return failure();
  for (Operation &op : block.without_terminator())
    for (Value result : op.getResults())
      if (failed(verifyRows(*this, result, rows)))
        return failure();
  return success();
}

SmallVector<Value> KernelOp::getRowValues() {
  SmallVector<Value> rows;
  for (auto [input, argument] : llvm::zip(getInputs(), getBody().getArguments()))
    if (AxesAttr axes = axesOf(argument); axes && axes.contains(Axis::Row))
      rows.push_back(input);
  for (auto [result, yielded] : llvm::zip(getResults(), getBody().front().getTerminator()->getOperands()))
    appendRowValues(rows, axesOf(yielded), result);
  return rows;
}

/// The input that a body argument stands for.
static Value inputOf(KernelOp kernel, Value argument) {
  return kernel.getInputs()[cast<BlockArgument>(argument).getArgNumber()];
}

SmallVector<Value> KernelOp::getTables() {
  SmallVector<Value> tables;
  for (GatherOp gather : getBody().getOps<GatherOp>())
    tables.push_back(inputOf(*this, gather.getTable()));
  return tables;
}

SmallVector<Value> KernelOp::getRowIndices() {
  SmallVector<Value> indices;
  for (GatherOp gather : getBody().getOps<GatherOp>())
    if (isa<BlockArgument>(gather.getIndex()))
      indices.push_back(inputOf(*this, gather.getIndex()));
  return indices;
}
