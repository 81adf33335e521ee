//===- Measurement.cpp - What was measured, and how -----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Measurement.h"

#include <cstdio>

namespace fastnorm {

namespace {

/// What the load and store unit of a multiprocessor moves in a clock: the width of its L1. What the L2 gives is less.
constexpr double kMultiprocessorBytesPerClock = 128.0;

std::string decimal(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", places, value);
  return text;
}

/// "1.00 MB in 0.10 us are 10000 GB/s".
std::string claim(int64_t byteCount, double microseconds) {
  double bytes = static_cast<double>(byteCount);
  return decimal(bytes / 1e6, 2) + " MB in " + decimal(microseconds, 2) + " us are " +
         decimal(bytes / microseconds / 1000.0, 0) + " GB/s";
}

} // namespace

const char *nameOf(CacheState state) {
  return state == CacheState::Cold ? "cold" : state == CacheState::Hot ? "hot" : "serving";
}

std::optional<double> Timed::bytesPerSecond() const {
  if (samples.summary.count == 0 || !refusal.empty() || microseconds() <= 0.0)
    return std::nullopt;
  return static_cast<double>(byteCount()) / microseconds() * 1e6;
}

std::optional<double> shareOf(const Timed &timed, const std::optional<Timed> &baseline) {
  std::optional<double> rate = timed.bytesPerSecond();
  std::optional<double> full = baseline ? baseline->bytesPerSecond() : std::nullopt;
  if (!rate || !full || *full <= 0.0)
    return std::nullopt;
  return *rate / *full;
}

void refuseImpossible(Timed &timed, const DeviceInfo &device, CacheState state) {
  timed.refusal.clear();
  if (timed.samples.summary.count == 0)
    return;
  double microseconds = timed.microseconds();
  if (microseconds <= 0.0) {
    timed.refusal = "the device says that a launch took " + decimal(microseconds, 2) +
                    " us: nothing ran, or its clock does not resolve it";
    return;
  }
  double memoryRate = device.memoryBytesPerSecond;
  if (state == CacheState::Cold && memoryRate > 0.0 &&
      static_cast<double>(timed.memoryBytes) > memoryRate * microseconds / 1e6) {
    timed.refusal = claim(timed.memoryBytes, microseconds) + ", but the memory moves " + decimal(memoryRate / 1e9, 0) +
                    " at most: not all of these bytes were moved (row indices that repeat or drop rows?)";
    return;
  }
  // From the L2 no more comes than the multiprocessors can take.
  double clockRate = static_cast<double>(device.multiprocessors) * device.clockHertz * kMultiprocessorBytesPerClock;
  if (clockRate > 0.0 && static_cast<double>(timed.byteCount()) > clockRate * microseconds / 1e6)
    timed.refusal = claim(timed.byteCount(), microseconds) + ", but the multiprocessors move " +
                    decimal(clockRate / 1e9, 0) + " at most, wherever the bytes come from: not all of them were moved";
}

std::optional<double> timesTheGraph(const Rival &rival, const Measurement &measurement) {
  if (!measurement.isTimed() || measurement.graph->microseconds() <= 0.0)
    return std::nullopt;
  return rival.microseconds / measurement.graph->microseconds();
}

std::optional<double> footprintPerL2(const Measurement &measurement) {
  if (measurement.device.l2Bytes <= 0)
    return std::nullopt;
  return static_cast<double>(measurement.footprintBytes) / static_cast<double>(measurement.device.l2Bytes);
}

} // namespace fastnorm
