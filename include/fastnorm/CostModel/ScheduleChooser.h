//===- ScheduleChooser.h - A measured schedule, else the modelled one -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_COSTMODEL_SCHEDULECHOOSER_H
#define FASTNORM_COSTMODEL_SCHEDULECHOOSER_H

#include "fastnorm/Analysis/AccessPattern.h"
#include "fastnorm/CostModel/ScheduleTable.h"

#include <memory>

namespace fastnorm {

/// Which table schedules are looked up in before the cost model is asked.
class TableChoice {
public:
  /// "none"; "shipped", the one that the compiler brings for the target; else the file of a table.
  static Result<TableChoice> open(llvm::StringRef text, mlir::MLIRContext &context);

  /// The table for a target; null for none. A table in a file must be of the target.
  Result<const ScheduleTable *> tableFor(TargetAttr target) const;

private:
  bool usesShipped = false;
  std::string path;
  std::shared_ptr<const ScheduleTable> table;
};

struct ChosenSchedule {
  /// Nothing: no schedule can run the kernel.
  std::optional<ScheduleAttr> schedule;
  const TunedSchedule *tuned = nullptr; ///< what the schedule is from; null: the cost model
  std::string refusal;                  ///< why what the table has was not taken; empty: it has nothing, or it was
};

/// Answers for one kernel, row count by row count. The pattern and the table must outlive it.
class ScheduleChooser {
public:
  ScheduleChooser(const AccessPattern &pattern, TargetAttr target, const ScheduleTable *table);

  /// As in bestSchedule.
  ChosenSchedule choose(std::optional<int64_t> rows) const;
  /// The numbers of rows from which on the table has something else to say, ascending.
  llvm::SmallVector<int64_t> tableStarts() const;

private:
  const AccessPattern &pattern;
  TargetAttr target;
  const TunedKernel *kernel = nullptr;
};

} // namespace fastnorm

#endif // FASTNORM_COSTMODEL_SCHEDULECHOOSER_H
