//===- RowProgramSteps.cpp - One row of the kernel algebra ----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowProgram.h"
#include "Types.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::reference;

void RowProgram::runSteps(When when, int64_t row, RowValues &values) const {
  for (auto [place, elements] : llvm::zip(places, values)) {
    if (!place.source || !place.axes || (when == When::AfterRows && place.axes.contains(Axis::Row)))
      continue;
    elements.resize(elementsOfRow(place.axes));
    place.source->read(ownRow(place.axes, row) * elements.size(), elements.size(), elements.data());
  }
  for (const Step &step : steps)
    if (step.when == when)
      llvm::TypeSwitch<Operation *>(step.op)
          .Case([&](MapOp) { runMap(step, values); })
          .Case([&](ReduceOp) { runReduce(step, values); })
          .Case([&](GatherOp) { runGather(step, values); });
}

/// Repeats a row's elements along the axes of the result that they lack.
void RowProgram::broadcast(const std::vector<double> &from, AxesAttr axes, AxesAttr resultAxes,
                           std::vector<double> &to) const {
  int64_t slots = resultAxes.contains(Axis::Slot) ? extents.slot : 1;
  int64_t columns = columnsOf(resultAxes);
  // Neighbours of hidden that one element of the operand stands for: one, its group, or all.
  int64_t run = columns / columnsOf(axes);
  int64_t slotStep = axes.contains(Axis::Slot) ? columnsOf(axes) : 0;
  to.resize(slots * columns);
  for (int64_t slot = 0; slot < slots; ++slot)
    for (int64_t column = 0; column < columns; ++column)
      to[slot * columns + column] = from[slot * slotStep + column / run];
}

void RowProgram::runMap(const Step &step, RowValues &values) const {
  auto map = cast<MapOp>(step.op);
  std::vector<std::vector<double>> bodyValues(step.operands.size());
  for (auto [operand, axes, elements] : llvm::zip(step.operands, map.getOperandAxes(), bodyValues))
    broadcast(values[operand], cast<AxesAttr>(axes), map.getResultAxes(), elements);
  values[step.results[0]] = step.body->evaluate(elementsOfRow(map.getResultAxes()), bodyValues);
}

static double combine(Combiner combiner, double left, double right) {
  if (combiner == Combiner::Add)
    return left + right;
  if (std::isnan(left) || std::isnan(right))
    return std::nan("");
  return combiner == Combiner::Max ? std::max(left, right) : std::min(left, right);
}

static double identityOf(Combiner combiner) {
  if (combiner == Combiner::Add)
    return 0.0;
  double infinity = std::numeric_limits<double>::infinity();
  return combiner == Combiner::Max ? -infinity : infinity;
}

void RowProgram::runReduce(const Step &step, RowValues &values) const {
  auto reduce = cast<ReduceOp>(step.op);
  const std::vector<double> &input = values[step.operands[0]];
  std::vector<double> &result = values[step.results[0]];
  result.assign(elementsOfRow(reduce.getResultAxes()), identityOf(reduce.getCombiner()));
  // Elements of one column follow each other `columns` apart along slot, and side by side along hidden or a group of
  // it.
  int64_t columns = reduce.getGroup().value_or(columnsOf(reduce.getOperandAxes()));
  for (size_t index = 0; index < input.size(); ++index) {
    size_t kept = reduce.getAxis() == Axis::Slot ? index % columns : index / columns;
    result[kept] = combine(reduce.getCombiner(), result[kept], input[index]);
  }
}

int64_t RowProgram::headsOf(const Step &column) const {
  return places[column.results[0]].axes.contains(Axis::Head) ? extents.rows.back() : 1;
}

static void combineInto(Combiner combiner, llvm::ArrayRef<double> elements, double *totals) {
  for (auto [index, element] : llvm::enumerate(elements))
    totals[index] = combine(combiner, totals[index], element);
}

static Combiner combinerOf(Operation *column) { return cast<ReduceOp>(column).getCombiner(); }

RowProgram::ColumnSums RowProgram::startColumns() const {
  ColumnSums sums;
  for (size_t column : columnSteps)
    sums.emplace_back(headsOf(steps[column]) * elementsOfRow(places[steps[column].results[0]].axes),
                      identityOf(combinerOf(steps[column].op)));
  return sums;
}

