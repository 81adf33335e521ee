//===- Table.h - The kernel table -------------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line a launch: what it is, what it holds, how fast it was. On the
// emulator, which does not model time, counts stand in place of times.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_TABLE_H
#define FASTNORM_RUNTIME_BENCH_TABLE_H

#include "runtime/Device.h"
#include "runtime/Executor/Executor.h"

#include <optional>
#include <string>
#include <vector>

namespace fastnorm {

/// What a line is made from.
struct KernelRow {
  LaunchFacts launch;
  std::optional<double> microseconds;
  std::optional<LaunchCounters> counters;
};

struct KernelTable {
  std::vector<KernelRow> rows;
  /// What the device can hold, for occupancy.
  DeviceInfo device;
  /// Bytes read and written per second by the copy that is 100 %.
  std::optional<double> copyBytesPerSecond;
};

/// Resident threads divided by the multiprocessor's limit; nothing where the device does not know.
std::optional<double> occupancy(const DeviceInfo &device, const LaunchFacts &launch);

/// GB/s (10^9) of distinct bytes.
double gigabytesPerSecond(const LaunchFacts &launch, double microseconds);

/// Columns padded with spaces, for a terminal.
std::string formatText(const KernelTable &table);

/// A Markdown table.
std::string formatMarkdown(const KernelTable &table);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_TABLE_H
