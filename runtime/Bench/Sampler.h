//===- Sampler.h - Times launches on a device -------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sample is one replay of a graph of launches that step through rotating
// buffer sets, timed by events: the host's cost is out, and each launch finds
// its buffers outside L2. Candidates are sampled in turns, so what the clock
// does in between happens to all of them.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_SAMPLER_H
#define FASTNORM_RUNTIME_BENCH_SAMPLER_H

#include "runtime/Bench/ReplayTimer.h"
#include "runtime/Bench/Statistics.h"
#include "runtime/Bench/StoppingCriterion.h"

namespace fastnorm {

struct SamplerOptions {
  StoppingRule stopping;
  int64_t warmupReplays = 3;
  /// A graph repeats its buffer sets until a replay takes this long, so that the events' resolution (0.5 us) is small.
  double minReplayMicroseconds = 500.0;
  /// Whether every second round goes through the candidates from the last to the first, so that none profits from its
  /// place.
  bool turnsRound = false;
  /// Asked before every sample: whether to end with what there is. None: never.
  std::function<bool()> isInterrupted = {};
  /// Told after every round how many there were and how many seconds they took. None: nobody.
  std::function<void(int64_t rounds, double seconds)> afterRound = {};
};

struct BenchResult {
  std::string name;
  int64_t launchesPerReplay = 0;
  std::vector<double> microseconds;     ///< of the device, per launch, one a sample, in the order taken
  std::vector<double> hostMicroseconds; ///< of the host, where the candidate times it
  Summary summary;                      ///< of the device's
  Summary hostSummary;                  ///< of the host's
};

struct Sampling {
  std::vector<BenchResult> results; ///< in the candidates' order; one that has no samples yet has an empty summary
  StopReason reason = StopReason::Precise;
  double seconds = 0.0;
  std::string failure; ///< where the device did not go on: what it said
};

/// Times every candidate, in turns, until the rule says to stop. An error where one can't be made ready; what goes
/// wrong after the first sample leaves the samples so far.
Result<Sampling> sampleInTurns(Device &device, const std::vector<BenchCandidate> &candidates,
                               const SamplerOptions &options = {});

/// How many buffer sets make a footprint of more than 3 x L2, at least 2, limited by half the device's memory.
int64_t rotatingSetCount(const DeviceInfo &info, int64_t bytesPerSet);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_SAMPLER_H
