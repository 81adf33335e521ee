//===- ReplayTimer.cpp - Times replays of recorded launches ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/ReplayTimer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace fastnorm {

namespace {

/// Graphs of more nodes take longer to make than to time.
constexpr int64_t kMaxLaunchesPerReplay = 4096;
/// Launches that are timed on the host together: few enough that no queue is full and none waits for the device.
constexpr double kHostLaunches = 32.0;
/// What they may take of the time that there is for samples.
constexpr double kHostMicroseconds = 2000.0;

} // namespace

Result<ReplayTimer> ReplayTimer::create(Device &device) {
  ReplayTimer timer(device);
  Result<std::unique_ptr<Stream>> stream = device.createStream();
  if (!stream)
    return stream.takeError();
  timer.stream = std::move(*stream);
  for (std::unique_ptr<Event> *event : {&timer.start, &timer.stop}) {
    Result<std::unique_ptr<Event>> made = device.createEvent();
    if (!made)
      return made.takeError();
    *event = std::move(*made);
  }
  return timer;
}

Result<Recording> ReplayTimer::capture(const BenchCandidate &candidate, int64_t rounds) {
  if (Status status = device->beginCapture(*stream); !status)
    return status.takeError();
  Status launched;
  for (int64_t round = 0; launched && round < rounds; ++round)
    for (const std::function<Status(Stream &)> &launch : candidate.launches)
      if (launched = launch(*stream); !launched)
        break;
  // The capture ends whatever happened, or the stream would stay unusable.
  Result<std::unique_ptr<Graph>> graph = device->endCapture(*stream);
  if (!launched)
    return Error{"candidate '" + candidate.name + "' does not launch: " + launched.error()};
  if (!graph)
    return graph.takeError();
  return Recording{&candidate, std::move(*graph), rounds * static_cast<int64_t>(candidate.launches.size())};
}

Status ReplayTimer::replay(const Recording &recording) {
  if (recording.candidate->prepare)
    if (Status status = recording.candidate->prepare(*stream); !status)
      return status;
  if (Status status = start->record(*stream); !status)
    return status;
  if (Status status = recording.graph->replay(*stream); !status)
    return status;
  return stop->record(*stream);
}

Result<double> ReplayTimer::time(const Recording &recording) {
  if (Status status = replay(recording); !status)
    return status.takeError();
  if (Status status = stream->synchronize(); !status)
    return status.takeError();
  Result<double> milliseconds = device->elapsedMilliseconds(*start, *stop);
  if (!milliseconds)
    return milliseconds;
  return *milliseconds * 1000.0 / static_cast<double>(recording.launches);
}

Status ReplayTimer::warmUp(const Recording &recording, int64_t replays) {
  for (int64_t count = 0; count < replays; ++count)
    if (Status status = replay(recording); !status)
      return status;
  return stream->synchronize();
}

Result<double> ReplayTimer::timeHost(const BenchCandidate &candidate, double deviceMicroseconds) {
  double wanted = std::clamp(kHostMicroseconds / std::max(deviceMicroseconds, 1e-3), 1.0, kHostLaunches);
  int64_t launches = static_cast<int64_t>(wanted);
  if (Status status = stream->synchronize(); !status)
    return status.takeError();
  auto begin = std::chrono::steady_clock::now();
  for (int64_t count = 0; count < launches; ++count)
    if (Status status = candidate.launches[static_cast<size_t>(count) % candidate.launches.size()](*stream); !status)
      return status.takeError();
  std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
  if (Status status = stream->synchronize(); !status)
    return status.takeError();
  return spent.count() / static_cast<double>(launches);
}

Result<Recording> ReplayTimer::record(const BenchCandidate &candidate, double minReplayMicroseconds,
                                      int64_t warmupReplays) {
  if (candidate.launches.empty())
    return Error{"expected candidate '" + candidate.name + "' to have a launch to time, but it has none"};
  Result<Recording> once = capture(candidate, 1);
  if (!once)
    return once;
  if (Status status = warmUp(*once, warmupReplays); !status)
    return status.takeError();
  if (candidate.prepare)
    return once;
  Result<double> microseconds = time(*once);
  if (!microseconds)
    return microseconds.takeError();
  double replayMicroseconds = std::max(*microseconds * static_cast<double>(once->launches), 0.1);
  double wanted = std::ceil(minReplayMicroseconds / replayMicroseconds);
  int64_t most = std::max<int64_t>(1, kMaxLaunchesPerReplay / once->launches);
  int64_t rounds = static_cast<int64_t>(std::clamp(wanted, 1.0, static_cast<double>(most)));
  if (rounds == 1)
    return once;
  return capture(candidate, rounds);
}

} // namespace fastnorm
