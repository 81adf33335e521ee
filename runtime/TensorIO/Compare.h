//===- Compare.h - A result against its reference ---------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error of an element is |got - reference| divided by the largest
// |reference| of its row (the last dimension): a row is normalized as a whole,
// so that is the scale of its rounding. NaN and Inf must match in kind.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_TENSORIO_COMPARE_H
#define FASTNORM_RUNTIME_TENSORIO_COMPARE_H

#include "fastnorm/Support/HostTensor.h"
#include "fastnorm/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fastnorm {

/// How far a result of this dtype may be from a reference that sums in f64 and rounds where the graph rounds.
/// The one place that holds tolerances:
/// - bf16, 2^-7: one step of rounding. Results keep 8 bits, so a step is at most 2^-7 of the value; an f32 sum of
///   another order moves a result by at most one step, at a tie.
/// - f32, 2^-18: 64 steps of f32 (2^-24). A tree of sums over 2^16 elements, rsqrt.approx (2 steps), and a few
/// products.
/// - integers, 0: they are copied or counted.
double toleranceFor(DType dtype);

struct Comparison {
  bool matches = false;
  int64_t elementCount = 0;
  int64_t overCount = 0; ///< elements over the tolerance, or of another kind
  double tolerance = 0.0;
  double maxError = 0.0;      ///< infinite where NaN or Inf stand on one side only
  int64_t maxErrorIndex = -1; ///< linear; -1 for no elements
  std::string sentence;       ///< "result 'y' matches: max error 0.0039 at [3, 17], tolerance 0.0078"
};

/// An error where shape or dtype differ. `label` names the tensor: "result 'y'".
Result<Comparison> compare(const HostTensor &got, const HostTensor &reference, std::string_view label);
Result<Comparison> compare(const HostTensor &got, const HostTensor &reference, std::string_view label,
                           double tolerance);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_COMPARE_H
