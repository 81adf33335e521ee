//===- ReplayTimer.h - Times replays of recorded launches -------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_REPLAYTIMER_H
#define FASTNORM_RUNTIME_BENCH_REPLAYTIMER_H

#include "runtime/Device.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm {

/// One thing to time, on each of its buffer sets.
struct BenchCandidate {
  std::string name;
  /// Launches once, on one buffer set. All are equally much work.
  std::vector<std::function<Status(Stream &)>> launches;
  /// Brings the caches to what each replay is to find, outside the time; a replay then uses every buffer set once.
  /// None: a replay goes round the sets as often as makes it long enough.
  std::function<Status(Stream &)> prepare = {};
  /// Whether the host's share of a launch is timed, too.
  bool timesHost = false;
};

/// A candidate's graph, ready to replay.
struct Recording {
  const BenchCandidate *candidate = nullptr;
  std::unique_ptr<Graph> graph;
  int64_t launches = 0;
};

/// A stream and the two events around what is timed on it.
class ReplayTimer {
public:
  /// The device must outlive it.
  static Result<ReplayTimer> create(Device &device);

  /// Records as many rounds of a candidate's launches as take `minReplayMicroseconds`, warmed up. The candidate must
  /// outlive the recording.
  Result<Recording> record(const BenchCandidate &candidate, double minReplayMicroseconds, int64_t warmupReplays);
  /// Replays some times, as it will be timed.
  Status warmUp(const Recording &recording, int64_t replays);
  /// The device's microseconds for one launch within one replay.
  Result<double> time(const Recording &recording);
  /// The host's microseconds for one launch without a graph, from call to return; of as many launches, up to 32, as
  /// keep a device busy for 2 ms that takes `deviceMicroseconds` for one.
  Result<double> timeHost(const BenchCandidate &candidate, double deviceMicroseconds);

private:
  explicit ReplayTimer(Device &device) : device(&device) {}

  Result<Recording> capture(const BenchCandidate &candidate, int64_t rounds);
  Status replay(const Recording &recording);

  Device *device;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Event> start;
  std::unique_ptr<Event> stop;
};

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_REPLAYTIMER_H
