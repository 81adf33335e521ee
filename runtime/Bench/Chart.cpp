//===- Chart.cpp - A chart as inline SVG ----------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fastnorm {

namespace {

constexpr double kWidth = 640.0, kHeight = 320.0;
constexpr double kLeft = 64.0, kRight = 616.0, kTop = 14.0, kBottom = 268.0;
constexpr double kLineHeight = 14.0;
/// About how wide a character of a label is.
constexpr double kCharacterWidth = 6.4;

std::string decimal(double value, int places = 1) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", places, value);
  return text;
}

std::string attribute(const char *name, double value) {
  return std::string(" ") + name + "=\"" + decimal(value) + "\"";
}

std::string textElement(double x, double y, const char *anchor, const std::string &text, const std::string &more = "") {
  return "<text" + attribute("x", x) + attribute("y", y) + " text-anchor=\"" + anchor + "\"" + more + ">" +
         escaped(text) + "</text>\n";
}

std::string open(const std::string &description, double height) {
  return "<svg viewBox=\"0 0 " + decimal(kWidth, 0) + " " + decimal(height, 0) + "\" role=\"img\" aria-label=\"" +
         escaped(description) + "\">\n";
}

/// 1, 2 or 5 times a power of ten, so that there are about six steps.
double stepOf(double span) {
  double raw = span / 6.0;
  double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw)
      return factor * power;
  return 10.0 * power;
}

std::vector<double> linearTicks(const Axis &axis) {
  double step = stepOf(axis.high - axis.low);
  std::vector<double> ticks;
  for (double number = std::ceil(axis.low / step); number * step <= axis.high * (1 + 1e-9); ++number)
    ticks.push_back(number * step);
  return ticks;
}

/// Powers of ten, and where there are few of them 2 and 5 of each.
std::vector<double> logarithmicTicks(const Axis &axis) {
  if (!axis.isLogarithmic)
    return {};
  double decades = std::log10(axis.high / axis.low);
  std::vector<double> factors = decades > 3.0 ? std::vector<double>{1.0} : std::vector<double>{1.0, 2.0, 5.0};
  double every = std::max(1.0, std::ceil(decades / 8.0));
  std::vector<double> ticks;
  for (double power = std::floor(std::log10(axis.low)); power <= std::log10(axis.high); power += every)
    for (double factor : factors)
      if (double tick = factor * std::pow(10.0, power); tick >= axis.low * (1 - 1e-9) && tick <= axis.high * (1 + 1e-9))
        ticks.push_back(tick);
  return ticks;
}

double shareAlong(const Axis &axis, double value) {
  double share = axis.isLogarithmic
                     ? std::log(std::max(value, axis.low * 1e-6) / axis.low) / std::log(axis.high / axis.low)
                     : (value - axis.low) / (axis.high - axis.low);
  return std::clamp(share, 0.0, 1.0);
}

} // namespace

std::string escaped(const std::string &text) {
  std::string result;
  for (char character : text) {
    if (character == '<')
      result += "&lt;";
    else if (character == '>')
      result += "&gt;";
    else if (character == '&')
      result += "&amp;";
    else if (character == '"')
      result += "&quot;";
    else
      result += character;
  }
  return result;
}

std::string shortFigure(double value) {
  const char *unit = "";
  double figure = value;
  for (auto [limit, name] : {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e4, "k")})
    if (std::abs(value) >= limit) {
      unit = name;
      figure = value / (limit == 1e4 ? 1e3 : limit);
      break;
    }
  char text[64];
  std::snprintf(text, sizeof(text), std::abs(figure) >= 100.0 ? "%.0f%s" : "%.3g%s", figure, unit);
  return text;
}

Axis Axis::covering(std::string label, const std::vector<double> &values, bool isLogarithmic) {
  Axis axis{std::move(label), HUGE_VAL, -HUGE_VAL, isLogarithmic};
  for (double value : values)
    if (std::isfinite(value) && (!isLogarithmic || value > 0.0)) {
      axis.low = std::min(axis.low, value);
      axis.high = std::max(axis.high, value);
    }
  if (axis.low > axis.high)
    return {axis.label, isLogarithmic ? 1.0 : 0.0, isLogarithmic ? 10.0 : 1.0, isLogarithmic};
  if (isLogarithmic) {
    axis.low /= 1.5;
    axis.high *= 1.5;
    return axis;
  }
  double margin = axis.high > axis.low ? 0.04 * (axis.high - axis.low) : std::max(0.5, 0.05 * std::abs(axis.high));
  axis.low -= margin;
  axis.high += margin;
  return axis;
}

Chart::Chart(std::string description, Axis x, Axis y)
    : description(std::move(description)), xAxis(std::move(x)), yAxis(std::move(y)) {
  drawAxes();
}

double Chart::across(double x) const { return kLeft + (kRight - kLeft) * shareAlong(xAxis, x); }
double Chart::up(double y) const { return kBottom - (kBottom - kTop) * shareAlong(yAxis, y); }

