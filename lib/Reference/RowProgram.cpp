//===- RowProgram.cpp - The kernel algebra, row by row --------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How ops become a program; RowProgramSteps.cpp runs it.
//
//===----------------------------------------------------------------------===//

#include "RowProgram.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::reference;

static AxesAttr axesOfGather(GatherOp gather, bool withHidden) {
  SmallVector<Axis> axes{Axis::Row};
  if (cast<RankedTensorType>(gather.getIndex().getType()).getRank() == 2)
    axes.push_back(Axis::Slot);
  if (withHidden)
    axes.push_back(Axis::Hidden);
  return AxesAttr::get(gather.getContext(), axes);
}

/// The axes an op gives to one of its operands; null for a table.
static AxesAttr axesOfOperand(Operation *op, unsigned number) {
  if (auto map = dyn_cast<MapOp>(op))
    return cast<AxesAttr>(map.getOperandAxes()[number]);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getOperandAxes();
  return number == 0 ? AxesAttr() : axesOfGather(cast<GatherOp>(op), /*withHidden=*/false);
}

static AxesAttr axesOfResult(Operation *op, unsigned number) {
  if (auto map = dyn_cast<MapOp>(op))
    return map.getResultAxes();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getResultAxes();
  return axesOfGather(cast<GatherOp>(op), /*withHidden=*/number == 0);
}

Result<RowProgram> RowProgram::of(Operation *op, const std::vector<const Tensor *> &operands) {
  RowProgram program;
  SmallVector<Operation *> ops{op};
  SmallVector<Value> inputs(op->getOperands());
  SmallVector<Value> results(op->getResults());
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    Block &block = kernel.getBody().front();
    ops = llvm::to_vector(llvm::map_range(block.without_terminator(), [](Operation &inner) { return &inner; }));
    inputs.assign(block.args_begin(), block.args_end());
    results.assign(block.getTerminator()->operand_begin(), block.getTerminator()->operand_end());
  }
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

/// The value's axes are those that its uses among the program's ops give it.
Status RowProgram::addOperand(Value value, const Tensor &tensor, ArrayRef<Operation *> ops) {
  if (!placeOf.try_emplace(value, places.size()).second)
    return {};
  places.push_back({AxesAttr(), &tensor});
  for (Operation *op : ops)
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      AxesAttr axes = axesOfOperand(op, number);
      if (operand != value || !axes)
        continue;
      places.back().axes = axes;
      if (Status joined = joinExtents(axes, tensor.shape(), op); !joined)
        return joined;
    }
  return {};
}

Status RowProgram::addStep(Operation *op) {
  if (!isa<MapOp, ReduceOp, GatherOp>(op))
    return Error{"expected ops of the kernel algebra that the reference knows, but got '" +
                 op->getName().getStringRef().str() + "'"};
  Step step{op, {}, {}, std::nullopt};
  if (auto map = dyn_cast<MapOp>(op)) {
    Result<ScalarBody> body = ScalarBody::of(map);
    if (!body)
      return body.takeError();
    step.body = std::move(*body);
  }
  for (Value operand : op->getOperands())
    step.operands.push_back(placeOf.at(operand));
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    AxesAttr axes = axesOfResult(op, number);
    placeOf[result] = places.size();
    step.results.push_back(places.size());
    places.push_back({axes, nullptr});
    if (Status joined = joinExtents(axes, cast<RankedTensorType>(result.getType()).getShape(), op); !joined)
      return joined;
  }
  if (isa<MapOp>(op))
    for (Axis axis : places.back().axes.getAxes())
      if (extents.of(axis) < 0)
        return Error{"expected operands of fastnorm.map that tell the size of its dynamic " +
                     stringifyAxis(axis).str()};
  steps.push_back(std::move(step));
  return {};
}

/// Dynamic dimensions of a type tell nothing.
Status RowProgram::joinExtents(AxesAttr axes, ArrayRef<int64_t> shape, Operation *op) {
  for (auto [axis, extent] : llvm::zip(axes.getAxes(), shape)) {
    int64_t &known = extents.of(axis);
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

std::vector<Tensor> RowProgram::run() const {
  // Values without rows are computed as if they had one.
  int64_t rows = extents.row < 0 ? 1 : extents.row;
  std::vector<Tensor> results;
  for (size_t output : outputs) {
    std::vector<int64_t> shape;
    for (Axis axis : places[output].axes.getAxes())
      shape.push_back(Extents(extents).of(axis));
    results.push_back(Tensor::wide(shape));
  }
  int64_t rowElements = std::max<int64_t>(extents.slot, 1) * std::max<int64_t>(extents.hidden, 1);
  forEachRow(rows, rowElements, [&](int64_t begin, int64_t end) {
    RowValues values(places.size());
    for (int64_t row = begin; row < end; ++row) {
      runRow(row, values);
      for (auto [output, result] : llvm::zip(outputs, results))
        result.write(row * values[output].size(), values[output].size(), values[output].data());
    }
  });
  return results;
}
