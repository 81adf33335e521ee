//===- ScheduleRules.h - What follows from the shape of a schedule -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_COSTMODEL_SCHEDULERULES_H
#define FASTNORM_LIB_COSTMODEL_SCHEDULERULES_H

#include "ScheduleDraft.h"

#include "fastnorm/Analysis/AccessPattern.h"

namespace fastnorm {

/// 16 bytes of the narrowest element but 32 of the widest at most, or as much as is aligned in every row.
int64_t vectorWidthFor(const AccessPattern &pattern);

/// Loads in flight, when [hidden] operands are loaded, and the CTAs of a multiprocessor, for a kernel without
/// reductions over rows whose threads and vectors are decided.
void decideTheRest(ScheduleDraft &draft, const AccessPattern &pattern, TargetAttr target);

} // namespace fastnorm

#endif // FASTNORM_LIB_COSTMODEL_SCHEDULERULES_H
