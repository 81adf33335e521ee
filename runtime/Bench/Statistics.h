//===- Statistics.h - What samples say --------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_STATISTICS_H
#define FASTNORM_RUNTIME_BENCH_STATISTICS_H

#include <cstddef>
#include <vector>

namespace fastnorm {

/// Times have a hard floor and a long tail, so everything here is by rank, not by mean.
struct Summary {
  size_t count = 0;
  double median = 0.0;
  double minimum = 0.0;
  double maximum = 0.0;
  /// Relative spread: the distance between the quartiles, divided by the median.
  double noise = 0.0;
  /// An interval that holds the true median with at least 95 % confidence (by order statistics); minimum and maximum
  /// where there are too few samples (under 6) to say so.
  double medianLow = 0.0;
  double medianHigh = 0.0;
};

/// All zero for no samples.
Summary summarize(std::vector<double> samples);

/// The value at a fraction (0 to 1) of sorted samples, interpolated.
double quantile(const std::vector<double> &sorted, double fraction);

/// Summary of numerator[i] / denominator[i]: what changed between rounds cancels. Lengths are equal.
Summary summarizeRatios(const std::vector<double> &numerator, const std::vector<double> &denominator);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_STATISTICS_H
