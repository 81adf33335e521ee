//===- Tuner.h - The fastest schedule, found by measuring -------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is tuned apart from its graph: schedules are compiled on all cores,
// checked, and timed in turns with the fastest so far; the fastest of all is
// timed again beside the cost model's choice.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TUNING_TUNER_H
#define FASTNORM_TUNING_TUNER_H

#include "fastnorm/CostModel/ScheduleTable.h"
#include "fastnorm/Tuning/IsolatedKernel.h"
#include "runtime/Device.h"

#include <functional>

namespace fastnorm {

struct TunerOptions {
  /// Threads that compile and load; also how many schedules are compiled before they are timed.
  unsigned threads = 1;
  /// Asked often: whether to end with what there is. None: never.
  std::function<bool()> isStopped = {};
  /// Reads a clock, in seconds; none: the machine's steady one.
  std::function<double()> clock = {};
};

/// A schedule that was not timed, or whose time does not count.
struct SkippedSchedule {
  std::string schedule;
  std::string reason;
};

struct TunedResult {
  std::string kernel;
  std::string signature;
  TunedSchedule measured;     ///< with its rows, schedule, times and date
  bool servesMore = false;    ///< more rows change nothing but the time
  bool isModelChoice = false; ///< nothing was faster by more than the noise
  std::string modelSchedule;
  double noise = 0;    ///< of the last comparison, relative
  size_t timed = 0;    ///< schedules beside the cost model's choice whose times count
  bool wasAll = false; ///< no schedule was left to try
  std::vector<SkippedSchedule> skipped;
  std::string failure; ///< where the device did not go on, after something was measured: what it said
};

class Tuner {
public:
  /// The device must outlive it. `known`: a table whose schedules are tried first, or null.
  Tuner(Device &device, CompileOptions compileOptions, TunerOptions options, const ScheduleTable *known);

  /// Tries schedules for about so many seconds; the cost model's choice is measured whatever that takes. An error where
  /// the cost model's choice could not be measured, or the fastest could not be compared with it.
  Result<TunedResult> tune(const IsolatedKernel &kernel, double seconds) const;

private:
  Device &device;
  CompileOptions compileOptions;
  TunerOptions options;
  const ScheduleTable *known;
};

} // namespace fastnorm

#endif // FASTNORM_TUNING_TUNER_H
