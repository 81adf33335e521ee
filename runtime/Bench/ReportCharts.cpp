//===- ReportCharts.cpp - The charts of the page --------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/ReportCharts.h"

#include "runtime/Bench/Chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace fastnorm {

namespace {

constexpr size_t kMaxSeries = 6;

std::string decimal(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", places, value);
  return text;
}

/// Name, what was timed, and the colour of it.
struct Point {
  std::string name;
  const Timed *timed;
  std::string colour;
};

std::vector<Point> timedPoints(const Measurement &measurement) {
  std::vector<Point> points;
  std::vector<Point> kernels;
  for (const KernelRow &row : measurement.kernels)
    if (row.time)
      kernels.push_back({row.launch.kernel, &*row.time, "kernel"});
  points.push_back({"graph", &*measurement.graph, "graph"});
  // A graph of one kernel is that kernel.
  if (kernels.size() > 1)
    points.insert(points.end(), kernels.begin(), kernels.end());
  if (measurement.copy)
    points.push_back({"copy", &*measurement.copy, "copy"});
  if (measurement.stream)
    points.push_back({"same-mix stream", &*measurement.stream, "stream"});
  return points;
}

} // namespace

Figure rooflineFigure(const Measurement &measurement) {
  if (!measurement.isTimed())
    return {};
  std::vector<double> megabytes, rates;
  std::vector<Point> points = timedPoints(measurement);
  for (const Point &point : points)
    if (std::optional<double> rate = point.timed->bytesPerSecond()) {
      megabytes.push_back(static_cast<double>(point.timed->byteCount()) / 1e6);
      rates.push_back(*rate / 1e9);
    }
  if (rates.empty())
    return {};
  double peak = measurement.device.memoryBytesPerSecond / 1e9;
  rates.push_back(peak);
  Chart chart("GB/s over megabytes of each kernel, below the memory's peak and the copy",
              Axis::covering("MB per launch", megabytes, true), Axis::covering("GB/s", rates, true));
  Figure figure{"Roofline", "", {}, ""};
  if (peak > 0.0) {
    chart.level(peak, "limit");
    figure.legend.push_back({"limit", "memory's peak, " + decimal(peak, 0) + " GB/s"});
  }
  if (std::optional<double> copyRate = measurement.copy ? measurement.copy->bytesPerSecond() : std::nullopt) {
    chart.level(*copyRate / 1e9, "copy");
    figure.legend.push_back({"copy", "copy, " + decimal(*copyRate / 1e9, 0) + " GB/s"});
  }
  std::set<std::string> colours{"copy"};
  for (const Point &point : points) {
    std::optional<double> rate = point.timed->bytesPerSecond();
    if (!rate)
      continue;
    double moved = static_cast<double>(point.timed->byteCount()) / 1e6;
    chart.mark(moved, *rate / 1e9, point.colour,
               point.name + ": " + decimal(*rate / 1e9, 0) + " GB/s, " + decimal(moved, 2) + " MB, " +
                   decimal(point.timed->microseconds(), 2) + " us",
               points.size() <= 8 ? point.name : "");
    if (colours.insert(point.colour).second)
      figure.legend.push_back({point.colour, point.colour == "stream" ? point.name : point.colour});
  }
  figure.svg = chart.svg();
  figure.caption =
      "Distinct bytes per second of each launch. Kernels that move little are below the copy of more, because "
      "a launch takes a time of its own.";
  return figure;
}

