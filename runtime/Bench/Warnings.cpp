//===- Warnings.cpp - What makes figures worth less -----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Warnings.h"

#include <algorithm>
#include <cstdio>

namespace fastnorm {

namespace {

/// Clocks below this share of the highest are low.
constexpr double kFullClock = 0.9;
/// Quartiles further apart than this share of the median are noisy.
constexpr double kNoise = 0.05;
/// Events resolve 0.5 us: 1 % of this.
constexpr double kShortReplayMicroseconds = 50.0;
/// A cold footprint of so many times the L2 leaves nothing of a set in it until its next turn.
constexpr double kColdFootprint = 3.0;

std::string decimal(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", places, value);
  return text;
}

class Finder {
public:
  explicit Finder(const Measurement &measurement) : measurement(measurement) {}

  std::vector<Warning> find() {
    forEachTimed([&](const Timed &timed) { findRefusal(timed); });
    findEnd();
    findClocks();
    findProcesses();
    findFootprint();
    forEachTimed([&](const Timed &timed) { findNoise(timed); });
    forEachTimed([&](const Timed &timed) { findShortReplay(timed); });
    return std::move(warnings);
  }

private:
  template <typename Visitor> void forEachTimed(const Visitor &visit) const {
    for (const std::optional<Timed> *timed : {&measurement.graph, &measurement.copy, &measurement.stream})
      if (*timed)
        visit(**timed);
    // A graph of one kernel is that kernel.
    auto isTimed = [](const KernelRow &row) { return row.time.has_value(); };
    if (std::count_if(measurement.kernels.begin(), measurement.kernels.end(), isTimed) > 1)
      for (const KernelRow &row : measurement.kernels)
        if (row.time)
          visit(*row.time);
  }
  void warn(std::string what, std::string remedy) { warnings.push_back({std::move(what), std::move(remedy)}); }

  void findRefusal(const Timed &timed) {
    if (timed.refusal.empty())
      return;
    bool hasTime = timed.microseconds() > 0.0;
    warn("no rate is given for " + timed.name + ": " + timed.refusal,
         hasTime ? "fill row indices with a permutation (row_index=perm), or compare times only"
                 : "see whether it runs at all, with --check=reference");
  }

  void findEnd() {
    if (measurement.reason == StopReason::OutOfTime)
      warn("time ran out after " + decimal(measurement.seconds, 1) +
               " s, before every median was known to 1 %; the intervals say how well they are",
           "give it more with --seconds");
    if (measurement.reason == StopReason::Interrupted)
      warn("the measurement was interrupted after " + decimal(measurement.seconds, 1) + " s", "let it end by itself");
    if (measurement.reason == StopReason::Failed)
      warn("the device did not go on after " + decimal(measurement.seconds, 1) + " s: " + measurement.failure,
           "what was sampled before is what is reported");
  }

  void findClocks() {
    if (measurement.readings.empty())
      return;
    // The last one: before, the device was idle.
    const DeviceReading &reading = measurement.readings.back();
    if (reading.clockMegahertz && reading.maxClockMegahertz &&
        static_cast<double>(*reading.clockMegahertz) < kFullClock * static_cast<double>(*reading.maxClockMegahertz))
      warn("the multiprocessors run at " + std::to_string(*reading.clockMegahertz) + " of " +
               std::to_string(*reading.maxClockMegahertz) + " MHz",
           "measure for longer, cool the device, or ask for its application clocks (nvidia-smi -q -d CLOCK)");
    if (reading.memoryClockMegahertz && reading.maxMemoryClockMegahertz &&
        static_cast<double>(*reading.memoryClockMegahertz) <
            kFullClock * static_cast<double>(*reading.maxMemoryClockMegahertz))
      warn("the memory runs at " + std::to_string(*reading.memoryClockMegahertz) + " of " +
               std::to_string(*reading.maxMemoryClockMegahertz) + " MHz",
           "reset the device's memory clock (nvidia-smi -rmc)");
    std::string slowdowns;
    for (const std::string &slowdown : reading.slowdowns)
      slowdowns += (slowdowns.empty() ? "" : ", ") + slowdown;
    if (!slowdowns.empty())
      warn("something holds the clocks down: " + slowdowns,
           "compare with the copy of the same run only, or see nvidia-smi -q -d PERFORMANCE");
  }

  void findProcesses() {
    int64_t most = 0;
    for (const DeviceReading &reading : measurement.readings)
      most = std::max(most, reading.otherProcesses.value_or(0));
    if (most > 0)
      warn(std::to_string(most) + (most == 1 ? " other process has" : " other processes have") +
               " the device open and may use its memory and clock",
           "measure on a device of your own (nvidia-smi lists who uses it)");
  }

  void findFootprint() {
    std::optional<double> footprint = footprintPerL2(measurement);
    if (!footprint || !measurement.isTimed())
      return;
    std::string size = decimal(*footprint, 1) + " times the L2";
    if (measurement.state == CacheState::Cold && !measurement.isFlushed && *footprint < kColdFootprint)
      warn("the buffers take " + size + ", too little for launches to find nothing of theirs in it",
           "measure more rows, or read the figures as those of --hot");
    if (measurement.state != CacheState::Cold && *footprint > 1.0)
      warn("the buffers take " + size + ", so they do not stay in it",
           "measure fewer rows, or without --" + std::string(nameOf(measurement.state)));
  }

  void findNoise(const Timed &timed) {
    const Summary &summary = timed.samples.summary;
    if (summary.noise > kNoise)
      warn(timed.name + " is noisy: half of its samples lie " + decimal(100.0 * summary.noise, 0) + " % apart",
           "look at the samples of --report=json or html; a device that others use, or that warms up, is noisy");
  }

  void findShortReplay(const Timed &timed) {
    double replay = timed.microseconds() * static_cast<double>(timed.samples.launchesPerReplay);
    if (timed.samples.summary.count > 0 && timed.refusal.empty() && replay < kShortReplayMicroseconds)
      warn("a sample of " + timed.name + " takes " + decimal(replay, 1) +
               " us, which the device's events resolve to 0.5 us only",
           "measure more rows, or without flushing");
  }

  const Measurement &measurement;
  std::vector<Warning> warnings;
};

} // namespace

std::vector<Warning> findWarnings(const Measurement &measurement) { return Finder(measurement).find(); }

std::string formatWarnings(const std::vector<Warning> &warnings) {
  std::string text;
  for (const Warning &warning : warnings)
    text += "warning: " + warning.what + "; " + warning.remedy + "\n";
  return text;
}

} // namespace fastnorm
