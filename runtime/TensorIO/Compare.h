//===- Compare.h - A result against its reference ---------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a row is rounded relative to its scale, the error of an element is
// |got - reference| divided by the largest |reference| of its row (the last
// dimension): a row is normalized as a whole. Formats that results are
// quantized to have few values, and errors are counted in steps from one to the
// next. NaN and Inf must match in kind.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_TENSORIO_COMPARE_H
#define FASTNORM_RUNTIME_TENSORIO_COMPARE_H

#include "fastnorm/Support/HostTensor.h"
#include "fastnorm/Support/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm {

/// What an error is a multiple of.
enum class ErrorUnit : uint8_t {
  RowScale, ///< the largest finite |reference| of the row
  Step,     ///< from one value of the dtype to the next
};

struct Tolerance {
  double limit = 0.0;
  ErrorUnit unit = ErrorUnit::RowScale;
};

/// How far a result of this dtype may be from a reference that sums in f64 and rounds where the graph rounds.
/// The one place that holds tolerances:
/// - bf16, 2^-7, and f16, 2^-10: one step of rounding. Results keep 8 or 11 bits, so a step is at most 2^-7 or 2^-10 of
///   the value; an f32 sum of another order moves a result by at most one step, at a tie.
/// - f32, 2^-18: 64 steps of f32 (2^-24). A tree of sums over 2^16 elements, rsqrt.approx (2 steps), and a few
///   products.
/// - f8E4M3FN and i8, one step of the element itself: a step is up to 2^-3 of the value, so a share of the row's
///   largest would let the small elements of a row be anything. What is quantized differs by f32 rounding, which moves
///   it over at most one boundary.
/// - i32 and i64, 0: they are copied or counted.
Tolerance toleranceFor(DType dtype);

struct Comparison {
  bool matches = false;
  int64_t elementCount = 0;
  int64_t overCount = 0; ///< elements over the tolerance, or of another kind
  int64_t flipCount = 0; ///< elements over it that a value rounded the other way on its way explains
  Tolerance tolerance;
  double maxError = 0.0;      ///< in the tolerance's unit; infinite where NaN or Inf stand on one side only
  int64_t maxErrorIndex = -1; ///< linear; -1 for no elements
  std::string sentence;       ///< "result 'y' matches: max error 0.0039 at [3, 17], tolerance 0.0078"
};

/// An error where shape or dtype differ. `label` names the tensor: "result 'y'". Where the tensors hold some rows
/// (entries of the first dimension) of larger ones, `rows` says which, for the sentence.
///
/// Where a value was rounded on its way, to `roundedOnTheWay`, one that lies near the middle of two values of that
/// dtype may have been rounded the other way (a flip): f32 arithmetic puts it on the other side about once in 2^11
/// elements for f16, 2^14 for bf16. So one element of 128, and one in any case, may be off by the tolerance of that
/// dtype.
Result<Comparison> compare(const HostTensor &got, const HostTensor &reference, std::string_view label,
                           const std::vector<int64_t> &rows = {}, std::optional<DType> roundedOnTheWay = {});

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_COMPARE_H
