//===- GradientHarness.h - Gradients by finite differences ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_COMPILER_GRADIENTHARNESS_H
#define FASTNORM_TEST_UNIT_COMPILER_GRADIENTHARNESS_H

#include "ReferenceHarness.h"

#include <cmath>
#include <random>

namespace fastnorm::test {

inline HostTensor randomTensor(DType dtype, std::vector<int64_t> shape, unsigned seed, double mean = 0.0) {
  HostTensor result(dtype, std::move(shape));
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(mean, 1.0);
  for (int64_t index = 0; index < result.elementCount(); ++index)
    result.set(index, normal(random));
  return result;
}

/// The gradient of Σ over results k of Σ (gradients[k] · result k) by an f32 argument of a graph of f32, from the
/// reference's values: central differences of two steps, extrapolated, so that the error is of the fourth order.
inline std::vector<double> finiteDifferences(llvm::StringRef graph, std::vector<HostTensor> arguments, size_t argument,
                                             const std::vector<HostTensor> &gradients) {
  auto loss = [&] {
    std::vector<HostTensor> results = evaluate(graph, arguments);
    double sum = 0.0;
    for (size_t result = 0; result < gradients.size(); ++result)
      for (int64_t index = 0; index < gradients[result].elementCount(); ++index)
        sum += results.at(result).at(index) * gradients[result].at(index);
    return sum;
  };
  std::vector<double> differences;
  HostTensor &varied = arguments[argument];
  for (int64_t index = 0; index < varied.elementCount(); ++index) {
    double at = varied.at(index);
    auto slope = [&](double step) {
      varied.set(index, at + step);
      double high = varied.at(index), above = loss();
      varied.set(index, at - step);
      double low = varied.at(index), below = loss();
      varied.set(index, at);
      return (above - below) / (high - low);
    };
    constexpr double kStep = 0.04;
    differences.push_back((4.0 * slope(kStep / 2) - slope(kStep)) / 3.0);
  }
  return differences;
}

/// Whether the elements are those values, within what finite differences of f32 results leave.
inline void expectGradient(const HostTensor &gradient, const std::vector<double> &expected, const std::string &what) {
  ASSERT_EQ(gradient.elementCount(), static_cast<int64_t>(expected.size())) << what;
  for (size_t index = 0; index < expected.size(); ++index)
    EXPECT_NEAR(gradient.at(index), expected[index], 2e-4 * (1.0 + std::abs(expected[index]))) << what << " " << index;
}

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_COMPILER_GRADIENTHARNESS_H
