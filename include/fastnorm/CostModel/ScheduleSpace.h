//===- ScheduleSpace.h - Which schedules a kernel may have -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_COSTMODEL_SCHEDULESPACE_H
#define FASTNORM_COSTMODEL_SCHEDULESPACE_H

#include "fastnorm/Analysis/AccessPattern.h"

#include <optional>
#include <string>

namespace fastnorm {

/// Why a kernel cannot have a schedule on a target; nothing when it can. A sentence that goes behind "the schedule".
std::optional<std::string> whyIllegal(const AccessPattern &pattern, ScheduleAttr schedule, TargetAttr target);

} // namespace fastnorm

#endif // FASTNORM_COSTMODEL_SCHEDULESPACE_H
