//===- Compare.cpp - A result against its reference -----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/Compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace fastnorm {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string significant(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

/// "[3, 17]". `rows` numbers the first dimension, if it is not empty.
std::string coordinates(int64_t index, const std::vector<int64_t> &shape, const std::vector<int64_t> &rows) {
  std::string text;
  for (size_t dimension = shape.size(); dimension-- > 0;) {
    int64_t coordinate = index % shape[dimension];
    if (dimension == 0 && !rows.empty())
      coordinate = rows[static_cast<size_t>(coordinate)];
    text = std::to_string(coordinate) + (text.empty() ? "" : ", ") + text;
    index /= shape[dimension];
  }
  return "[" + text + "]";
}

/// "0.0039", "2 steps".
std::string describeError(double error, ErrorUnit unit) {
  std::string text = significant(error);
  return unit == ErrorUnit::RowScale ? text : text + (error == 1.0 ? " step" : " steps");
}

/// Where a finite value stands among those of its dtype; neighbours differ by 1, and both zeros are 0.
double ordinal(DType dtype, double value) {
  if (dtype != DType::F8E4M3FN)
    return value;
  uint8_t bits = f8E4M3FNFromF32(static_cast<float>(value));
  int magnitude = bits & 0x7f;
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

/// The largest finite magnitude of a row.
double rowScale(const HostTensor &reference, int64_t first, int64_t length) {
  double scale = 0.0;
  for (int64_t index = first; index < first + length; ++index) {
    double magnitude = std::fabs(reference.at(index));
    if (std::isfinite(magnitude))
      scale = std::max(scale, magnitude);
  }
  return scale;
}

/// Infinite where the kinds differ; a row of zeros allows only zeros.
double elementError(double got, double reference, double scale) {
  if (std::isnan(got) || std::isnan(reference))
    return std::isnan(got) && std::isnan(reference) ? 0.0 : kInfinity;
  if (got == reference)
    return 0.0;
  if (std::isinf(got) || std::isinf(reference) || scale == 0.0)
    return kInfinity;
  return std::fabs(got - reference) / scale;
}

double stepError(double got, double reference, DType dtype) {
  if (std::isnan(got) || std::isnan(reference))
    return std::isnan(got) && std::isnan(reference) ? 0.0 : kInfinity;
  return std::fabs(ordinal(dtype, got) - ordinal(dtype, reference));
}

std::string sentence(const Comparison &comparison, const HostTensor &got, const HostTensor &reference,
                     std::string_view label, const std::vector<int64_t> &rows) {
  std::string text(label);
  if (comparison.elementCount == 0)
    return text + " matches: it has no elements";
  std::string place = coordinates(comparison.maxErrorIndex, got.shape(), rows);
  ErrorUnit unit = comparison.tolerance.unit;
  std::string limit = "tolerance " + describeError(comparison.tolerance.limit, unit);
  std::string error = describeError(comparison.maxError, unit);
  if (comparison.matches) {
    std::string flips = comparison.flipCount == 0 ? ""
                                                  : ", but for " + std::to_string(comparison.flipCount) + " of " +
                                                        std::to_string(comparison.elementCount) +
                                                        " elements, rounded the other way on their way";
    return text + " matches: max error " + error + " at " + place + ", " + limit + flips;
  }
  return text + " differs: " + std::to_string(comparison.overCount) + " of " + std::to_string(comparison.elementCount) +
         " elements are over " + limit + ", worst at " + place + ", where " +
         significant(reference.at(comparison.maxErrorIndex)) + " was expected and " +
         significant(got.at(comparison.maxErrorIndex)) + " came (error " + error + ")";
}

} // namespace

Tolerance toleranceFor(DType dtype) {
  switch (dtype) {
  case DType::BF16: return {0x1p-7, ErrorUnit::RowScale};
  case DType::F16: return {0x1p-10, ErrorUnit::RowScale};
  case DType::F32: return {0x1p-18, ErrorUnit::RowScale};
  case DType::F8E4M3FN:
  case DType::I8: return {1.0, ErrorUnit::Step};
  case DType::I32:
  case DType::I64: return {};
  }
  return {};
}

/// What a flip moves a value by at most, in row scales; 0 for dtypes that nothing is rounded to.
static double flipLimit(std::optional<DType> roundedOnTheWay) {
  if (!roundedOnTheWay)
    return 0.0;
  Tolerance tolerance = toleranceFor(*roundedOnTheWay);
  // A step of f8E4M3FN is at most 2^-3 of the value.
  return tolerance.unit == ErrorUnit::RowScale ? tolerance.limit : 0x1p-3;
}

Result<Comparison> compare(const HostTensor &got, const HostTensor &reference, std::string_view label,
                           const std::vector<int64_t> &rows, std::optional<DType> roundedOnTheWay) {
  if (got.shape() != reference.shape() || got.dtype() != reference.dtype())
    return Error{"expected " + std::string(label) + " to be " + describe(reference.dtype(), reference.shape()) +
                 " as the reference is, but got " + describe(got.dtype(), got.shape())};
  Comparison comparison;
  comparison.elementCount = got.elementCount();
  comparison.tolerance = toleranceFor(got.dtype());
  bool isInSteps = comparison.tolerance.unit == ErrorUnit::Step;
  double mostOfFlip = isInSteps ? 0.0 : flipLimit(roundedOnTheWay);
  int64_t rowLength = got.shape().empty() ? 1 : got.shape().back();
  for (int64_t first = 0; first < comparison.elementCount; first += rowLength) {
    double scale = isInSteps ? 0.0 : rowScale(reference, first, rowLength);
    for (int64_t index = first; index < first + rowLength; ++index) {
      double error = isInSteps ? stepError(got.at(index), reference.at(index), got.dtype())
                               : elementError(got.at(index), reference.at(index), scale);
      if (error > comparison.tolerance.limit)
        ++(error <= mostOfFlip ? comparison.flipCount : comparison.overCount);
      if (comparison.maxErrorIndex >= 0 && error <= comparison.maxError)
        continue;
      comparison.maxError = error;
      comparison.maxErrorIndex = index;
    }
  }
  if (comparison.flipCount > std::max<int64_t>(1, comparison.elementCount / 128))
    comparison.overCount += std::exchange(comparison.flipCount, 0);
  comparison.matches = comparison.overCount == 0;
  comparison.sentence = sentence(comparison, got, reference, label, rows);
  return comparison;
}

} // namespace fastnorm
