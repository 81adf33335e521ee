//===- KernelOp.cpp - A kernel, and the axes of its values -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/IR/KernelOps.h"

#include "GraphOpChecks.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace fastnorm;

/// The axes of the index of a gather or scatter, or of the rows that it names.
static AxesAttr indexAxes(Value index, bool withHidden) {
  int64_t rank = tensorOf(index).getRank();
  SmallVector<Axis> axes(std::max<int64_t>(1, rank - 1), Axis::Row);
  if (rank >= 2)
    axes.push_back(Axis::Slot);
  if (withHidden)
    axes.push_back(Axis::Hidden);
  return AxesAttr::get(index.getContext(), axes);
}

/// Whether one use of a value is as a table.
static bool isTableUse(OpOperand &use) {
  if (auto scatter = dyn_cast<ScatterOp>(use.getOwner()))
    return scatter.getInto() && use.getOperandNumber() == 2;
  return isa<GatherOp>(use.getOwner()) && use.getOperandNumber() == 0;
}

AxesAttr fastnorm::axesOfUse(OpOperand &use) {
  if (auto map = dyn_cast<MapOp>(use.getOwner()))
    return cast<AxesAttr>(map.getOperandAxes()[use.getOperandNumber()]);
  if (auto reduce = dyn_cast<ReduceOp>(use.getOwner()))
    return reduce.getOperandAxes();
  if (isTableUse(use))
    return {};
  if (auto gather = dyn_cast<GatherOp>(use.getOwner()))
    return indexAxes(gather.getIndex(), /*withHidden=*/false);
  if (auto scatter = dyn_cast<ScatterOp>(use.getOwner()))
    return indexAxes(scatter.getIndex(), /*withHidden=*/use.getOperandNumber() == 0);
  return {};
}

AxesAttr fastnorm::axesOf(Value value) {
  if (Operation *producer = value.getDefiningOp()) {
    if (auto map = dyn_cast<MapOp>(producer))
      return map.getResultAxes();
    if (auto reduce = dyn_cast<ReduceOp>(producer))
      return reduce.getResultAxes();
    if (isa<ScatterOp>(producer))
      return {};
    auto gather = cast<GatherOp>(producer);
    return indexAxes(gather.getIndex(), value == gather.getResult());
  }
  for (OpOperand &use : value.getUses())
    if (AxesAttr axes = axesOfUse(use))
      return axes;
  return {};
}

bool fastnorm::isTable(Value value) {
  return isScattered(value) || (isa<BlockArgument>(value) && llvm::any_of(value.getUses(), isTableUse));
}

bool fastnorm::isScattered(Value value) { return static_cast<bool>(value.getDefiningOp<ScatterOp>()); }

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
    if (isColumnReduction(&op) || isa<ScatterOp>(op))
      candidates.push_back(op.getOperand(0));
  auto carries = [](Value value) {
    AxesAttr axes = axesOf(value);
    return axes && axes.contains(Axis::Row);
  };
  auto carrier = llvm::find_if(candidates, carries);
  return carrier == candidates.end() ? Value() : *carrier;
}

