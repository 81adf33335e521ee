//===- Chart.h - A chart as inline SVG --------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colours are classes that the page gives values, for light, dark and print:
// `graph`, `kernel`, `copy`, `stream`, `limit`, `rival`, and `series0` to
// `series5`.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_CHART_H
#define FASTNORM_RUNTIME_BENCH_CHART_H

#include <string>
#include <utility>
#include <vector>

namespace fastnorm {

/// `<`, `&` and quotes as HTML and SVG write them.
std::string escaped(const std::string &text);

/// A figure for people: three significant digits, "1.23k" and "4.5M" above a thousand.
std::string shortFigure(double value);

struct Axis {
  std::string label;
  double low = 0.0;
  double high = 1.0;
  bool isLogarithmic = false; ///< low is above 0

  /// Covers all the values and a little more. A logarithmic one leaves out what is not above 0.
  static Axis covering(std::string label, const std::vector<double> &values, bool isLogarithmic);
};

/// Axes, and what is drawn between them.
class Chart {
public:
  /// `description` is for those who can't see it.
  Chart(std::string description, Axis x, Axis y);

  /// Along the points; each is marked where `hasMarks`.
  void line(const std::vector<std::pair<double, double>> &points, const std::string &colour, bool hasMarks);
  /// From left to right at a height.
  void level(double y, const std::string &colour);
  /// A mark; `tip` shows when pointed at, `label` beside it.
  void mark(double x, double y, const std::string &colour, const std::string &tip, const std::string &label = "");
  void box(double left, double right, double bottom, double top, const std::string &colour, const std::string &tip);

  std::string svg() const;

private:
  struct Label {
    double x, y;
    std::string text;
  };

  double across(double x) const;
  double up(double y) const;
  static std::vector<std::pair<double, std::string>> ticksOf(const Axis &axis);
  void drawAxes();
  void drawLabels(std::string &text) const;

  std::string description;
  Axis xAxis, yAxis;
  std::string body;
  std::vector<Label> labels;
};

/// Bars from the left, one a line, longest is full width.
struct Bar {
  std::string name;
  double value = 0.0;
  std::string figure; ///< at its end
  std::string colour;
};
std::string barsSvg(const std::string &description, const std::vector<Bar> &bars);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_CHART_H
