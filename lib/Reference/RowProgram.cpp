//===- RowProgram.cpp - The kernel algebra, row by row --------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How ops become a program; RowProgramSteps.cpp runs it.
//
//===----------------------------------------------------------------------===//

#include "RowProgram.h"
#include "RowValues.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::reference;

Result<RowProgram> RowProgram::of(Operation *op, const std::vector<const Tensor *> &operands,
                                  const std::vector<int64_t> &rowsByUse) {
  RowProgram program;
  program.rowsByUse = rowsByUse;
  SmallVector<Operation *> ops{op};
  SmallVector<Value> inputs(op->getOperands());
  SmallVector<Value> results(op->getResults());
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    Block &block = kernel.getBody().front();
    ops = llvm::to_vector(llvm::map_range(block.without_terminator(), [](Operation &inner) { return &inner; }));
    inputs.assign(block.args_begin(), block.args_end());
    results.assign(block.getTerminator()->operand_begin(), block.getTerminator()->operand_end());
  }
  size_t rowDimensions = 0;
  auto count = [&](AxesAttr axes) { rowDimensions = std::max<size_t>(rowDimensions, axes ? axes.rowDimensions() : 0); };
  for (Operation *inner : ops) {
    if (!isa<MapOp, ReduceOp, GatherOp, ScatterOp>(inner))
      continue;
    for (OpOperand &operand : inner->getOpOperands())
      count(axesOfUse(operand));
    for (Value result : inner->getResults())
      count(axesOf(result));
  }
  program.extents.rows.assign(rowDimensions, -1);
  if (operands.empty() && rowDimensions > 0 && !rowsByUse.empty())
    program.extents.rows[0] = rowsByUse.front();
  for (auto [value, tensor] : llvm::zip(inputs, operands))
    if (Status added = program.addOperand(value, *tensor, ops); !added)
      return added.takeError();
  for (Operation *inner : ops)
    if (Status added = program.addStep(inner); !added)
      return added.takeError();
  for (Value result : results)
    program.outputs.push_back(program.placeOf.at(result));
  return program;
}

RowProgram::When RowProgram::whenOf(Operation *op) const {
  if (isColumnReduction(op))
    return When::Column;
  bool follows =
      llvm::any_of(op->getOperands(), [&](Value operand) { return places[placeOf.at(operand)].isAfterRows; });
  return follows ? When::AfterRows : When::EachRow;
}

/// The value's axes are those that its uses among the program's ops give it.
Status RowProgram::addOperand(Value value, const Tensor &tensor, ArrayRef<Operation *> ops) {
  if (!placeOf.try_emplace(value, places.size()).second)
    return {};
  places.push_back({AxesAttr(), &tensor});
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      AxesAttr axes = axesOfUse(operand);
      if (operand.get() != value || !axes)
        continue;
      places.back().axes = axes;
      if (Status joined = joinExtents(axes, tensor.shape(), op); !joined)
        return joined;
    }
  return {};
}

Status RowProgram::addStep(Operation *op) {
  if (!isa<MapOp, ReduceOp, GatherOp, ScatterOp>(op))
    return Error{"expected ops of the kernel algebra that the reference knows, but got '" +
                 op->getName().getStringRef().str() + "'"};
  Step step{op, whenOf(op), {}, {}, std::nullopt};
  if (auto map = dyn_cast<MapOp>(op)) {
    Result<ScalarBody> body = ScalarBody::of(map);
    if (!body)
      return body.takeError();
    step.body = std::move(*body);
  }
  for (Value operand : op->getOperands())
    step.operands.push_back(placeOf.at(operand));
  for (Value result : op->getResults()) {
    AxesAttr axes = axesOf(result);
    placeOf[result] = places.size();
    step.results.push_back(places.size());
    places.push_back({axes, nullptr, step.when != When::EachRow, /*isScattered=*/!axes});
    if (!axes)
      continue;
    if (Status joined = joinExtents(axes, cast<RankedTensorType>(result.getType()).getShape(), op); !joined)
      return joined;
  }
  if (isa<MapOp>(op))
    for (auto [dimension, axis] : llvm::enumerate(places.back().axes.getAxes()))
      if (*extents.of(places.back().axes, dimension) < 0)
        return Error{"expected operands of fastnorm.map that tell the size of its dynamic " +
                     stringifyAxis(axis).str()};
  if (step.when == When::Column)
    columnSteps.push_back(steps.size());
  steps.push_back(std::move(step));
  return {};
}

