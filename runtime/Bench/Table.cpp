//===- Table.cpp - The kernel table ---------------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Table.h"

#include <algorithm>
#include <cstdio>

namespace fastnorm {

namespace {

using Cells = std::vector<std::string>;

/// Stands where a device does not know a figure.
constexpr const char *kUnknown = "-";

std::string decimal(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", places, value);
  return text;
}

std::string integer(const std::optional<int64_t> &value) { return value ? std::to_string(*value) : kUnknown; }

std::string percent(const std::optional<double> &share) {
  return share ? decimal(*share * 100.0, 0) + " %" : std::string(kUnknown);
}

bool countsInstead(const KernelTable &table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [](const KernelRow &row) { return row.counters; });
}

Cells header(const KernelTable &table) {
  Cells cells{"kernel", "grid x CTA", "registers", "spill bytes", "shared bytes", "occupancy"};
  if (countsInstead(table))
    cells.insert(cells.end(), {"warp instructions", "loads", "stores", "loaded bytes", "stored bytes", "barriers"});
  else
    cells.insert(cells.end(), {"us", "GB/s", "% of copy"});
  return cells;
}

void appendCounts(Cells &cells, const std::optional<LaunchCounters> &counters) {
  LaunchCounters counted = counters.value_or(LaunchCounters());
  for (uint64_t count : {counted.warpInstructions, counted.globalLoads, counted.globalStores, counted.globalLoadBytes,
                         counted.globalStoreBytes, counted.barriers})
    cells.push_back(counters ? std::to_string(count) : kUnknown);
}

void appendTimes(Cells &cells, const KernelRow &row, const KernelTable &table) {
  if (!row.microseconds || *row.microseconds <= 0.0) {
    cells.insert(cells.end(), 3, kUnknown);
    return;
  }
  double gigabytes = gigabytesPerSecond(row.launch, *row.microseconds);
  cells.push_back(decimal(*row.microseconds, 2));
  cells.push_back(decimal(gigabytes, 0));
  std::optional<double> share;
  if (table.copyBytesPerSecond && *table.copyBytesPerSecond > 0.0)
    share = gigabytes * 1e9 / *table.copyBytesPerSecond;
  cells.push_back(share ? decimal(*share * 100.0, 1) : std::string(kUnknown));
}

Cells line(const KernelRow &row, const KernelTable &table) {
  const LaunchFacts &launch = row.launch;
  Cells cells{launch.kernel,
              std::to_string(launch.grid) + " x " + std::to_string(launch.threads),
              integer(launch.facts.registers),
              integer(launch.facts.spillBytes),
              std::to_string(launch.facts.staticSharedBytes + launch.dynamicSharedBytes),
              percent(occupancy(table.device, launch))};
  if (countsInstead(table))
    appendCounts(cells, row.counters);
  else
    appendTimes(cells, row, table);
  return cells;
}

std::vector<Cells> allLines(const KernelTable &table) {
  std::vector<Cells> lines{header(table)};
  for (const KernelRow &row : table.rows)
    lines.push_back(line(row, table));
  return lines;
}

std::vector<size_t> widths(const std::vector<Cells> &lines) {
  std::vector<size_t> widest(lines.front().size(), 0);
  for (const Cells &cells : lines)
    for (size_t column = 0; column < cells.size(); ++column)
      widest[column] = std::max(widest[column], cells[column].size());
  return widest;
}

/// Names to the left, figures to the right.
std::string padded(const std::string &cell, size_t width, size_t column) {
  std::string space(width - cell.size(), ' ');
  return column == 0 ? cell + space : space + cell;
}

} // namespace

std::optional<double> occupancy(const DeviceInfo &device, const LaunchFacts &launch) {
  if (!launch.facts.ctasPerMultiprocessor || device.maxThreadsPerMultiprocessor <= 0)
    return std::nullopt;
  // A CTA occupies whole warps.
  int64_t residentThreads = *launch.facts.ctasPerMultiprocessor * ((launch.threads + 31) / 32 * 32);
  return static_cast<double>(residentThreads) / static_cast<double>(device.maxThreadsPerMultiprocessor);
}

double gigabytesPerSecond(const LaunchFacts &launch, double microseconds) {
  return static_cast<double>(launch.readBytes + launch.writtenBytes) / microseconds / 1000.0;
}

std::string formatText(const KernelTable &table) {
  std::vector<Cells> lines = allLines(table);
  std::vector<size_t> widest = widths(lines);
  std::string text;
  for (const Cells &cells : lines) {
    for (size_t column = 0; column < cells.size(); ++column)
      text += (column == 0 ? "" : "  ") + padded(cells[column], widest[column], column);
    text += "\n";
  }
  return text;
}

std::string formatMarkdown(const KernelTable &table) {
  std::vector<Cells> lines = allLines(table);
  std::vector<size_t> widest = widths(lines);
  std::string text;
  for (size_t index = 0; index < lines.size(); ++index) {
    for (size_t column = 0; column < lines[index].size(); ++column)
      text += "| " + padded(lines[index][column], widest[column], column) + " ";
    text += "|\n";
    if (index != 0)
      continue;
    for (size_t column = 0; column < widest.size(); ++column)
      text +=
          column == 0 ? "|" + std::string(widest[column] + 2, '-') : "|" + std::string(widest[column] + 1, '-') + ":";
    text += "|\n";
  }
  return text;
}

} // namespace fastnorm
