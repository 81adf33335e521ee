//===- FillTest.cpp - Seeded data -----------------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/Fill.h"
#include "ExamplePlan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

bool sameBytes(const HostTensor &left, const HostTensor &right) {
  return left.byteCount() == right.byteCount() && std::memcmp(left.data(), right.data(), left.byteCount()) == 0;
}

struct Moments {
  double mean = 0.0;
  double deviation = 0.0;
};

Moments momentsOf(const HostTensor &tensor) {
  double sum = 0.0;
  double squares = 0.0;
  for (int64_t index = 0; index < tensor.elementCount(); ++index) {
    sum += tensor.at(index);
    squares += tensor.at(index) * tensor.at(index);
  }
  double count = static_cast<double>(tensor.elementCount());
  return Moments{sum / count, std::sqrt(squares / count - sum / count * sum / count)};
}

TEST(Fill, SameSeedAndNameGiveTheSameBytes) {
  HostTensor first = fillTensor(FillRole::Activation, DType::BF16, {64, 64}, 7, "x");
  EXPECT_TRUE(sameBytes(first, fillTensor(FillRole::Activation, DType::BF16, {64, 64}, 7, "x")));
  EXPECT_FALSE(sameBytes(first, fillTensor(FillRole::Activation, DType::BF16, {64, 64}, 8, "x")));
  EXPECT_FALSE(sameBytes(first, fillTensor(FillRole::Activation, DType::BF16, {64, 64}, 7, "residual")));
}

TEST(Fill, ElementsDoNotDependOnHowManyThereAre) {
  HostTensor small = fillTensor(FillRole::Activation, DType::F32, {2, 5}, 7, "x");
  HostTensor large = fillTensor(FillRole::Activation, DType::F32, {20, 5}, 7, "x");
  for (int64_t index = 0; index < 10; ++index)
    EXPECT_EQ(small.at(index), large.at(index));
}

TEST(Fill, TheFirstValueIsPinned) {
  // A change of the generator changes every recorded figure that depends on data: this test says so.
  HostTensor tensor = fillTensor(FillRole::Activation, DType::F32, {1}, 0, "x");
  EXPECT_EQ(tensor.at(0), static_cast<double>(0.0847132131f));
}

TEST(Fill, ActivationsAreNearlyNormal) {
  // 2^16 values: the mean's deviation is 2^-8, the deviation's about 2^-8.5.
  HostTensor tensor = fillTensor(FillRole::Activation, DType::F32, {256, 256}, 1, "x");
  Moments moments = momentsOf(tensor);
  EXPECT_NEAR(moments.mean, 0.0, 0.02);
  EXPECT_NEAR(moments.deviation, 1.0, 0.02);
  int64_t outside = 0;
  for (int64_t index = 0; index < tensor.elementCount(); ++index)
    outside += std::fabs(tensor.at(index)) > 2.0;
  // 4.55 % of a normal distribution lie outside two deviations.
  EXPECT_NEAR(static_cast<double>(outside) / 65536.0, 0.0455, 0.006);
}

TEST(Fill, EveryFloatFormatHoldsTheSameValuesRounded) {
  HostTensor exact = fillTensor(FillRole::Activation, DType::F32, {64}, 1, "x");
  for (DType dtype : {DType::BF16, DType::F16, DType::F8E4M3FN}) {
    HostTensor rounded(dtype, {64});
    for (int64_t index = 0; index < 64; ++index)
      rounded.set(index, exact.at(index));
    EXPECT_TRUE(sameBytes(fillTensor(FillRole::Activation, dtype, {64}, 1, "x"), rounded)) << name(dtype);
  }
}

TEST(Fill, QuantizedActivationsUseTheRangeOfI8) {
  Moments moments = momentsOf(fillTensor(FillRole::Activation, DType::I8, {65536}, 1, "x"));
  EXPECT_NEAR(moments.mean, 0.0, 0.6);
  EXPECT_NEAR(moments.deviation, 32.0, 0.6);
}

