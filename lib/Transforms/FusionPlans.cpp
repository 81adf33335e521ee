//===- FusionPlans.cpp - Groupings and their times ------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionPlans.h"

#include "Variants.h"

#include "fastnorm/CostModel/BestSchedule.h"

#include <numeric>

using namespace mlir;
using namespace fastnorm;

/// A grouping is kept, row count by row count, while another gains no more: each range of rows is compiled for itself.
static constexpr double kWorthAnotherRange = 1.02;
/// Microseconds of what no schedule runs.
static constexpr double kNever = 1e12;
static constexpr int64_t kFewRows = 16;

/// Slots of a row of an index.
static int64_t slotsPerRow(Value index) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(index.getType()).getShape();
  return std::accumulate(shape.begin() + 1, shape.end(), int64_t(1), std::multiplies<>());
}

/// How many rows of a value there are for each of the function's: where a scatter goes into them, as many as it has
/// slots, as if each row were named.
static int64_t rowsForEach(Value value) {
  for (Operation *user : value.getUsers())
    if (auto kernel = dyn_cast<KernelOp>(user))
      for (auto [into, result] : kernel.getEqualTables())
        for (auto [table, index] : llvm::zip(kernel.getTables(), kernel.getRowIndices()))
          if (into == value && table == result && index)
            return slotsPerRow(index);
  return 1;
}

/// The first extent of a kernel's rows, from that of the function's where it is dynamic.
static int64_t rowsOf(KernelOp kernel, int64_t rows) {
  if (kernel.getNumResults() == 0)
    return rows;
  Value carrier = rowOperand(kernel);
  int64_t extent = cast<RankedTensorType>(carrier.getType()).getShape()[0];
  return ShapedType::isDynamic(extent) ? rows * rowsForEach(carrier) : extent;
}

static int64_t bytesOf(Value value, int64_t rows) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = elementBytes(type.getElementType());
  for (int64_t extent : type.getShape())
    bytes *= ShapedType::isDynamic(extent) ? rows : extent;
  return bytes;
}

TimedGrouping::TimedGrouping(Grouping grouping, TargetAttr target, bool isRowInvariant)
    : laid(std::move(grouping)), target(target), isRowInvariant(isRowInvariant) {
  for (KernelOp kernel : laid.kernels())
    patterns.emplace_back(kernel);
}

std::vector<PlannedKernel> TimedGrouping::plan(int64_t rows) const {
  std::vector<PlannedKernel> planned;
  for (const AccessPattern &pattern : patterns) {
    KernelOp kernel = pattern.kernel;
    int64_t kernelRows = rowsOf(kernel, rows);
    PlannedKernel entry{kernel, kernel.getSchedule(), {}};
    if (!entry.schedule)
      entry.schedule = bestSchedule(pattern, target, isRowInvariant ? std::nullopt : std::optional(kernelRows));
    if (entry.schedule) {
      llvm::SmallBitVector hot(kernel.getInputs().size());
      for (auto [index, input] : llvm::enumerate(kernel.getInputs()))
        hot[index] = input.getDefiningOp<KernelOp>() && staysInL2(bytesOf(input, rows), target);
      entry.cost = estimateCost(pattern, *entry.schedule, target, kernelRows, hot);
    }
    planned.push_back(entry);
  }
  return planned;
}

double TimedGrouping::timeAt(int64_t rows) const {
  double us = 0;
  for (const PlannedKernel &kernel : plan(rows))
    us += kernel.schedule ? kernel.cost.totalUs : kNever;
  return us;
}

FailureOr<FusionPlans> FusionPlans::of(func::FuncOp function, TargetAttr target, bool isRowInvariant) {
  auto costAt = [&](int64_t rows) -> GroupingCost {
    return [=](const Grouping &grouping) {
      // A copy without merging anything: the times are asked of it only here.
      return TimedGrouping(Grouping(grouping.function()), target, isRowInvariant).timeAt(rows);
    };
  };
  FailureOr<std::vector<Grouping>> groupings =
      enumerateGroupings(function, target, {costAt(kTypicalRows), costAt(kFewRows)});
  if (failed(groupings))
    return failure();
  return FusionPlans(std::move(*groupings), target, isRowInvariant);
}

FusionPlans::FusionPlans(std::vector<Grouping> groupings, TargetAttr target, bool isRowInvariant) {
  for (Grouping &grouping : groupings)
    timed.emplace_back(std::move(grouping), target, isRowInvariant);
}

size_t FusionPlans::bestAt(int64_t rows) const {
  auto best = llvm::min_element(timed, [&](const TimedGrouping &left, const TimedGrouping &right) {
    return left.timeAt(rows) < right.timeAt(rows);
  });
  return best - timed.begin();
}

SmallVector<FusionPlans::Start> FusionPlans::starts() const {
  SmallVector<Start> found{{0, bestAt(1)}};
  auto isKept = [&](int64_t rows) {
    double kept = timed[found.back().grouping].timeAt(rows);
    return kept <= kWorthAnotherRange * timed[bestAt(rows)].timeAt(rows);
  };
  if (timed.size() > 1)
    forEachChange(1, kManyRows, isKept, [&](int64_t rows) { found.push_back({rows, bestAt(rows)}); });
  return found;
}

std::optional<size_t> FusionPlans::bestWhere(bool areTogether, unsigned first, unsigned second, int64_t rows) const {
  std::optional<size_t> best;
  for (auto [index, candidate] : llvm::enumerate(timed))
    if (candidate.grouping().areTogether(first, second) == areTogether &&
        (!best || candidate.timeAt(rows) < timed[*best].timeAt(rows)))
      best = index;
  return best;
}