Value fastnorm::outsideOf(KernelOp kernel, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return kernel.getInputs()[argument.getArgNumber()];
  OperandRange yielded = kernel.getBody().front().getTerminator()->getOperands();
  return kernel.getResult(llvm::find(yielded, value) - yielded.begin());
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
    bool tableThere = isTableUse(use);
    bool isInto = tableThere && isa<ScatterOp>(use.getOwner());
    if (tableThere && !isInto && !isa<BlockArgument>(value))
      return use.getOwner()->emitOpError("gathers from a value computed in the same kernel");
    if (isInto && (!isa<BlockArgument>(value) || !value.hasOneUse()))
      return use.getOwner()->emitOpError("expects to go into an input of its kernel that nothing else reads");
    if (isScattered(value) && !isa<YieldOp>(use.getOwner()))
      return use.getOwner()->emitOpError("reads what is scattered in the same kernel; read it in another one");
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

/// C6: what carries row is not computed from a reduction over row.
static LogicalResult verifyColumns(KernelOp kernel, const llvm::DenseSet<Value> &columns) {
  for (MapOp map : kernel.getBody().getOps<MapOp>())
    if (map.getResultAxes().contains(Axis::Row) && columns.contains(map.getResult()))
      return map.emitOpError("computes rows from a reduction over all rows of its kernel; compute the reduction in a "
                             "kernel of its own");
  return success();
}

/// C5 of all values: row dimensions.
static LogicalResult verifyAllRows(KernelOp kernel) {
  Block &block = kernel.getBody().front();
  Value carrier = rowCarrier(kernel);
  ArrayRef<int64_t> rows = tensorOf(carrier).getShape().take_front(axesOf(carrier).rowDimensions());
  for (BlockArgument argument : block.getArguments())
    if (failed(verifyRows(kernel, argument, rows)))
      return failure();
  for (Operation &op : block.without_terminator())
    for (Value result : op.getResults())
      if (failed(verifyRows(kernel, result, rows)))
        return failure();
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
    if (!isa<MapOp, ReduceOp, GatherOp, ScatterOp>(op))
      return op.emitOpError("cannot stand in a fastnorm.kernel, which holds fastnorm.map, reduce, gather and scatter");
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
    if (isScattered(result))
      continue;
    AxesAttr axes = axesOf(result);
    bool isColumns = axes.contains(Axis::Hidden) && !axes.contains(Axis::Row) && columns.contains(result);
    bool isRows = axes.areRowsAnd({}) || axes.areRowsAnd({Axis::Slot}) || axes.areRowsAnd({Axis::Hidden}) ||
                  axes.areRowsAnd({Axis::Group});
    if (!isRows && !isColumns)
      return emitOpError("expects results with axes [row], [row, slot], [row, hidden] or [row, group], or [hidden] of "
                         "what is reduced over rows, but yields one with ")
             << axes.str();
    if (!isColumns && axes.rowDimensions() != axesOf(rowCarrier(*this)).rowDimensions())
      return emitOpError("expects results with the same row dimensions, but yields ")
             << rowCarrier(*this).getType() << " and " << result.getType();
  }
  if (failed(verifyColumns(*this, columns)))
    return failure();
  if (yield.getNumOperands() == 0)
    return success();
  return verifyAllRows(*this);
}

SmallVector<Value> KernelOp::getRowValues() {
  SmallVector<Value> rows;
  for (auto [input, argument] : llvm::zip(getInputs(), getBody().getArguments()))
    if (AxesAttr axes = axesOf(argument); axes && axes.contains(Axis::Row))
      rows.push_back(input);
  for (auto [result, yielded] : llvm::zip(getResults(), getBody().front().getTerminator()->getOperands()))
    if (AxesAttr axes = axesOf(yielded); axes && axes.contains(Axis::Row))
      rows.push_back(result);
  return rows;
}

/// The input that a body argument stands for.
static Value inputOf(KernelOp kernel, Value argument) {
  return kernel.getInputs()[cast<BlockArgument>(argument).getArgNumber()];
}

/// The result that a scatter of a kernel is yielded as; null where it is not.
static Value resultOf(KernelOp kernel, ScatterOp scatter) {
  OperandRange yielded = kernel.getBody().front().getTerminator()->getOperands();
  auto found = llvm::find(yielded, scatter.getResult());
  return found == yielded.end() ? Value() : Value(kernel.getResult(found - yielded.begin()));
}

namespace {
/// What an index of a kernel points into.
struct IndexedTable {
  Value table, index;
};
} // namespace

/// Of all gathers and scatters: the tables outside of the kernel, the indices inside.
static SmallVector<IndexedTable> indexedTables(KernelOp kernel) {
  SmallVector<IndexedTable> tables;
  for (Operation &op : kernel.getBody().front()) {
    if (auto gather = dyn_cast<GatherOp>(op))
      tables.push_back({inputOf(kernel, gather.getTable()), gather.getIndex()});
    if (auto scatter = dyn_cast<ScatterOp>(op))
      if (Value result = resultOf(kernel, scatter))
        tables.push_back({result, scatter.getIndex()});
  }
  return tables;
}

SmallVector<Value> KernelOp::getTables() {
  return llvm::map_to_vector(indexedTables(*this), [](IndexedTable table) { return table.table; });
}

SmallVector<Value> KernelOp::getRowIndices() {
  return llvm::map_to_vector(indexedTables(*this), [&](IndexedTable table) {
    return isa<BlockArgument>(table.index) ? inputOf(*this, table.index) : Value();
  });
}

SmallVector<std::pair<Value, Value>> KernelOp::getEqualTables() {
  SmallVector<std::pair<Value, Value>> equal;
  for (ScatterOp scatter : getBody().getOps<ScatterOp>())
    if (Value result = resultOf(*this, scatter); result && scatter.getInto())
      equal.emplace_back(inputOf(*this, scatter.getInto()), result);
  return equal;
}
