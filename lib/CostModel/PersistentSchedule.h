//===- PersistentSchedule.h - Schedules of kernels that reduce over rows -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_COSTMODEL_PERSISTENTSCHEDULE_H
#define FASTNORM_LIB_COSTMODEL_PERSISTENTSCHEDULE_H

#include "fastnorm/Analysis/AccessPattern.h"

#include <optional>

namespace fastnorm {

/// The schedule for a kernel whose CTAs walk over many rows, because it reduces over them; nothing where none is
/// legal. `rows` counts all rows; without it, many.
std::optional<ScheduleAttr> bestPersistentSchedule(const AccessPattern &pattern, TargetAttr target,
                                                   std::optional<int64_t> rows);

} // namespace fastnorm

#endif // FASTNORM_LIB_COSTMODEL_PERSISTENTSCHEDULE_H
