//===- CompareTest.cpp - Results against references -----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/Compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace fastnorm;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

HostTensor tensorOf(DType dtype, std::vector<int64_t> shape, const std::vector<double> &values) {
  HostTensor tensor(dtype, std::move(shape));
  for (size_t index = 0; index < values.size(); ++index)
    tensor.set(static_cast<int64_t>(index), values[index]);
  return tensor;
}

Comparison compared(const HostTensor &got, const HostTensor &reference) {
  Result<Comparison> comparison = compare(got, reference, "result 'y'");
  EXPECT_TRUE(comparison) << (comparison ? "" : comparison.error());
  return comparison ? *comparison : Comparison();
}

TEST(Compare, EqualTensorsMatch) {
  HostTensor tensor = tensorOf(DType::F32, {2, 2}, {1, 2, 3, 4});
  Comparison comparison = compared(tensor, tensor);
  EXPECT_TRUE(comparison.matches);
  EXPECT_EQ(comparison.maxError, 0.0);
  EXPECT_EQ(comparison.overCount, 0);
  EXPECT_EQ(comparison.sentence, "result 'y' matches: max error 0 at [0, 0], tolerance 3.81e-06");
}

TEST(Compare, ErrorIsRelativeToTheLargestOfTheRow) {
  // Row 0 has scale 4, row 1 scale 0.5: 2^-8 is an error of 2^-10 in one and of 2^-7 in the other.
  HostTensor reference = tensorOf(DType::F32, {2, 2}, {4, 1, 0.5, 0.25});
  HostTensor got = tensorOf(DType::F32, {2, 2}, {4, 1 + 0x1p-8, 0.5, 0.25 + 0x1p-8});
  Comparison comparison = compared(got, reference);
  EXPECT_EQ(comparison.maxError, 0x1p-7);
  EXPECT_EQ(comparison.maxErrorIndex, 3);
  EXPECT_EQ(comparison.overCount, 2);
}

TEST(Compare, OneStepOfBf16MatchesAndTwoDoNot) {
  // The largest of the row is 1, just above a power of two, where a step is the largest share of the value.
  HostTensor reference = tensorOf(DType::BF16, {2}, {1, 1});
  EXPECT_TRUE(compared(tensorOf(DType::BF16, {2}, {1, 1 + 0x1p-7}), reference).matches);
  Comparison comparison = compared(tensorOf(DType::BF16, {2}, {1, 1 + 0x1p-6}), reference);
  EXPECT_FALSE(comparison.matches);
  EXPECT_EQ(comparison.sentence, "result 'y' differs: 1 of 2 elements are over tolerance 0.00781, worst at [1], where "
                                 "1 was expected and 1.02 came (error 0.0156)");
}

TEST(Compare, OneStepOfF16MatchesAndTwoDoNot) {
  HostTensor reference = tensorOf(DType::F16, {2}, {1, 1});
  EXPECT_TRUE(compared(tensorOf(DType::F16, {2}, {1, 1 + 0x1p-10}), reference).matches);
  EXPECT_FALSE(compared(tensorOf(DType::F16, {2}, {1, 1 + 0x1p-9}), reference).matches);
}

TEST(Compare, F8IsHeldToOneStepOfEachElement) {
  // 448 is the largest of the row. Neighbours of 1 are 0.9375 and 1.125, of 0 the subnormals 2^-9 and -2^-9.
  HostTensor reference = tensorOf(DType::F8E4M3FN, {3}, {448, 1, 0});
  EXPECT_TRUE(compared(tensorOf(DType::F8E4M3FN, {3}, {416, 0.9375, -0x1p-9}), reference).matches);
  EXPECT_TRUE(compared(tensorOf(DType::F8E4M3FN, {3}, {448, 1.125, -0.0}), reference).matches);
  Comparison comparison = compared(tensorOf(DType::F8E4M3FN, {3}, {448, 1.25, 0}), reference);
  EXPECT_FALSE(comparison.matches);
  EXPECT_EQ(comparison.sentence, "result 'y' differs: 1 of 3 elements are over tolerance 1 step, worst at [1], where 1 "
                                 "was expected and 1.25 came (error 2 steps)");
  // From one side of zero to the other there are two steps.
  EXPECT_FALSE(compared(tensorOf(DType::F8E4M3FN, {1}, {0x1p-9}), tensorOf(DType::F8E4M3FN, {1}, {-0x1p-9})).matches);
  EXPECT_FALSE(compared(tensorOf(DType::F8E4M3FN, {1}, {kNan}), tensorOf(DType::F8E4M3FN, {1}, {448})).matches);
  EXPECT_TRUE(compared(tensorOf(DType::F8E4M3FN, {1}, {kNan}), tensorOf(DType::F8E4M3FN, {1}, {kNan})).matches);
}