void RowProgram::addRow(int64_t row, const RowValues &values, ColumnSums &sums) const {
  for (auto [column, sum] : llvm::zip(columnSteps, sums)) {
    const std::vector<double> &elements = values[steps[column].operands[0]];
    combineInto(combinerOf(steps[column].op), elements, sum.data() + row % headsOf(steps[column]) * elements.size());
  }
}

void RowProgram::addSums(const ColumnSums &from, ColumnSums &to) const {
  for (auto [column, added, sum] : llvm::zip(columnSteps, from, to))
    combineInto(combinerOf(steps[column].op), added, sum.data());
}

void RowProgram::finishColumns(const ColumnSums &sums, std::vector<Tensor> &results) const {
  int64_t heads = columnSteps.empty() ? 0 : 1;
  for (size_t column : columnSteps)
    heads = std::max(heads, headsOf(steps[column]));
  for (int64_t head = 0; head < heads; ++head) {
    RowValues values(places.size());
    for (auto [column, sum] : llvm::zip(columnSteps, sums)) {
      const Step &step = steps[column];
      int64_t elements = elementsOfRow(places[step.results[0]].axes);
      auto first = sum.begin() + head % headsOf(step) * elements;
      values[step.results[0]].assign(first, first + elements);
    }
    runSteps(When::AfterRows, head, values);
    for (auto [output, result] : llvm::zip(outputs, results))
      if (places[output].isAfterRows && (head == 0 || places[output].axes.contains(Axis::Head)))
        result.write(head * values[output].size(), values[output].size(), values[output].data());
  }
}

void RowProgram::runGather(const Step &step, RowValues &values) const {
  const Tensor &table = *places[step.operands[0]].source;
  const std::vector<double> &index = values[step.operands[1]];
  std::vector<double> &result = values[step.results[0]];
  int64_t columns = table.rowElements();
  result.assign(index.size() * columns, 0.0);
  std::vector<double> present(index.size(), 0.0);
  for (size_t slot = 0; slot < index.size(); ++slot) {
    if (index[slot] < 0 || index[slot] >= table.shape()[0])
      continue;
    present[slot] = 1.0;
    table.read(static_cast<int64_t>(index[slot]) * columns, columns, result.data() + slot * columns);
  }
  if (step.results.size() > 1)
    values[step.results[1]] = present;
}

const RowProgram::Step &RowProgram::stepOf(size_t place) const {
  return *llvm::find_if(steps, [&](const Step &step) { return llvm::is_contained(step.results, place); });
}

bool RowProgram::scatters() const {
  return llvm::any_of(outputs, [&](size_t output) { return places[output].isScattered; });
}

/// Zeros, or what the scatter goes into.
Tensor RowProgram::startScattered(size_t output) const {
  const Step &step = stepOf(outputs[output]);
  int64_t hidden = cast<RankedTensorType>(step.op->getResult(0).getType()).getShape().back();
  Tensor result = Tensor::wide({rowsByUse[output], hidden});
  if (step.operands.size() < 3)
    return result;
  const Tensor &into = *places[step.operands[2]].source;
  std::vector<double> row(hidden);
  for (int64_t number = 0; number < into.shape()[0]; ++number) {
    into.read(number * hidden, hidden, row.data());
    result.write(number * hidden, hidden, row.data());
  }
  return result;
}

/// Only where slots may name one row is anything added; else it takes the place of what was there.
void RowProgram::addScattered(size_t place, const RowValues &values, Tensor &result) const {
  const Step &step = stepOf(place);
  bool addsUp = cast<ScatterOp>(step.op).accumulates();
  const std::vector<double> &rows = values[step.operands[0]];
  const std::vector<double> &index = values[step.operands[1]];
  int64_t hidden = result.rowElements();
  std::vector<double> sum(hidden);
  for (size_t slot = 0; slot < index.size(); ++slot) {
    if (index[slot] < 0 || index[slot] >= static_cast<double>(result.shape()[0]))
      continue;
    int64_t first = static_cast<int64_t>(index[slot]) * hidden;
    result.read(first, hidden, sum.data());
    for (int64_t column = 0; column < hidden; ++column)
      sum[column] = rows[slot * hidden + column] + (addsUp ? sum[column] : 0.0);
    result.write(first, hidden, sum.data());
  }
}

/// Rounds the sums once.
void RowProgram::finishScattered(size_t place, Tensor &result) const {
  Type element = cast<RankedTensorType>(stepOf(place).op->getResult(0).getType()).getElementType();
  result = Tensor::own(result.convert(*dtypeOf(element)));
}
