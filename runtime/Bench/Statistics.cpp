//===- Statistics.cpp - What samples say ----------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace fastnorm {

namespace {

/// The largest rank r (from 0) for which samples r and count-1-r enclose the median with at least 95 % confidence:
/// each sample falls below the median with probability 1/2, so ranks follow the binomial distribution.
/// -1 where even the extremes don't.
int confidenceRank(size_t count) {
  // P(fewer than r + 1 of count below the median) must stay under 2.5 % on either side.
  double logHalfToCount = -static_cast<double>(count) * std::log(2.0);
  double tail = 0.0;
  int rank = -1;
  for (size_t below = 0; below < count / 2; ++below) {
    double logChoose = std::lgamma(static_cast<double>(count) + 1.0) - std::lgamma(static_cast<double>(below) + 1.0) -
                       std::lgamma(static_cast<double>(count - below) + 1.0);
    tail += std::exp(logChoose + logHalfToCount);
    if (tail > 0.025)
      break;
    rank = static_cast<int>(below);
  }
  return rank;
}

} // namespace

double quantile(const std::vector<double> &sorted, double fraction) {
  assert(!sorted.empty() && fraction >= 0.0 && fraction <= 1.0 && "no such quantile");
  double position = fraction * static_cast<double>(sorted.size() - 1);
  size_t below = static_cast<size_t>(position);
  size_t above = std::min(below + 1, sorted.size() - 1);
  double share = position - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

Summary summarize(std::vector<double> samples) {
  Summary summary;
  summary.count = samples.size();
  if (samples.empty())
    return summary;
  std::sort(samples.begin(), samples.end());
  summary.median = quantile(samples, 0.5);
  summary.minimum = samples.front();
  summary.maximum = samples.back();
  if (summary.median != 0.0)
    summary.noise = (quantile(samples, 0.75) - quantile(samples, 0.25)) / summary.median;
  size_t rank = static_cast<size_t>(std::max(0, confidenceRank(samples.size())));
  summary.medianLow = samples[rank];
  summary.medianHigh = samples[samples.size() - 1 - rank];
  return summary;
}

Summary summarizeRatios(const std::vector<double> &numerator, const std::vector<double> &denominator) {
  assert(numerator.size() == denominator.size() && "ratios need one denominator a numerator");
  std::vector<double> ratios;
  for (size_t index = 0; index < numerator.size(); ++index)
    ratios.push_back(numerator[index] / denominator[index]);
  return summarize(std::move(ratios));
}

} // namespace fastnorm
