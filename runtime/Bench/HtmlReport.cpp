//===- HtmlReport.cpp - Measurements as a page ----------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/HtmlReport.h"

#include "runtime/Bench/Chart.h"
#include "runtime/Bench/ReportCharts.h"
#include "runtime/Bench/Table.h"

#include <cstdio>

namespace fastnorm {

namespace {

constexpr const char *kStyle = R"(<style>
:root {
  --page: #ffffff; --ink: #1d2126; --soft: #5c6670; --rule: #d8dde2; --panel: #f5f7f9; --warn: #fff4d6;
  --graph: #1f6fb5; --kernel: #5ba3dc; --copy: #70777f; --stream: #b8610b; --limit: #b3263f; --rival: #8a5bb0;
  --s0: #1f6fb5; --s1: #b8610b; --s2: #2f8a4c; --s3: #8a5bb0; --s4: #b3263f; --s5: #5c6670;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181d; --ink: #e6e9ec; --soft: #9ba6b0; --rule: #343c45; --panel: #1c2229; --warn: #3a3118;
    --graph: #5ba8ea; --kernel: #3f78a8; --copy: #a3abb3; --stream: #eb9a4a; --limit: #f07286; --rival: #bb93de;
    --s0: #5ba8ea; --s1: #eb9a4a; --s2: #62c483; --s3: #bb93de; --s4: #f07286; --s5: #a3abb3;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 28px 24px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 2px; }
h2 { font-size: 19px; margin: 34px 0 4px; overflow-wrap: anywhere; }
h3 { font-size: 15px; margin: 0 0 6px; }
p { margin: 4px 0; }
.soft, figcaption { color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px; margin: 14px 0; }
.figure { background: var(--panel); border: 1px solid var(--rule); border-radius: 6px; padding: 9px 12px; }
.figure b { display: block; font-size: 22px; font-weight: 600; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 22px; margin: 18px 0; }
figure { margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; margin: 10px 0; }
th, td { padding: 4px 9px; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
th { color: var(--soft); font-weight: 600; }
th:first-child, td:first-child { text-align: left; }
.warnings { background: var(--warn); border: 1px solid var(--rule); border-radius: 6px; padding: 8px 12px 8px 30px; margin: 12px 0; }
.legend { display: flex; flex-wrap: wrap; gap: 3px 16px; font-size: 13px; color: var(--soft); margin: 0 0 4px; padding: 0; list-style: none; }
.legend i { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; background: currentColor; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--soft); }
svg text.label { fill: var(--ink); paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
.grid { stroke: var(--rule); stroke-width: 1; }
.line { fill: none; stroke: currentColor; stroke-width: 2; }
.level { stroke-dasharray: 6 4; stroke-width: 1.5; }
.mark { fill: currentColor; stroke: var(--page); stroke-width: 1.5; }
.box { fill: currentColor; }
.graph { color: var(--graph); } .kernel { color: var(--kernel); } .copy { color: var(--copy); }
.stream { color: var(--stream); } .limit { color: var(--limit); } .rival { color: var(--rival); }
.series0 { color: var(--s0); } .series1 { color: var(--s1); } .series2 { color: var(--s2); }
.series3 { color: var(--s3); } .series4 { color: var(--s4); } .series5 { color: var(--s5); }
@media print {
  :root {
    --page: #ffffff; --ink: #000000; --soft: #333333; --rule: #bbbbbb; --panel: #ffffff; --warn: #ffffff;
    --graph: #1f6fb5; --kernel: #5ba3dc; --copy: #70777f; --stream: #b8610b; --limit: #b3263f; --rival: #8a5bb0;
    --s0: #1f6fb5; --s1: #b8610b; --s2: #2f8a4c; --s3: #8a5bb0; --s4: #b3263f; --s5: #5c6670;
    color-scheme: light;
  }
  body { font-size: 12px; max-width: none; padding: 0; }
  table { font-size: 9px; }
  th, td { padding: 2px 4px; }
  th { white-space: normal; }
  .scroll { overflow: visible; }
  .charts { grid-template-columns: 1fr 1fr; gap: 14px; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  figure, table, .figures { break-inside: avoid; }
  section { break-before: page; }
  section:first-of-type { break-before: auto; }
}
</style>
)";

/// More than these are only shown together.
constexpr size_t kMaxSections = 24;

std::string decimal(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", places, value);
  return text;
}

std::string percent(const std::optional<double> &share) {
  return share ? decimal(*share * 100.0, 1) + " %" : std::string("-");
}

std::string card(const std::string &value, const std::string &what) {
  return "<div class=\"figure\"><b>" + escaped(value) + "</b><span class=\"soft\">" + escaped(what) + "</span></div>\n";
}

/// "rms_norm, rows 16".
std::string titleOf(const Measurement &measurement) {
  std::string title = measurement.function;
  for (const auto &[symbol, value] : measurement.symbols)
    title += ", " + symbol + " " + std::to_string(value);
  return title;
}

std::string cards(const Measurement &measurement) {
  const Timed &graph = *measurement.graph;
  std::optional<double> rate = graph.bytesPerSecond();
  std::string text = "<div class=\"figures\">\n";
  text += card(decimal(graph.microseconds(), 2) + " us",
               "the graph, median of " + std::to_string(graph.samples.summary.count) + " samples");
  text += card(rate ? decimal(*rate / 1e9, 0) + " GB/s" : "no rate", "of distinct bytes");
  text += card(percent(shareOf(graph, measurement.copy)), "of the copy in the same run");
  if (measurement.stream)
    text += card(percent(shareOf(graph, measurement.stream)),
                 "of the " + measurement.stream->name.substr(0, measurement.stream->name.find(',')));
  if (graph.samples.hostSummary.count > 0)
    text += card(decimal(graph.samples.hostSummary.median, 2) + " us", "of the host to launch it");
  for (const Rival &rival : measurement.rivals)
    if (std::optional<double> times = timesTheGraph(rival, measurement))
      text += card(decimal(*times, 2) + " x", "the graph's time: " + rival.name);
  return text + "</div>\n";
}

std::string figureHtml(const Figure &figure) {
  if (figure.svg.empty())
    return "";
  std::string text = "<figure>\n<h3>" + escaped(figure.heading) + "</h3>\n";
  if (!figure.legend.empty()) {
    text += "<ul class=\"legend\">";
    for (const auto &[colour, meaning] : figure.legend)
      text += "<li><i class=\"" + colour + "\"></i>" + escaped(meaning) + "</li>";
    text += "</ul>\n";
  }
  return text + figure.svg + "<figcaption>" + escaped(figure.caption) + "</figcaption>\n</figure>\n";
}

std::string tableHtml(const TableCells &lines) {
  std::string text = "<div class=\"scroll\"><table>\n";
  for (size_t index = 0; index < lines.size(); ++index) {
    const char *cellName = index == 0 ? "th" : "td";
    text += "<tr>";
    for (const std::string &cell : lines[index])
      text += "<" + std::string(cellName) + ">" + escaped(cell) + "</" + cellName + ">";
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string warningsHtml(const Measurement &measurement) {
  if (measurement.warnings.empty())
    return "";
  std::string text = "<ul class=\"warnings\">\n";
  for (const Warning &warning : measurement.warnings)
    text += "<li><b>" + escaped(warning.what) + "</b>; " + escaped(warning.remedy) + "</li>\n";
  return text + "</ul>\n";
}

/// "NVIDIA H200, driver 580.159, 1980 MHz, …"
std::string deviceHtml(const Measurement &measurement) {
  std::string text = measurement.device.name + " (" + measurement.device.chip + ")";
  if (measurement.readings.empty()) {
    if (!measurement.readingsMissing.empty())
      text += "; clocks and power are not known: " + measurement.readingsMissing;
    return escaped(text);
  }
  const DeviceReading &reading = measurement.readings.back();
  if (!reading.driver.empty())
    text += ", driver " + reading.driver;
  if (reading.clockMegahertz)
    text += ", " + std::to_string(*reading.clockMegahertz) + " MHz";
  if (reading.memoryClockMegahertz)
    text += ", memory " + std::to_string(*reading.memoryClockMegahertz) + " MHz";
  if (reading.watts)
    text += ", " + decimal(*reading.watts, 0) + " W";
  if (reading.celsius)
    text += ", " + std::to_string(*reading.celsius) + " C";
  return escaped(text);
}

std::string provenance(const Measurement &measurement) {
  std::string text = "<p class=\"soft\">" + deviceHtml(measurement) + "<br>" + escaped(measurement.version);
  if (!measurement.commit.empty())
    text += ", commit " + escaped(measurement.commit);
  text += ", " + escaped(measurement.date) + "; compiled for " + escaped(measurement.target) + "; plan " +
          escaped(measurement.planDigest.substr(0, 16)) + "; " + escaped(measurement.source) + "</p>\n";
  return text;
}

std::string section(const Measurement &measurement, bool isOnly) {
  std::string text = "<section>\n";
  if (!isOnly)
    text += "<h2>" + escaped(titleOf(measurement)) + "</h2>\n";
  text += provenance(measurement) + warningsHtml(measurement);
  if (measurement.isTimed())
    text += cards(measurement);
  text += tableHtml(tableCells(measurement));
  if (!measurement.isTimed())
    return text + "<p class=\"soft\">Nothing was timed: " + escaped(measurement.device.name) +
           (measurement.device.isEmulator ? " counts, it does not model time." : " has no samples.") +
           "</p>\n</section>\n";
  text += "<p class=\"soft\">" + escaped(describeWay(measurement)) + "</p>\n<div class=\"charts\">\n";
  for (const Figure &figure : {timeFigure(measurement), rooflineFigure(measurement), samplesFigure(measurement)})
    text += figureHtml(figure);
  return text + "</div>\n</section>\n";
}

/// A line a measurement.
std::string overview(const std::vector<Measurement> &measurements) {
  TableCells lines{{"measurement", "target", "cache", "us", "GB/s", "% of copy", "% of stream", "host us", "warnings"}};
  for (const Measurement &measurement : measurements) {
    if (!measurement.isTimed()) {
      lines.push_back({titleOf(measurement), measurement.target, nameOf(measurement.state), "-", "-", "-", "-", "-",
                       std::to_string(measurement.warnings.size())});
      continue;
    }
    const Timed &graph = *measurement.graph;
    std::optional<double> rate = graph.bytesPerSecond();
    lines.push_back({titleOf(measurement), measurement.target, nameOf(measurement.state),
                     decimal(graph.microseconds(), 2), rate ? decimal(*rate / 1e9, 0) : "-",
                     percent(shareOf(graph, measurement.copy)), percent(shareOf(graph, measurement.stream)),
                     graph.samples.hostSummary.count ? decimal(graph.samples.hostSummary.median, 2) : "-",
                     std::to_string(measurement.warnings.size())});
  }
  std::string text = tableHtml(lines) + "<div class=\"charts\">\n";
  for (const Figure &figure : seriesFigures(measurements))
    text += figureHtml(figure);
  return text + "</div>\n";
}

} // namespace

std::string formatHtml(const std::vector<Measurement> &measurements) {
  bool isOnly = measurements.size() == 1;
  std::string title = isOnly ? titleOf(measurements.front()) : std::to_string(measurements.size()) + " measurements";
  std::string text = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
                     escaped(title) + "</title>\n" + kStyle + "</head>\n<body>\n<h1>" + escaped(title) + "</h1>\n";
  if (!isOnly)
    text += overview(measurements);
  if (measurements.size() > kMaxSections)
    text += "<p class=\"soft\">Pages of up to " + std::to_string(kMaxSections) +
            " measurements show each of them by itself.</p>\n";
  else
    for (const Measurement &measurement : measurements)
      text += section(measurement, isOnly);
  return text + "</body>\n</html>\n";
}

} // namespace fastnorm