Figure timeFigure(const Measurement &measurement) {
  if (!measurement.isTimed())
    return {};
  std::optional<double> copyRate = measurement.copy ? measurement.copy->bytesPerSecond() : std::nullopt;
  std::vector<Bar> bars;
  for (const KernelRow &row : measurement.kernels) {
    if (!row.time)
      continue;
    bars.push_back(
        {row.launch.kernel, row.time->microseconds(), decimal(row.time->microseconds(), 2) + " us", "kernel"});
    if (copyRate) {
      double microseconds = static_cast<double>(row.time->byteCount()) / *copyRate * 1e6;
      bars.push_back({"its bytes at the rate of the copy", microseconds, decimal(microseconds, 2) + " us", "copy"});
    }
  }
  // A graph of one kernel is that kernel.
  if (measurement.kernels.size() > 1)
    bars.push_back(
        {"graph", measurement.graph->microseconds(), decimal(measurement.graph->microseconds(), 2) + " us", "graph"});
  for (const Rival &rival : measurement.rivals) {
    std::string figure = decimal(rival.microseconds, 2) + " us";
    if (std::optional<double> times = timesTheGraph(rival, measurement))
      figure += ", " + decimal(*times, 2) + " x the graph";
    bars.push_back({rival.name, rival.microseconds, figure, "rival"});
  }
  return {"Time by kernel", barsSvg("Microseconds of each kernel", bars), {}, "Medians of one launch."};
}

Figure samplesFigure(const Measurement &measurement) {
  if (!measurement.isTimed())
    return {};
  constexpr int kBins = 40;
  const Summary &summary = measurement.graph->samples.summary;
  std::vector<double> sorted = measurement.graph->samples.microseconds;
  std::sort(sorted.begin(), sorted.end());
  // What lies far out would squeeze the rest into one bin.
  double low = summary.minimum, high = std::max(quantile(sorted, 0.99), summary.medianHigh);
  double width = std::max((high - low) / kBins, summary.median * 1e-6 + 1e-12);
  std::vector<double> counts(kBins, 0.0);
  int64_t beyond = 0;
  for (double sample : sorted) {
    double bin = std::floor((sample - low) / width);
    if (bin > kBins)
      ++beyond;
    else
      ++counts[static_cast<size_t>(std::min(bin, kBins - 1.0))];
  }
  double most = *std::max_element(counts.begin(), counts.end());
  Axis x{"us per launch", low - width, low + width * (kBins + 1), false};
  Chart chart("How many samples of the graph took how long", x, {"samples", 0.0, most * 1.08, false});
  for (int bin = 0; bin < kBins; ++bin)
    if (counts[static_cast<size_t>(bin)] > 0.0) {
      double left = low + width * bin;
      chart.box(left, left + width, 0.0, counts[static_cast<size_t>(bin)], "graph",
                decimal(counts[static_cast<size_t>(bin)], 0) + " samples of " + decimal(left, 3) + " to " +
                    decimal(left + width, 3) + " us");
    }
  chart.line({{summary.median, 0.0}, {summary.median, most * 1.05}}, "limit", false);
  std::string caption = "The median is " + decimal(summary.median, 2) + " us, at 95 % between " +
                        decimal(summary.medianLow, 2) + " and " + decimal(summary.medianHigh, 2) + ".";
  if (beyond > 0)
    caption += " " + std::to_string(beyond) + " of " + std::to_string(summary.count) + " samples, up to " +
               decimal(summary.maximum, 2) + " us, lie further right.";
  return {"Samples of the graph", chart.svg(), {{"graph", "samples"}, {"limit", "median"}}, caption};
}