/// Dynamic dimensions of a type tell nothing.
Status RowProgram::joinExtents(AxesAttr axes, ArrayRef<int64_t> shape, Operation *op) {
  for (auto [dimension, axis, extent] : llvm::enumerate(axes.getAxes(), shape)) {
    int64_t *place = extents.of(axes, dimension);
    if (!place)
      return Error{"expected values of '" + op->getName().getStringRef().str() + "' with " +
                   std::to_string(extents.rows.size()) + " row dimensions, but got one with axes " + axes.str()};
    int64_t &known = *place;
    if (ShapedType::isDynamic(extent) || known == extent)
      continue;
    if (known >= 0)
      return Error{"expected values of '" + op->getName().getStringRef().str() + "' with one size of " +
                   stringifyAxis(axis).str() + ", but got " + std::to_string(known) + " and " + std::to_string(extent)};
    known = extent;
  }
  return {};
}

int64_t RowProgram::elementsOfRow(AxesAttr axes) const {
  int64_t slots = axes.contains(Axis::Slot) ? extents.slot : 1;
  return slots * columnsOf(axes);
}

int64_t RowProgram::columnsOf(AxesAttr axes) const {
  return axes.contains(Axis::Hidden) ? extents.hidden : axes.contains(Axis::Group) ? extents.group : 1;
}

int64_t *RowProgram::Extents::of(AxesAttr axes, int64_t dimension) {
  Axis axis = axes.getAxes()[dimension];
  if (axis == Axis::Slot || axis == Axis::Group || axis == Axis::Hidden)
    return axis == Axis::Slot ? &slot : axis == Axis::Group ? &group : &hidden;
  std::optional<int64_t> place = axes.rowDimensionWithin(dimension, rows.size());
  return place ? &rows[*place] : nullptr;
}

int64_t RowProgram::Extents::rowCount() const {
  // Values without rows are computed as if they had one.
  int64_t count = 1;
  for (int64_t extent : rows)
    count *= extent < 0 ? 1 : extent;
  return count;
}

int64_t RowProgram::ownRow(AxesAttr axes, int64_t row) const {
  size_t own = axes.rowDimensions();
  if (own == extents.rows.size())
    return row;
  if (own == 0)
    return 0;
  return axes.contains(Axis::Row) ? row / extents.rows.back() : row % extents.rows.back();
}

std::vector<Tensor> RowProgram::run() const {
  int64_t rows = extents.rowCount();
  std::vector<Tensor> results;
  for (auto [number, output] : llvm::enumerate(outputs)) {
    if (places[output].isScattered) {
      results.push_back(startScattered(number));
      continue;
    }
    std::vector<int64_t> shape;
    AxesAttr axes = places[output].axes;
    Extents known = extents;
    for (size_t dimension = 0; dimension < axes.getAxes().size(); ++dimension)
      shape.push_back(*known.of(axes, dimension));
    results.push_back(Tensor::wide(shape));
  }
  int64_t rowElements = std::max<int64_t>(extents.slot, 1) * std::max<int64_t>(extents.hidden, 1);
  // Rows that are added up where they land come one after the other.
  int64_t rowsPerBlock = scatters() ? std::max<int64_t>(rows, 1) : rowsOfBlock(rows);
  std::vector<ColumnSums> blocks((rows + rowsPerBlock - 1) / rowsPerBlock);
  forEachRow(blocks.size(), rowsPerBlock * rowElements, [&](int64_t begin, int64_t end) {
    RowValues values(places.size());
    for (int64_t block = begin; block < end; ++block) {
      blocks[block] = startColumns();
      for (int64_t row = block * rowsPerBlock; row < std::min(rows, (block + 1) * rowsPerBlock); ++row) {
        runRow(row, values);
        addRow(row, values, blocks[block]);
        for (auto [output, result] : llvm::zip(outputs, results))
          if (places[output].isScattered)
            addScattered(output, values, result);
          else if (!places[output].isAfterRows)
            result.write(row * values[output].size(), values[output].size(), values[output].data());
      }
    }
  });
  ColumnSums sums = startColumns();
  for (const ColumnSums &block : blocks)
    addSums(block, sums);
  finishColumns(sums, results);
  for (auto [output, result] : llvm::zip(outputs, results))
    if (places[output].isScattered)
      finishScattered(output, result);
  return results;
}
