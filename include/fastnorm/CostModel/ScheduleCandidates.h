//===- ScheduleCandidates.h - Schedules worth measuring ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_COSTMODEL_SCHEDULECANDIDATES_H
#define FASTNORM_COSTMODEL_SCHEDULECANDIDATES_H

#include "fastnorm/Analysis/AccessPattern.h"

#include <vector>

namespace fastnorm {

struct ScheduleCandidate {
  ScheduleAttr schedule;
  double modelUs = 0; ///< what the cost model says that it takes
};

/// The ways to lay a kernel over a target, one of each shape (kind, scope, threads, vectors, CTAs, stages), with what
/// the rules of docs/Schedules.md choose for the rest: all that are legal, the fastest by the cost model first. What
/// adds up atomically is not among them: a table must not decide whether results differ from run to run.
std::vector<ScheduleCandidate> scheduleShapes(const AccessPattern &pattern, TargetAttr target, int64_t rows);

/// The legal schedules that differ from one in a single parameter, or in how many threads have how many vectors.
std::vector<ScheduleCandidate> scheduleNeighbours(const AccessPattern &pattern, TargetAttr target, int64_t rows,
                                                  ScheduleAttr schedule);

} // namespace fastnorm

#endif // FASTNORM_COSTMODEL_SCHEDULECANDIDATES_H
