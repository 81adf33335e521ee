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

#include "runtime/Bench/Measurement.h"

#include <optional>
#include <string>

namespace fastnorm {

/// Resident threads divided by the multiprocessor's limit; nothing where the device does not know.
std::optional<double> occupancy(const DeviceInfo &device, const LaunchFacts &launch);

/// Columns padded with spaces, for a terminal. Each rival has a column: the share of its time that a kernel takes.
std::string formatTable(const Measurement &measurement);

/// What stands below it where something was timed: a line each for the graph, what it is compared with, the host's
/// share, each rival, and how it was measured.
std::string formatSummary(const Measurement &measurement);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_TABLE_H
