//===- StoppingCriterion.h - When enough was sampled ------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sampling goes on until every median is known well enough, or until time is
// over; which of the two it was is part of the result.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_STOPPINGCRITERION_H
#define FASTNORM_RUNTIME_BENCH_STOPPINGCRITERION_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm {

enum class StopReason : uint8_t {
  Precise,     ///< every median's 95 % interval is narrow enough
  OutOfTime,   ///< the budget was used up first
  Interrupted, ///< the caller wanted no more
  Failed,      ///< the device did not go on
};

struct StoppingRule {
  /// How wide a median's 95 % interval may be, relative to the median. Infinity: `minSamples` are enough.
  double precision = 0.01;
  /// No sampling goes on past this, but there is always one round.
  double seconds = 5.0;
  /// Intervals of fewer are not looked at.
  int64_t minSamples = 31;
  /// Reads a clock, in seconds; none: the machine's steady one.
  std::function<double()> clock = {};
};

/// Looks at samples after every round. Intervals are looked at after `minSamples` rounds and then each time a tenth
/// more were taken: whoever looks every round stops at the first that is narrow by luck.
class StoppingCriterion {
public:
  /// The time starts now.
  explicit StoppingCriterion(StoppingRule rule);

  /// Why to stop after this round, if so. One list of samples a candidate, all equally long.
  std::optional<StopReason> check(const std::vector<const std::vector<double> *> &samples);

  /// Since the start.
  double seconds() const;

private:
  StoppingRule rule;
  double start = 0.0;
  int64_t nextLook = 0;
};

/// Whether the samples' median is known within a share of it.
bool isPrecise(const std::vector<double> &samples, double precision);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_STOPPINGCRITERION_H
