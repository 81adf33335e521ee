//===- StoppingCriterion.cpp - When enough was sampled --------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/StoppingCriterion.h"

#include "runtime/Bench/Statistics.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace fastnorm {

namespace {

double steadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

bool isPrecise(const std::vector<double> &samples, double precision) {
  Summary summary = summarize(samples);
  return summary.medianHigh - summary.medianLow <= precision * summary.median;
}

StoppingCriterion::StoppingCriterion(StoppingRule given) : rule(std::move(given)) {
  if (!rule.clock)
    rule.clock = steadySeconds;
  nextLook = std::max<int64_t>(1, rule.minSamples);
  start = rule.clock();
}

double StoppingCriterion::seconds() const { return rule.clock() - start; }

std::optional<StopReason> StoppingCriterion::check(const std::vector<const std::vector<double> *> &samples) {
  int64_t rounds = samples.empty() ? nextLook : static_cast<int64_t>(samples.front()->size());
  if (rounds >= nextLook) {
    nextLook = rounds + std::max<int64_t>(1, rounds / 10);
    if (std::all_of(samples.begin(), samples.end(),
                    [&](const std::vector<double> *taken) { return isPrecise(*taken, rule.precision); }))
      return StopReason::Precise;
  }
  if (seconds() >= rule.seconds)
    return StopReason::OutOfTime;
  return std::nullopt;
}

} // namespace fastnorm
