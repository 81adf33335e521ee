//===- Measurement.h - What was measured, and how ---------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that a report is made of, and nothing else is: a page or a file
// says what this holds. Times are microseconds per launch.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_MEASUREMENT_H
#define FASTNORM_RUNTIME_BENCH_MEASUREMENT_H

#include "runtime/Bench/DeviceReading.h"
#include "runtime/Bench/Sampler.h"
#include "runtime/Executor/Executor.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm {

/// What a launch finds in the L2.
enum class CacheState : uint8_t {
  Cold,    ///< nothing of its operands
  Hot,     ///< all of them, as far as they fit
  Serving, ///< what has rows, and the results; not what all rows share, such as a weight
};

/// "cold", "hot", "serving".
const char *nameOf(CacheState state);

/// What one thing that was timed moves, and what its samples say.
struct Timed {
  std::string name;
  int64_t readBytes = 0;    ///< distinct
  int64_t writtenBytes = 0; ///< distinct
  /// What at least passes the memory in each launch: nothing of what the L2 may hold.
  int64_t memoryBytes = 0;
  BenchResult samples;
  std::string refusal; ///< why the samples give no rate; empty: they do

  int64_t byteCount() const { return readBytes + writtenBytes; }
  double microseconds() const { return samples.summary.median; }
  /// Nothing where there are no samples, or where they are refused.
  std::optional<double> bytesPerSecond() const;
};

/// A line of the kernel table.
struct KernelRow {
  LaunchFacts launch;
  std::optional<LaunchCounters> counters; ///< on the emulator
  std::optional<Timed> time;              ///< where there was something to time
};

/// A time from elsewhere to compare with.
struct Rival {
  std::string name;
  double microseconds = 0.0;
};

/// What may make the figures worth less, and what to do about it.
struct Warning {
  std::string what;
  std::string remedy;
};

struct Measurement {
  std::string version;    ///< "fastnorm 0.1.0"
  std::string commit;     ///< of the program; empty: not known
  std::string date;       ///< UTC, "2026-12-02T23:00:00Z"
  std::string source;     ///< the graph as the command line names it
  std::string function;   ///< the graph's function
  std::string target;     ///< what was compiled for
  std::string planDigest; ///< of the plan's text
  std::map<std::string, int64_t> symbols;

  DeviceInfo device;
  std::vector<DeviceReading> readings; ///< before, and after
  std::string readingsMissing;         ///< why there are none

  CacheState state = CacheState::Cold;
  bool isFlushed = false;     ///< reads flushed the L2 before each replay
  int64_t sets = 0;           ///< of buffers
  int64_t setBytes = 0;       ///< of one
  int64_t footprintBytes = 0; ///< of all that the launches of a replay use
  StopReason reason = StopReason::Precise;
  double seconds = 0.0;
  double budgetSeconds = 0.0;
  std::string failure; ///< where the device did not go on

  std::vector<KernelRow> kernels;
  std::optional<Timed> graph;
  std::optional<Timed> copy;
  std::optional<Timed> stream; ///< reads and writes in the graph's proportion; none: that of the copy
  std::vector<Rival> rivals;
  std::vector<Warning> warnings;

  bool isTimed() const { return graph && graph->samples.summary.count > 0; }
};

/// A rate as a share of another's; nothing where either is not known.
std::optional<double> shareOf(const Timed &timed, const std::optional<Timed> &baseline);

/// What the samples can't be: more bytes in less time than the hardware moves. Writes the refusal, if any.
void refuseImpossible(Timed &timed, const DeviceInfo &device, CacheState state);

/// How many times as long as the graph a rival takes; nothing where the graph has no time.
std::optional<double> timesTheGraph(const Rival &rival, const Measurement &measurement);

/// Multiples of the L2 that the launches of a replay go over; nothing where the L2 is not known.
std::optional<double> footprintPerL2(const Measurement &measurement);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_MEASUREMENT_H
