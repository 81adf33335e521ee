//===- TuningReport.h - What tuning found, for people -----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TUNING_TUNINGREPORT_H
#define FASTNORM_TUNING_TUNINGREPORT_H

#include "fastnorm/Tuning/Tuner.h"

#include <string>

namespace fastnorm {

/// "rms_norm, rows = 4096: 31.20 us for 35.10 us of the cost model's choice (11.1 % less, noise 0.3 %), 41 schedules
/// timed, 2 skipped", and below it the schedule, and how many were skipped for what reason, with one of them.
std::string describe(const TunedResult &result);

/// "14 schedules of 3 kernels; the cost model's choice takes 1.012 of the best time in the median, 1.210 at worst
/// (rms_norm, rows = 64)"
std::string describeRegret(const ScheduleTable &table);

} // namespace fastnorm

#endif // FASTNORM_TUNING_TUNINGREPORT_H
