//===- DeviceReading.h - What a device was like at one moment ---*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_DEVICEREADING_H
#define FASTNORM_RUNTIME_BENCH_DEVICEREADING_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm {

/// Each figure may be one that the device does not give.
struct DeviceReading {
  std::string driver;                    ///< "580.159"; empty: not known
  std::optional<int64_t> clockMegahertz; ///< of the multiprocessors
  std::optional<int64_t> maxClockMegahertz;
  std::optional<int64_t> memoryClockMegahertz;
  std::optional<int64_t> maxMemoryClockMegahertz;
  std::optional<double> watts;
  std::optional<double> limitWatts;
  std::optional<int64_t> celsius;
  std::vector<std::string> slowdowns;    ///< why clocks are held down, as "power cap"; not that it is idle
  std::optional<int64_t> otherProcesses; ///< that compute on the device
};

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_DEVICEREADING_H