TEST(Compare, AFewElementsMayHaveBeenRoundedTheOtherWay) {
  // A row of 256 of which some are off by a step of f16: two of them, one of 128, may be.
  std::vector<double> values(256, 1);
  HostTensor reference = tensorOf(DType::F32, {256}, values);
  auto compareWith = [&](size_t flips, double by, std::optional<DType> rounded) {
    std::vector<double> flipped = values;
    for (size_t index = 0; index < flips; ++index)
      flipped[index] += by;
    return *compare(tensorOf(DType::F32, {256}, flipped), reference, "result 'y'", {}, rounded);
  };
  Comparison two = compareWith(2, 0x1p-10, DType::F16);
  EXPECT_TRUE(two.matches);
  EXPECT_EQ(two.flipCount, 2);
  EXPECT_EQ(two.sentence,
            "result 'y' matches: max error 0.000977 at [0], tolerance 3.81e-06, but for 2 of 256 elements, "
            "rounded the other way on their way");
  EXPECT_EQ(compareWith(3, 0x1p-10, DType::F16).overCount, 3);
  EXPECT_FALSE(compareWith(1, 0x1p-9, DType::F16).matches);
  EXPECT_TRUE(compareWith(1, 0x1p-9, DType::BF16).matches);
  EXPECT_FALSE(compareWith(1, 0x1p-10, std::nullopt).matches);
}

TEST(Compare, QuantizedI8IsHeldToOneStep) {
  HostTensor reference = tensorOf(DType::I8, {3}, {127, 0, -5});
  EXPECT_TRUE(compared(tensorOf(DType::I8, {3}, {126, -1, -4}), reference).matches);
  EXPECT_FALSE(compared(tensorOf(DType::I8, {3}, {127, 0, -3}), reference).matches);
}

TEST(Compare, F32ToleranceIs64Steps) {
  HostTensor reference = tensorOf(DType::F32, {1}, {1});
  EXPECT_TRUE(compared(tensorOf(DType::F32, {1}, {1 + 0x1p-18}), reference).matches);
  EXPECT_FALSE(compared(tensorOf(DType::F32, {1}, {1 + 0x1p-18 + 0x1p-22}), reference).matches);
}

TEST(Compare, NanAndInfinityMatchInKindAlone) {
  HostTensor reference = tensorOf(DType::F32, {4}, {kNan, kInfinity, -kInfinity, 1});
  EXPECT_TRUE(compared(tensorOf(DType::F32, {4}, {kNan, kInfinity, -kInfinity, 1}), reference).matches);
  for (int64_t element = 0; element < 3; ++element) {
    HostTensor got = tensorOf(DType::F32, {4}, {kNan, kInfinity, -kInfinity, 1});
    got.set(element, 1.0);
    Comparison comparison = compared(got, reference);
    EXPECT_FALSE(comparison.matches);
    EXPECT_EQ(comparison.maxErrorIndex, element);
    EXPECT_EQ(comparison.maxError, kInfinity);
  }
  EXPECT_FALSE(compared(tensorOf(DType::F32, {4}, {kNan, -kInfinity, -kInfinity, 1}), reference).matches);
  EXPECT_FALSE(compared(tensorOf(DType::F32, {4}, {kNan, kInfinity, -kInfinity, kNan}), reference).matches);
}

TEST(Compare, InfinityDoesNotHideErrorsOfItsRow) {
  HostTensor reference = tensorOf(DType::F32, {2}, {kInfinity, 1});
  EXPECT_FALSE(compared(tensorOf(DType::F32, {2}, {kInfinity, 1.1}), reference).matches);
}

TEST(Compare, RowOfZerosAllowsZerosAlone) {
  HostTensor reference = tensorOf(DType::F32, {2}, {0, -0.0});
  EXPECT_TRUE(compared(tensorOf(DType::F32, {2}, {-0.0, 0}), reference).matches);
  EXPECT_FALSE(compared(tensorOf(DType::F32, {2}, {0, 1e-30}), reference).matches);
}

TEST(Compare, IntegersMustBeEqual) {
  HostTensor reference = tensorOf(DType::I32, {2}, {1000000, 5});
  EXPECT_TRUE(compared(reference, reference).matches);
  EXPECT_FALSE(compared(tensorOf(DType::I32, {2}, {1000000, 6}), reference).matches);
}

TEST(Compare, NoElementsMatch) {
  HostTensor empty(DType::BF16, {0, 3072});
  Comparison comparison = compared(empty, empty);
  EXPECT_TRUE(comparison.matches);
  EXPECT_EQ(comparison.sentence, "result 'y' matches: it has no elements");
}

TEST(Compare, ShapeAndDTypeMustBeTheReferences) {
  HostTensor reference(DType::F32, {2, 3});
  EXPECT_EQ(compare(HostTensor(DType::F32, {3, 2}), reference, "result 'y'").error(),
            "expected result 'y' to be 2x3xf32 as the reference is, but got 3x2xf32");
  EXPECT_FALSE(compare(HostTensor(DType::BF16, {2, 3}), reference, "result 'y'"));
}

} // namespace
