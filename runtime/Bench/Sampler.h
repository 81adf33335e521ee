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

#include "runtime/Bench/Statistics.h"
#include "runtime/Device.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fastnorm {

/// One thing to time, on each of its buffer sets.
struct BenchCandidate {
  std::string name;
  /// Launches once, on one buffer set. All are equally much work.
  std::vector<std::function<Status(Stream &)>> launches;
};

struct SamplerOptions {
  int64_t samples = 31;
  int64_t warmupReplays = 3;
  /// A graph repeats its buffer sets until a replay takes this long, so that the events' resolution (0.5 us) is small.
  double minReplayMicroseconds = 500.0;
};

struct BenchResult {
  std::string name;
  int64_t launchesPerReplay = 0;
  std::vector<double> microseconds; ///< per launch, one a sample, in the order taken
  Summary summary;
};

/// Times every candidate, in turns. Results are in the candidates' order.
Result<std::vector<BenchResult>> sampleInTurns(Device &device, const std::vector<BenchCandidate> &candidates,
                                               const SamplerOptions &options = {});

/// How many buffer sets make a footprint of more than 3 x L2, at least 2, limited by half the device's memory.
int64_t rotatingSetCount(const DeviceInfo &info, int64_t bytesPerSet);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_SAMPLER_H
