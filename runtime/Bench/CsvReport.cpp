//===- CsvReport.cpp - Measurements as a table of values ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/CsvReport.h"

#include "runtime/Bench/Table.h"

#include <algorithm>
#include <cstdio>

namespace fastnorm {

namespace {

using Cells = std::vector<std::string>;

std::string decimal(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

template <typename T> std::string known(const std::optional<T> &value) {
  return value ? decimal(static_cast<double>(*value)) : "";
}

std::optional<double> scaled(const std::optional<double> &value, double factor) {
  return value ? std::optional<double>(*value * factor) : std::nullopt;
}

/// Quoted where it has to be.
std::string quoted(const std::string &cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos)
    return cell;
  std::string text = "\"";
  for (char character : cell)
    text += character == '"' ? "\"\"" : std::string(1, character);
  return text + "\"";
}

std::string joined(const Cells &cells) {
  std::string line;
  for (size_t column = 0; column < cells.size(); ++column)
    line += (column ? "," : "") + quoted(cells[column]);
  return line + "\n";
}

/// "rows=16;expert_rows=64".
std::string symbolsOf(const Measurement &measurement) {
  std::string text;
  for (const auto &[symbol, value] : measurement.symbols)
    text += (text.empty() ? "" : ";") + symbol + "=" + std::to_string(value);
  return text;
}

class CsvTable {
public:
  explicit CsvTable(const std::vector<Measurement> &measurements) : measurements(measurements) {
    for (const Measurement &measurement : measurements)
      for (const Rival &rival : measurement.rivals)
        if (std::find(rivals.begin(), rivals.end(), rival.name) == rivals.end())
          rivals.push_back(rival.name);
  }

  std::string format() const {
    Cells header{"function",
                 "symbols",
                 "target",
                 "device",
                 "cache",
                 "kind",
                 "name",
                 "grid",
                 "threads",
                 "registers",
                 "spill_bytes",
                 "shared_bytes",
                 "occupancy",
                 "read_bytes",
                 "written_bytes",
                 "us",
                 "us_low",
                 "us_high",
                 "noise",
                 "samples",
                 "gigabytes_per_second",
                 "percent_of_copy",
                 "percent_of_stream",
                 "host_us",
                 "warp_instructions",
                 "loads",
                 "stores",
                 "loaded_bytes",
                 "stored_bytes",
                 "barriers"};
    for (const std::string &rival : rivals)
      header.push_back("percent_of_" + rival);
    std::string text = joined(header);
    for (const Measurement &measurement : measurements) {
      for (const KernelRow &row : measurement.kernels)
        text += line(measurement, "kernel", row.launch.kernel, &row, row.time);
      for (auto [kind, timed] : {std::pair("graph", &measurement.graph), std::pair("copy", &measurement.copy),
                                 std::pair("stream", &measurement.stream)})
        if (*timed)
          text += line(measurement, kind, (*timed)->name, nullptr, *timed);
    }
    return text;
  }

private:
  std::string line(const Measurement &measurement, const std::string &kind, const std::string &name,
                   const KernelRow *row, const std::optional<Timed> &time) const {
    Cells cells{measurement.function,
                symbolsOf(measurement),
                measurement.target,
                measurement.device.name,
                nameOf(measurement.state),
                kind,
                name};
    appendLaunch(cells, measurement, row);
    cells.push_back(row ? std::to_string(row->launch.readBytes) : std::to_string(time->readBytes));
    cells.push_back(row ? std::to_string(row->launch.writtenBytes) : std::to_string(time->writtenBytes));
    appendTimes(cells, measurement, time);
    appendCounts(cells, row);
    for (const std::string &name : rivals)
      cells.push_back(shareOfRival(measurement, time, name));
    return joined(cells);
  }

  static void appendLaunch(Cells &cells, const Measurement &measurement, const KernelRow *row) {
    if (!row)
      return void(cells.insert(cells.end(), 6, ""));
    const LaunchFacts &launch = row->launch;
    cells.push_back(std::to_string(launch.grid));
    cells.push_back(std::to_string(launch.threads));
    cells.push_back(known(launch.facts.registers));
    cells.push_back(known(launch.facts.spillBytes));
    cells.push_back(std::to_string(launch.facts.staticSharedBytes + launch.dynamicSharedBytes));
    cells.push_back(known(occupancy(measurement.device, launch)));
  }

  static void appendTimes(Cells &cells, const Measurement &measurement, const std::optional<Timed> &time) {
    if (!time || time->samples.summary.count == 0)
      return void(cells.insert(cells.end(), 9, ""));
    const Summary &summary = time->samples.summary;
    for (double value : {summary.median, summary.medianLow, summary.medianHigh, summary.noise})
      cells.push_back(decimal(value));
    cells.push_back(std::to_string(summary.count));
    cells.push_back(known(scaled(time->bytesPerSecond(), 1e-9)));
    cells.push_back(known(scaled(shareOf(*time, measurement.copy), 100.0)));
    cells.push_back(known(scaled(shareOf(*time, measurement.stream), 100.0)));
    cells.push_back(time->samples.hostSummary.count ? decimal(time->samples.hostSummary.median) : "");
  }

  static void appendCounts(Cells &cells, const KernelRow *row) {
    if (!row || !row->counters)
      return void(cells.insert(cells.end(), 6, ""));
    const LaunchCounters &counted = *row->counters;
    for (uint64_t count : {counted.warpInstructions, counted.globalLoads, counted.globalStores, counted.globalLoadBytes,
                           counted.globalStoreBytes, counted.barriers})
      cells.push_back(std::to_string(count));
  }

  static std::string shareOfRival(const Measurement &measurement, const std::optional<Timed> &time,
                                  const std::string &name) {
    for (const Rival &rival : measurement.rivals)
      if (rival.name == name && time && time->samples.summary.count)
        return decimal(time->microseconds() / rival.microseconds * 100.0);
    return "";
  }

  const std::vector<Measurement> &measurements;
  std::vector<std::string> rivals;
};

} // namespace

std::string formatCsv(const std::vector<Measurement> &measurements) { return CsvTable(measurements).format(); }

} // namespace fastnorm
