//===- Sampler.cpp - Times launches on a device ---------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace fastnorm {

namespace {

/// Graphs of more nodes take longer to make than to time.
constexpr int64_t kMaxLaunchesPerReplay = 4096;
constexpr int64_t kMaxSets = 1024;

/// A candidate's graph, ready to replay.
struct Recording {
  std::unique_ptr<Graph> graph;
  int64_t launches = 0;
};

class Sampler {
public:
  Sampler(Device &device, const SamplerOptions &options) : device(device), options(options) {}

  Status open();
  Result<Recording> record(const BenchCandidate &candidate);
  /// Microseconds of one launch within one replay.
  Result<double> timeReplay(const Recording &recording);
  Status warmUp(const Recording &recording);

private:
  Result<Recording> capture(const BenchCandidate &candidate, int64_t rounds);

  Device &device;
  const SamplerOptions &options;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Event> start;
  std::unique_ptr<Event> stop;
};

Status Sampler::open() {
  Result<std::unique_ptr<Stream>> newStream = device.createStream();
  if (!newStream)
    return newStream.takeError();
  stream = std::move(*newStream);
  for (std::unique_ptr<Event> *event : {&start, &stop}) {
    Result<std::unique_ptr<Event>> newEvent = device.createEvent();
    if (!newEvent)
      return newEvent.takeError();
    *event = std::move(*newEvent);
  }
  return {};
}

Result<Recording> Sampler::capture(const BenchCandidate &candidate, int64_t rounds) {
  if (Status status = device.beginCapture(*stream); !status)
    return status.takeError();
  Status launched;
  for (int64_t round = 0; launched && round < rounds; ++round)
    for (const std::function<Status(Stream &)> &launch : candidate.launches)
      if (launched = launch(*stream); !launched)
        break;
  // The capture ends whatever happened, or the stream would stay unusable.
  Result<std::unique_ptr<Graph>> graph = device.endCapture(*stream);
  if (!launched)
    return Error{"candidate '" + candidate.name + "' does not launch: " + launched.error()};
  if (!graph)
    return graph.takeError();
  return Recording{std::move(*graph), rounds * static_cast<int64_t>(candidate.launches.size())};
}

Result<double> Sampler::timeReplay(const Recording &recording) {
  if (Status status = start->record(*stream); !status)
    return status.takeError();
  if (Status status = recording.graph->replay(*stream); !status)
    return status.takeError();
  if (Status status = stop->record(*stream); !status)
    return status.takeError();
  if (Status status = stream->synchronize(); !status)
    return status.takeError();
  Result<double> milliseconds = device.elapsedMilliseconds(*start, *stop);
  if (!milliseconds)
    return milliseconds;
  return *milliseconds * 1000.0 / static_cast<double>(recording.launches);
}

Status Sampler::warmUp(const Recording &recording) {
  for (int64_t replay = 0; replay < options.warmupReplays; ++replay)
    if (Status status = recording.graph->replay(*stream); !status)
      return status;
  return stream->synchronize();
}

Result<Recording> Sampler::record(const BenchCandidate &candidate) {
  if (candidate.launches.empty())
    return Error{"expected candidate '" + candidate.name + "' to have a launch to time, but it has none"};
  Result<Recording> once = capture(candidate, 1);
  if (!once)
    return once;
  if (Status status = warmUp(*once); !status)
    return status.takeError();
  Result<double> microseconds = timeReplay(*once);
  if (!microseconds)
    return microseconds.takeError();
  double replayMicroseconds = std::max(*microseconds * static_cast<double>(once->launches), 0.1);
  double wanted = std::ceil(options.minReplayMicroseconds / replayMicroseconds);
  int64_t most = std::max<int64_t>(1, kMaxLaunchesPerReplay / once->launches);
  int64_t rounds = std::clamp<int64_t>(static_cast<int64_t>(wanted), 1, most);
  if (rounds == 1)
    return once;
  return capture(candidate, rounds);
}

} // namespace

int64_t rotatingSetCount(const DeviceInfo &info, int64_t bytesPerSet) {
  if (bytesPerSet <= 0)
    return 2;
  int64_t wanted = std::max<int64_t>(2, 3 * info.l2Bytes / bytesPerSet + 1);
  int64_t fitting = info.memoryBytes > 0 ? info.memoryBytes / 2 / bytesPerSet : kMaxSets;
  return std::max<int64_t>(1, std::min({wanted, fitting, kMaxSets}));
}

Result<std::vector<BenchResult>> sampleInTurns(Device &device, const std::vector<BenchCandidate> &candidates,
                                               const SamplerOptions &options) {
  Sampler sampler(device, options);
  if (Status status = sampler.open(); !status)
    return status.takeError();
  std::vector<Recording> recordings;
  std::vector<BenchResult> results;
  for (const BenchCandidate &candidate : candidates) {
    Result<Recording> recording = sampler.record(candidate);
    if (!recording)
      return recording.takeError();
    results.push_back(BenchResult{candidate.name, recording->launches, {}, {}});
    recordings.push_back(std::move(*recording));
  }
  for (const Recording &recording : recordings)
    if (Status status = sampler.warmUp(recording); !status)
      return status.takeError();
  for (int64_t sample = 0; sample < options.samples; ++sample) {
    for (size_t index = 0; index < recordings.size(); ++index) {
      Result<double> microseconds = sampler.timeReplay(recordings[index]);
      if (!microseconds)
        return microseconds.takeError();
      results[index].microseconds.push_back(*microseconds);
    }
  }
  for (BenchResult &result : results)
    result.summary = summarize(result.microseconds);
  return results;
}

} // namespace fastnorm
