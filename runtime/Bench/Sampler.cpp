//===- Sampler.cpp - Times launches on a device ---------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Sampler.h"

#include <algorithm>
#include <utility>

namespace fastnorm {

namespace {

constexpr int64_t kMaxSets = 1024;

/// The candidates of one sampling, made ready, and what was sampled of them.
class Turns {
public:
  Turns(ReplayTimer timer, const SamplerOptions &options) : timer(std::move(timer)), options(options) {}

  Status record(const std::vector<BenchCandidate> &candidates);
  Sampling sample();

private:
  bool isInterrupted() const { return options.isInterrupted && options.isInterrupted(); }
  /// One sample of each; nothing where the rounds may go on. Rounds count from 1.
  std::optional<StopReason> takeRound(int64_t round);
  Status takeSample(size_t index);
  std::vector<const std::vector<double> *> wholeRounds() const;

  ReplayTimer timer;
  const SamplerOptions &options;
  std::vector<Recording> recordings;
  Sampling sampling;
};

Status Turns::record(const std::vector<BenchCandidate> &candidates) {
  for (const BenchCandidate &candidate : candidates) {
    Result<Recording> recording = timer.record(candidate, options.minReplayMicroseconds, options.warmupReplays);
    if (!recording)
      return recording.takeError();
    sampling.results.push_back(BenchResult{candidate.name, recording->launches, {}, {}, {}, {}});
    recordings.push_back(std::move(*recording));
  }
  for (const Recording &recording : recordings)
    if (Status status = timer.warmUp(recording, options.warmupReplays); !status)
      return status;
  return {};
}

Status Turns::takeSample(size_t index) {
  Result<double> microseconds = timer.time(recordings[index]);
  if (!microseconds)
    return microseconds.takeError();
  const BenchCandidate &candidate = *recordings[index].candidate;
  if (candidate.timesHost) {
    Result<double> host = timer.timeHost(candidate, *microseconds);
    if (!host)
      return host.takeError();
    sampling.results[index].hostMicroseconds.push_back(*host);
  }
  sampling.results[index].microseconds.push_back(*microseconds);
  return {};
}

std::optional<StopReason> Turns::takeRound(int64_t round) {
  bool isBackward = options.turnsRound && round % 2 == 0;
  for (size_t turn = 0; turn < recordings.size(); ++turn) {
    size_t index = isBackward ? recordings.size() - 1 - turn : turn;
    if (isInterrupted())
      return StopReason::Interrupted;
    if (Status status = takeSample(index); !status) {
      sampling.failure = status.error();
      return StopReason::Failed;
    }
  }
  return std::nullopt;
}

std::vector<const std::vector<double> *> Turns::wholeRounds() const {
  std::vector<const std::vector<double> *> samples;
  for (const BenchResult &result : sampling.results)
    samples.push_back(&result.microseconds);
  return samples;
}

Sampling Turns::sample() {
  StoppingCriterion criterion(options.stopping);
  std::optional<StopReason> reason;
  for (int64_t rounds = 1; !reason; ++rounds) {
    reason = takeRound(rounds);
    if (!reason)
      reason = criterion.check(wholeRounds());
    if (options.afterRound)
      options.afterRound(rounds, criterion.seconds());
  }
  sampling.reason = *reason;
  sampling.seconds = criterion.seconds();
  for (BenchResult &result : sampling.results) {
    result.summary = summarize(result.microseconds);
    result.hostSummary = summarize(result.hostMicroseconds);
  }
  return std::move(sampling);
}

} // namespace

int64_t rotatingSetCount(const DeviceInfo &info, int64_t bytesPerSet) {
  if (bytesPerSet <= 0)
    return 2;
  int64_t wanted = std::max<int64_t>(2, 3 * info.l2Bytes / bytesPerSet + 1);
  int64_t fitting = info.memoryBytes > 0 ? info.memoryBytes / 2 / bytesPerSet : kMaxSets;
  return std::max<int64_t>(1, std::min({wanted, fitting, kMaxSets}));
}

Result<Sampling> sampleInTurns(Device &device, const std::vector<BenchCandidate> &candidates,
                               const SamplerOptions &options) {
  Result<ReplayTimer> timer = ReplayTimer::create(device);
  if (!timer)
    return timer.takeError();
  Turns turns(std::move(*timer), options);
  if (Status recorded = turns.record(candidates); !recorded)
    return recorded.takeError();
  return turns.sample();
}

} // namespace fastnorm