TEST(Fill, WeightsLieAroundOneOrZero) {
  Moments weight = momentsOf(fillTensor(FillRole::Weight, DType::F32, {65536}, 1, "weight"));
  EXPECT_NEAR(weight.mean, 1.0, 0.002);
  EXPECT_NEAR(weight.deviation, 0.1, 0.002);
  EXPECT_NEAR(momentsOf(fillTensor(FillRole::OffsetWeight, DType::F32, {65536}, 1, "weight")).mean, 0.0, 0.002);
}

TEST(Fill, GatesArePositiveAndSumToOneOverSlots) {
  HostTensor gates = fillTensor(FillRole::Gate, DType::F32, {50, 8}, 1, "gate");
  for (int64_t row = 0; row < 50; ++row) {
    double sum = 0.0;
    for (int64_t slot = 0; slot < 8; ++slot) {
      EXPECT_GT(gates.at(row * 8 + slot), 0.0);
      sum += gates.at(row * 8 + slot);
    }
    EXPECT_NEAR(sum, 1.0, 8 * 0x1p-24);
  }
}

TEST(Fill, RowIndexIsAPermutationWhereCountsAllow) {
  for (DType dtype : {DType::I32, DType::I64}) {
    HostTensor index = fillTensor(FillRole::RowIndex, dtype, {100, 8}, 1, "row_index", 800);
    std::set<int64_t> seen;
    int64_t unmoved = 0;
    for (int64_t element = 0; element < 800; ++element) {
      seen.insert(index.integerAt(element));
      unmoved += index.integerAt(element) == element;
    }
    EXPECT_EQ(seen.size(), 800u);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), 799);
    // A random permutation leaves one element in place on average.
    EXPECT_LT(unmoved, 10);
  }
}

TEST(Fill, RowIndexIsUniformAndValidOtherwise) {
  HostTensor index = fillTensor(FillRole::RowIndex, DType::I64, {100, 8}, 1, "row_index", 10);
  std::set<int64_t> seen;
  for (int64_t element = 0; element < 800; ++element)
    seen.insert(index.integerAt(element));
  EXPECT_EQ(seen, (std::set<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(Fill, RowIndexIntoNoRowsDropsEverySlot) {
  HostTensor index = fillTensor(FillRole::RowIndex, DType::I64, {2, 2}, 1, "row_index", 0);
  for (int64_t element = 0; element < 4; ++element)
    EXPECT_EQ(index.integerAt(element), -1);
}

TEST(Fill, RolesAreGuessedFromNameAndIndex) {
  Plan plan = examplePlan();
  EXPECT_EQ(guessFillRole(plan.arguments[0]), FillRole::Activation);
  EXPECT_EQ(guessFillRole(plan.arguments[1]), FillRole::RowIndex);
  TensorSpec spec;
  spec.name = "gate";
  EXPECT_EQ(guessFillRole(spec), FillRole::Gate);
  spec.name = "norm_weight";
  EXPECT_EQ(guessFillRole(spec), FillRole::Weight);
}

TEST(Fill, ArgumentsTakeShapeAndIndexedCountFromSymbols) {
  Plan plan = examplePlan();
  Result<HostTensor> index = fillArgument(plan.arguments[1], {3, 6}, 1);
  ASSERT_TRUE(index) << index.error();
  EXPECT_EQ(index->shape(), (std::vector<int64_t>{3, 2}));
  std::set<int64_t> seen;
  for (int64_t element = 0; element < 6; ++element)
    seen.insert(index->integerAt(element));
  EXPECT_EQ(seen, (std::set<int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Fill, ArgumentsThatCanNotBeFilled) {
  Plan plan = examplePlan();
  EXPECT_EQ(fillArgument(plan.arguments[0], {int64_t(1) << 62, 6}, 1).error(),
            "'x': expected a tensor whose bytes can be counted in 63 bits, but got 4611686018427387904x4xf32");
  EXPECT_EQ(fillArgument(plan.arguments[0], {3, 6}, 1, FillRole::RowIndex).error(),
            "expected 'x' to index rows with integers, because it is filled as a row index, but it holds f32 and "
            "indexes nothing");
}

} // namespace