/// Linear ticks have as many places as tell them apart.
std::vector<std::pair<double, std::string>> Chart::ticksOf(const Axis &axis) {
  std::vector<std::pair<double, std::string>> ticks;
  // Within less than a decade there may be one or none.
  if (std::vector<double> powers = logarithmicTicks(axis); axis.isLogarithmic && powers.size() > 2) {
    for (double tick : powers)
      ticks.push_back({tick, shortFigure(tick)});
    return ticks;
  }
  double step = stepOf(axis.high - axis.low);
  int places = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  bool isLarge = std::max(std::abs(axis.low), std::abs(axis.high)) >= 1e4;
  for (double tick : linearTicks(axis))
    ticks.push_back({tick, isLarge ? shortFigure(tick) : decimal(tick, std::min(places, 9))});
  return ticks;
}

void Chart::drawAxes() {
  for (const auto &[tick, figure] : ticksOf(xAxis)) {
    double x = across(tick);
    body += "<line class=\"grid\"" + attribute("x1", x) + attribute("x2", x) + attribute("y1", kTop) +
            attribute("y2", kBottom) + "/>\n" + textElement(x, kBottom + 17, "middle", figure);
  }
  for (const auto &[tick, figure] : ticksOf(yAxis)) {
    double y = up(tick);
    body += "<line class=\"grid\"" + attribute("x1", kLeft) + attribute("x2", kRight) + attribute("y1", y) +
            attribute("y2", y) + "/>\n" + textElement(kLeft - 7, y + 4, "end", figure);
  }
  body += textElement((kLeft + kRight) / 2, kHeight - 12, "middle", xAxis.label);
  std::string turned = " transform=\"rotate(-90 14 " + decimal((kTop + kBottom) / 2) + ")\"";
  body += textElement(14, (kTop + kBottom) / 2, "middle", yAxis.label, turned);
}

void Chart::line(const std::vector<std::pair<double, double>> &points, const std::string &colour, bool hasMarks) {
  std::string path;
  for (auto [x, y] : points)
    path += (path.empty() ? "" : " ") + decimal(across(x)) + "," + decimal(up(y));
  body += "<polyline class=\"line " + colour + "\" points=\"" + path + "\"/>\n";
  for (auto [x, y] : points)
    if (hasMarks)
      mark(x, y, colour, xAxis.label + " " + shortFigure(x) + ": " + shortFigure(y) + " " + yAxis.label);
}

void Chart::level(double y, const std::string &colour) {
  body += "<line class=\"line level " + colour + "\"" + attribute("x1", kLeft) + attribute("x2", kRight) +
          attribute("y1", up(y)) + attribute("y2", up(y)) + "/>\n";
}

void Chart::mark(double x, double y, const std::string &colour, const std::string &tip, const std::string &label) {
  body += "<circle class=\"mark " + colour + "\"" + attribute("cx", across(x)) + attribute("cy", up(y)) +
          " r=\"5\"><title>" + escaped(tip) + "</title></circle>\n";
  if (!label.empty())
    labels.push_back({across(x), up(y), label});
}

void Chart::box(double left, double right, double bottom, double top, const std::string &colour,
                const std::string &tip) {
  double width = std::max(1.0, across(right) - across(left) - 1.0);
  body += "<rect class=\"box " + colour + "\"" + attribute("x", across(left)) + attribute("y", up(top)) +
          attribute("width", width) + attribute("height", std::max(0.0, up(bottom) - up(top))) + "><title>" +
          escaped(tip) + "</title></rect>\n";
}

/// From the top down, each below the last one that it would overlap; to the left of marks that are far right.
void Chart::drawLabels(std::string &text) const {
  std::vector<Label> sorted = labels;
  std::sort(sorted.begin(), sorted.end(), [](const Label &a, const Label &b) { return a.y < b.y; });
  double next = kTop;
  for (const Label &label : sorted) {
    double y = std::max(label.y, next);
    next = y + kLineHeight;
    bool isLeft = label.x + 9 + kCharacterWidth * static_cast<double>(label.text.size()) > kRight;
    text += textElement(label.x + (isLeft ? -9 : 9), y + 4, isLeft ? "end" : "start", label.text, " class=\"label\"");
  }
}

std::string Chart::svg() const {
  std::string text = open(description, kHeight) + body;
  drawLabels(text);
  return text + "</svg>\n";
}

std::string barsSvg(const std::string &description, const std::vector<Bar> &bars) {
  constexpr double kStep = 40.0, kThickness = 14.0, kBarsLeft = 4.0, kFigureWidth = 170.0;
  double longest = 0.0;
  for (const Bar &bar : bars)
    longest = std::max(longest, bar.value);
  std::string text = open(description, kStep * static_cast<double>(bars.size()) + 6);
  double top = 2.0;
  for (const Bar &bar : bars) {
    double length = longest > 0.0 ? (kWidth - kBarsLeft - kFigureWidth) * bar.value / longest : 0.0;
    text += textElement(kBarsLeft, top + 12, "start", bar.name);
    text += "<rect class=\"box " + bar.colour + "\"" + attribute("x", kBarsLeft) + attribute("y", top + 18) +
            attribute("width", std::max(1.0, length)) + attribute("height", kThickness) + "/>\n";
    text += textElement(kBarsLeft + length + 7, top + 29, "start", bar.figure, " class=\"label\"");
    top += kStep;
  }
  return text + "</svg>\n";
}

} // namespace fastnorm
