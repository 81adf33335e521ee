//===- ReportCharts.h - The charts of the page ------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_REPORTCHARTS_H
#define FASTNORM_RUNTIME_BENCH_REPORTCHARTS_H

#include "runtime/Bench/Measurement.h"

namespace fastnorm {

/// A chart with its heading, what its colours mean, and a sentence on how to read it; empty where there is nothing to
/// draw.
struct Figure {
  std::string heading;
  std::string svg;
  std::vector<std::pair<std::string, std::string>> legend; ///< colour, meaning
  std::string caption;
};

/// Rates over bytes moved, below what the memory and the copy reach.
Figure rooflineFigure(const Measurement &measurement);
/// What each kernel takes, and what a copy of its bytes would.
Figure timeFigure(const Measurement &measurement);
/// How often the graph took how long.
Figure samplesFigure(const Measurement &measurement);

/// Over what the measurements differ in: a symbol, or else their dates. Percent of the copy, and time.
std::vector<Figure> seriesFigures(const std::vector<Measurement> &measurements);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_REPORTCHARTS_H
