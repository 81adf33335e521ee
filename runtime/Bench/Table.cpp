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

bool countsInstead(const Measurement &measurement) {
  return std::any_of(measurement.kernels.begin(), measurement.kernels.end(),
                     [](const KernelRow &row) { return row.counters; });
}

Cells header(const Measurement &measurement) {
  Cells cells{"kernel", "grid x CTA", "registers", "spill bytes", "shared bytes", "occupancy"};
  if (countsInstead(measurement))
    cells.insert(cells.end(), {"warp instructions", "loads", "stores", "loaded bytes", "stored bytes", "barriers"});
  else
    cells.insert(cells.end(), {"us", "GB/s", "% of copy"});
  if (!countsInstead(measurement))
    for (const Rival &rival : measurement.rivals)
      cells.push_back("% of " + rival.name);
  return cells;
}

void appendCounts(Cells &cells, const std::optional<LaunchCounters> &counters) {
  LaunchCounters counted = counters.value_or(LaunchCounters());
  for (uint64_t count : {counted.warpInstructions, counted.globalLoads, counted.globalStores, counted.globalLoadBytes,
                         counted.globalStoreBytes, counted.barriers})
    cells.push_back(counters ? std::to_string(count) : kUnknown);
}

void appendTimes(Cells &cells, const KernelRow &row, const Measurement &measurement) {
  bool isKnown = row.time && row.time->samples.summary.count > 0;
  std::optional<double> rate = isKnown ? row.time->bytesPerSecond() : std::nullopt;
  std::optional<double> share = isKnown ? shareOf(*row.time, measurement.copy) : std::nullopt;
  cells.push_back(isKnown ? decimal(row.time->microseconds(), 2) : kUnknown);
  cells.push_back(rate ? decimal(*rate / 1e9, 0) : kUnknown);
  cells.push_back(share ? decimal(*share * 100.0, 1) : kUnknown);
  for (const Rival &rival : measurement.rivals)
    cells.push_back(isKnown ? decimal(row.time->microseconds() / rival.microseconds * 100.0, 1) : kUnknown);
}

Cells line(const KernelRow &row, const Measurement &measurement) {
  const LaunchFacts &launch = row.launch;
  Cells cells{launch.kernel,
              std::to_string(launch.grid) + " x " + std::to_string(launch.threads),
              integer(launch.facts.registers),
              integer(launch.facts.spillBytes),
              std::to_string(launch.facts.staticSharedBytes + launch.dynamicSharedBytes),
              percent(occupancy(measurement.device, launch))};
  if (countsInstead(measurement))
    appendCounts(cells, row.counters);
  else
    appendTimes(cells, row, measurement);
  return cells;
}

std::vector<size_t> widths(const TableCells &lines) {
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

/// "median of 31 samples, 36.85 to 36.97 at 95 %, noise 0.3 %"
std::string describeSamples(const Summary &summary) {
  return "median of " + std::to_string(summary.count) + " samples, " + decimal(summary.medianLow, 2) + " to " +
         decimal(summary.medianHigh, 2) + " at 95 %, noise " + decimal(summary.noise * 100.0, 1) + " %";
}

/// "graph: 36.91 us, 4021 GB/s (median of …)"
std::string describeTimed(const Timed &timed) {
  std::string text = timed.name + ": " + decimal(timed.microseconds(), 2) + " us, ";
  if (std::optional<double> rate = timed.bytesPerSecond())
    text += decimal(*rate / 1e9, 0) + " GB/s ";
  else
    text += "no rate ";
  return text + "(" + describeSamples(timed.samples.summary) + ")";
}

const char *describe(StopReason reason) {
  switch (reason) {
  case StopReason::Precise: return "every median is known to 1 %";
  case StopReason::OutOfTime: return "time ran out";
  case StopReason::Interrupted: return "interrupted";
  case StopReason::Failed: return "the device did not go on";
  }
  return "";
}

} // namespace

std::optional<double> occupancy(const DeviceInfo &device, const LaunchFacts &launch) {
  if (!launch.facts.ctasPerMultiprocessor || device.maxThreadsPerMultiprocessor <= 0)
    return std::nullopt;
  // A CTA occupies whole warps.
  int64_t residentThreads = *launch.facts.ctasPerMultiprocessor * ((launch.threads + 31) / 32 * 32);
  return static_cast<double>(residentThreads) / static_cast<double>(device.maxThreadsPerMultiprocessor);
}

TableCells tableCells(const Measurement &measurement) {
  TableCells lines{header(measurement)};
  for (const KernelRow &row : measurement.kernels)
    lines.push_back(line(row, measurement));
  return lines;
}

std::string describeSymbols(const Measurement &measurement) {
  std::string text;
  for (const auto &[symbol, value] : measurement.symbols)
    text += (text.empty() ? "" : ", ") + symbol + " " + std::to_string(value);
  return text;
}

std::string describeWay(const Measurement &measurement) {
  std::string text = nameOf(measurement.state);
  text += ": " + std::to_string(measurement.sets) + (measurement.sets == 1 ? " set of " : " sets of ") +
          decimal(static_cast<double>(measurement.setBytes) / (1 << 20), 2) + " MiB";
  if (std::optional<double> footprint = footprintPerL2(measurement))
    text += ", " + decimal(*footprint, 1) + " times the L2";
  if (measurement.isFlushed)
    text += ", which reads flush before each sample";
  return text + "; " + describe(measurement.reason) + " after " + decimal(measurement.seconds, 1) + " s";
}

std::string formatTable(const Measurement &measurement) {
  TableCells lines = tableCells(measurement);
  std::vector<size_t> widest = widths(lines);
  std::string text;
  for (const Cells &cells : lines) {
    for (size_t column = 0; column < cells.size(); ++column)
      text += (column == 0 ? "" : "  ") + padded(cells[column], widest[column], column);
    text += "\n";
  }
  return text;
}

std::string formatSummary(const Measurement &measurement) {
  if (!measurement.isTimed())
    return "";
  const Timed &graph = *measurement.graph;
  std::string text = describeTimed(graph);
  if (std::optional<double> share = shareOf(graph, measurement.copy))
    text += ", " + decimal(*share * 100.0, 1) + " % of the copy";
  if (std::optional<double> share = shareOf(graph, measurement.stream))
    text += ", " + decimal(*share * 100.0, 1) + " % of the same-mix stream";
  text += "\n";
  for (const std::optional<Timed> *baseline : {&measurement.copy, &measurement.stream})
    if (*baseline && (*baseline)->samples.summary.count > 0)
      text += describeTimed(**baseline) + "\n";
  const Summary &host = graph.samples.hostSummary;
  if (host.count > 0)
    text += "host: " + decimal(host.median, 2) + " us to launch the graph (" + describeSamples(host) + ")\n";
  for (const Rival &rival : measurement.rivals) {
    text += rival.name + ": " + decimal(rival.microseconds, 2) + " us";
    if (std::optional<double> times = timesTheGraph(rival, measurement))
      text += ", " + decimal(*times, 2) + " times the graph's";
    text += "\n";
  }
  return text + describeWay(measurement) + "\n";
}

} // namespace fastnorm
