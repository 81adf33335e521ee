//===- FusionPlans.h - Groupings and their times ----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TRANSFORMS_FUSIONPLANS_H
#define FASTNORM_LIB_TRANSFORMS_FUSIONPLANS_H

#include "Grouping.h"

#include "fastnorm/CostModel/CostEstimate.h"

namespace fastnorm {

/// Rows that stand for any number of them where it is not known and one answer must serve all.
inline constexpr int64_t kTypicalRows = int64_t(1) << 14;
/// A kernel of a grouping with the schedule it would get, and what it is thought to take.
struct PlannedKernel {
  KernelOp kernel;
  std::optional<ScheduleAttr> schedule; ///< nothing: none runs it
  CostEstimate cost;
};

/// The kernels of a grouping, to be asked about any number of rows.
class TimedGrouping {
public:
  /// `isRowInvariant`: each kernel has the schedule of many rows.
  TimedGrouping(Grouping grouping, TargetAttr target, bool isRowInvariant);

  const Grouping &grouping() const { return laid; }
  /// `rows` counts the rows of kernels with a dynamic number of them.
  std::vector<PlannedKernel> plan(int64_t rows) const;
  /// Microseconds of all kernels; beyond any time where one of them has no schedule.
  double timeAt(int64_t rows) const;

private:
  Grouping laid;
  TargetAttr target;
  bool isRowInvariant;
  std::vector<AccessPattern> patterns;
};

/// The groupings of a function that are considered, the one of single kernels first.
class FusionPlans {
public:
  static mlir::FailureOr<FusionPlans> of(mlir::func::FuncOp function, TargetAttr target, bool isRowInvariant);
  FusionPlans(std::vector<Grouping> groupings, TargetAttr target, bool isRowInvariant);

  llvm::ArrayRef<TimedGrouping> all() const { return timed; }
  size_t bestAt(int64_t rows) const;
  /// Rows from which on a grouping is taken, ascending from 0: the best, or the one before it while that takes at most
  /// 2 % more.
  struct Start {
    int64_t rows;
    size_t grouping;
  };
  llvm::SmallVector<Start> starts() const;
  /// The best of those where two kernels of the graph share a launch, or where they do not; nothing where there is
  /// none.
  std::optional<size_t> bestWhere(bool areTogether, unsigned first, unsigned second, int64_t rows) const;

private:
  std::vector<TimedGrouping> timed;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_TRANSFORMS_FUSIONPLANS_H
