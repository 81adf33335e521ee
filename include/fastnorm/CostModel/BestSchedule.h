//===- BestSchedule.h - The schedule for a kernel -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_COSTMODEL_BESTSCHEDULE_H
#define FASTNORM_COSTMODEL_BESTSCHEDULE_H

#include "fastnorm/Analysis/AccessPattern.h"

namespace fastnorm {

/// The schedule that the rules of docs/Schedules.md give a kernel on a target. Nothing where no schedule can run the
/// kernel's body (`pattern.unsupported`). `rows` is the first extent of its results; without it, many.
std::optional<ScheduleAttr> bestSchedule(const AccessPattern &pattern, TargetAttr target,
                                         std::optional<int64_t> rows = std::nullopt);

} // namespace fastnorm

#endif // FASTNORM_COSTMODEL_BESTSCHEDULE_H