namespace {

/// The symbol that takes most values; empty where all are the same.
std::string varyingSymbol(const std::vector<Measurement> &measurements) {
  std::map<std::string, std::set<int64_t>> values;
  for (const Measurement &measurement : measurements)
    for (const auto &[symbol, value] : measurement.symbols)
      values[symbol].insert(value);
  std::string best;
  size_t most = 1;
  for (const auto &[symbol, taken] : values)
    if (taken.size() > most) {
      most = taken.size();
      best = symbol;
    }
  return best;
}

/// What else the measurements of one line have in common: function, target, cache, and the other symbols.
std::string seriesOf(const Measurement &measurement, const std::string &varying, const std::set<std::string> &told) {
  std::string name = measurement.function;
  if (told.count("target"))
    name += ", " + measurement.target;
  if (told.count("cache"))
    name += ", " + std::string(nameOf(measurement.state));
  for (const auto &[symbol, value] : measurement.symbols)
    if (symbol != varying && told.count(symbol))
      name += ", " + symbol + " " + std::to_string(value);
  return name;
}

/// What differs between measurements beside the varying symbol, and so has to be told.
std::set<std::string> differences(const std::vector<Measurement> &measurements) {
  std::set<std::string> told;
  const Measurement &first = measurements.front();
  for (const Measurement &measurement : measurements) {
    if (measurement.target != first.target)
      told.insert("target");
    if (measurement.state != first.state)
      told.insert("cache");
    for (const auto &[symbol, value] : measurement.symbols)
      if (auto same = first.symbols.find(symbol); same == first.symbols.end() || same->second != value)
        told.insert(symbol);
  }
  return told;
}

using Series = std::map<std::string, std::vector<std::pair<double, double>>>;

Figure seriesFigure(std::string heading, const std::string &xLabel, const std::string &yLabel, bool isSweep,
                    Series series, bool fromZero) {
  std::vector<double> xs, ys;
  for (auto &[name, points] : series) {
    std::sort(points.begin(), points.end());
    for (auto [x, y] : points) {
      xs.push_back(x);
      ys.push_back(y);
    }
  }
  if (xs.empty())
    return {};
  bool isWide = isSweep && *std::max_element(xs.begin(), xs.end()) > 8 * *std::min_element(xs.begin(), xs.end()) &&
                *std::min_element(xs.begin(), xs.end()) > 0;
  Axis y = Axis::covering(yLabel, ys, !fromZero);
  if (fromZero)
    y = {yLabel, 0.0, std::max(100.0, *std::max_element(ys.begin(), ys.end())) * 1.05, false};
  Chart chart(yLabel + " over " + xLabel, Axis::covering(xLabel, xs, isWide), y);
  Figure figure{std::move(heading), "", {}, ""};
  size_t number = 0;
  if (fromZero)
    chart.level(100.0, "copy");
  for (const auto &[name, points] : series) {
    std::string colour = "series" + std::to_string(number++ % kMaxSeries);
    chart.line(points, colour, true);
    figure.legend.push_back({colour, name});
  }
  if (series.size() > kMaxSeries)
    figure.caption = "Colours repeat after six lines; point at a mark to see which it is.";
  figure.svg = chart.svg();
  return figure;
}

} // namespace

std::vector<Figure> seriesFigures(const std::vector<Measurement> &measurements) {
  if (measurements.size() < 2)
    return {};
  std::string varying = varyingSymbol(measurements);
  bool isSweep = !varying.empty();
  std::set<std::string> told = differences(measurements);
  Series shares, times;
  double number = 0.0;
  for (const Measurement &measurement : measurements) {
    ++number;
    auto value = measurement.symbols.find(varying);
    if (!measurement.isTimed() || (isSweep && value == measurement.symbols.end()))
      continue;
    double x = isSweep ? static_cast<double>(value->second) : number;
    std::string name = seriesOf(measurement, varying, told);
    times[name].push_back({x, measurement.graph->microseconds()});
    if (std::optional<double> share = shareOf(*measurement.graph, measurement.copy))
      shares[name].push_back({x, *share * 100.0});
  }
  std::string heading = isSweep ? "Over " + varying : "History";
  std::string xLabel = isSweep ? varying : "measurement, in the order given";
  std::vector<Figure> figures{
      seriesFigure(heading + ": percent of the copy", xLabel, "% of the copy", isSweep, shares, true),
      seriesFigure(heading + ": time", xLabel, "us", isSweep, times, false)};
  figures.erase(std::remove_if(figures.begin(), figures.end(), [](const Figure &figure) { return figure.svg.empty(); }),
                figures.end());
  return figures;
}

} // namespace fastnorm
