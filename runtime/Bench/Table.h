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
#include <vector>

namespace fastnorm {

/// Resident threads divided by the multiprocessor's limit; nothing where the device does not know.
std::optional<double> occupancy(const DeviceInfo &device, const LaunchFacts &launch);

/// A line of names, then one a kernel. Each rival has a column: the share of its time that a kernel takes.
using TableCells = std::vector<std::vector<std::string>>;
TableCells tableCells(const Measurement &measurement);

/// "rows 16, expert_rows 64"; empty where there is no symbol.
std::string describeSymbols(const Measurement &measurement);

/// "cold: 3 sets of 64.00 MiB, 3.1 times the L2; every median is known to 1 % after 0.8 s"
std::string describeWay(const Measurement &measurement);

/// The same, columns padded with spaces, for a terminal.
std::string formatTable(const Measurement &measurement);

/// What stands below it where something was timed: a line each for the graph, what it is compared with, the host's
/// share, each rival, and how it was measured.
std::string formatSummary(const Measurement &measurement);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_TABLE_H
