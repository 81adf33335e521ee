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

HostTensor filled(const FillRole &role, DType dtype, const std::vector<int64_t> &shape, uint64_t seed,
                  std::string_view name, int64_t indexedCount = 0) {
  Result<HostTensor> tensor = fillTensor(role, dtype, shape, seed, name, indexedCount);
  EXPECT_TRUE(tensor) << (tensor ? "" : tensor.error());
  return tensor ? std::move(*tensor) : HostTensor();
}

FillRole roleOf(std::string_view text) {
  std::optional<FillRole> role = parseFillRole(text);
  EXPECT_TRUE(role) << text;
  return role.value_or(FillRole());
}

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
  HostTensor first = filled(FillRole(), DType::BF16, {64, 64}, 7, "x");
  EXPECT_TRUE(sameBytes(first, filled(FillRole(), DType::BF16, {64, 64}, 7, "x")));
  EXPECT_FALSE(sameBytes(first, filled(FillRole(), DType::BF16, {64, 64}, 8, "x")));
  EXPECT_FALSE(sameBytes(first, filled(FillRole(), DType::BF16, {64, 64}, 7, "residual")));
}

TEST(Fill, ElementsDoNotDependOnHowManyThereAre) {
  HostTensor small = filled(FillRole(), DType::F32, {2, 5}, 7, "x");
  HostTensor large = filled(FillRole(), DType::F32, {20, 5}, 7, "x");
  for (int64_t index = 0; index < 10; ++index)
    EXPECT_EQ(small.at(index), large.at(index));
}

TEST(Fill, TheFirstValueIsPinned) {
  // A change of the generator changes every recorded figure that depends on data: this test says so.
  HostTensor tensor = filled(FillRole(), DType::F32, {1}, 0, "x");
  EXPECT_EQ(tensor.at(0), static_cast<double>(0.0847132131f));
}

TEST(Fill, ActivationsAreNearlyNormal) {
  // 2^16 values: the mean's deviation is 2^-8, the deviation's about 2^-8.5.
  HostTensor tensor = filled(FillRole(), DType::F32, {256, 256}, 1, "x");
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
  HostTensor exact = filled(FillRole(), DType::F32, {64}, 1, "x");
  for (DType dtype : {DType::BF16, DType::F16, DType::F8E4M3FN}) {
    HostTensor rounded(dtype, {64});
    for (int64_t index = 0; index < 64; ++index)
      rounded.set(index, exact.at(index));
    EXPECT_TRUE(sameBytes(filled(FillRole(), dtype, {64}, 1, "x"), rounded)) << name(dtype);
  }
}

TEST(Fill, QuantizedActivationsUseTheRangeOfI8) {
  Moments moments = momentsOf(filled(FillRole::normal(0, 32), DType::I8, {65536}, 1, "x"));
  EXPECT_NEAR(moments.mean, 0.0, 0.6);
  EXPECT_NEAR(moments.deviation, 32.0, 0.6);
}

TEST(Fill, WeightsLieAroundOneOrZero) {
  Moments weight = momentsOf(filled(FillRole::weight(0.0), DType::F32, {65536}, 1, "weight"));
  EXPECT_NEAR(weight.mean, 1.0, 0.002);
  EXPECT_NEAR(weight.deviation, 0.1, 0.002);
  EXPECT_NEAR(momentsOf(filled(FillRole::weight(1.0), DType::F32, {65536}, 1, "weight")).mean, 0.0, 0.002);
}

TEST(Fill, GatesArePositiveAndSumToOneOverSlots) {
  HostTensor gates = filled(FillRole::gate(), DType::F32, {50, 8}, 1, "gate");
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
    HostTensor index = filled(FillRole::indices(), dtype, {100, 8}, 1, "row_index", 800);
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
  HostTensor index = filled(FillRole::indices(), DType::I64, {100, 8}, 1, "row_index", 10);
  std::set<int64_t> seen;
  for (int64_t element = 0; element < 800; ++element)
    seen.insert(index.integerAt(element));
  EXPECT_EQ(seen, (std::set<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(Fill, RowIndexIntoNoRowsDropsEverySlot) {
  HostTensor index = filled(FillRole::indices(), DType::I64, {2, 2}, 1, "row_index", 0);
  for (int64_t element = 0; element < 4; ++element)
    EXPECT_EQ(index.integerAt(element), -1);
}

TEST(Fill, RolesAreGuessedFromNameAndIndex) {
  Plan plan = examplePlan();
  EXPECT_EQ(guessFillRole(plan.arguments[0]).kind, FillRole::Kind::Normal);
  EXPECT_EQ(guessFillRole(plan.arguments[1]).kind, FillRole::Kind::Indices);
  TensorSpec spec;
  spec.name = "gate";
  EXPECT_EQ(guessFillRole(spec).kind, FillRole::Kind::Gate);
  spec.name = "norm_weight";
  EXPECT_EQ(guessFillRole(spec).mean, 1.0);
  spec.name = "norm_bias";
  EXPECT_EQ(guessFillRole(spec).mean, 0.0);
  EXPECT_EQ(guessFillRole(spec).deviation, 0.1);
  spec.name = "x";
  spec.dtype = DType::I8;
  EXPECT_EQ(guessFillRole(spec).deviation, 32.0);
}

TEST(Fill, ArgumentsTakeShapeAndIndexedCountFromSymbols) {
  Plan plan = examplePlan();
  Result<HostTensor> index = fillArgument(plan.arguments[1], {3, 6}, 1, FillRole::indices());
  ASSERT_TRUE(index) << index.error();
  EXPECT_EQ(index->shape(), (std::vector<int64_t>{3, 2}));
  std::set<int64_t> seen;
  for (int64_t element = 0; element < 6; ++element)
    seen.insert(index->integerAt(element));
  EXPECT_EQ(seen, (std::set<int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Fill, ArgumentsThatCanNotBeFilled) {
  Plan plan = examplePlan();
  EXPECT_EQ(fillArgument(plan.arguments[0], {int64_t(1) << 62, 6}, 1, FillRole()).error(),
            "'x': expected a tensor whose bytes can be counted in 63 bits, but got 4611686018427387904x4xf32");
  EXPECT_EQ(fillArgument(plan.arguments[0], {3, 6}, 1, FillRole::indices()).error(),
            "expected 'x' to index rows with integers, because it is filled as a row index, but it holds f32 and "
            "indexes nothing");
}

TEST(Fill, IndicesAreNotFilledWithValues) {
  Plan plan = examplePlan();
  EXPECT_EQ(
      fillArgument(plan.arguments[1], {3, 6}, 1, FillRole()).error(),
      "expected 'row_index', which indexes rows, to be filled as perm, dup, drop:SHARE or constant:VALUE, but got "
      "another role");
  Result<HostTensor> index = fillArgument(plan.arguments[1], {3, 6}, 1, roleOf("constant:-1"));
  ASSERT_TRUE(index) << index.error();
  EXPECT_EQ(index->integerAt(5), -1);
}

TEST(Fill, PermutationNamesEachRowAtMostOnce) {
  HostTensor index = filled(roleOf("perm"), DType::I32, {50, 2}, 1, "row_index", 1000);
  std::set<int64_t> seen;
  for (int64_t element = 0; element < 100; ++element)
    seen.insert(index.integerAt(element));
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_GT(*seen.rbegin(), 900);
  EXPECT_EQ(
      fillTensor(roleOf("perm"), DType::I32, {50, 2}, 1, "row_index", 99).error(),
      "expected a permutation in 'row_index' to name at least as many rows as it has elements, 100, but there are "
      "99");
}

TEST(Fill, DuplicatesStandInPairs) {
  HostTensor index = filled(roleOf("dup"), DType::I64, {100, 8}, 1, "row_index", 800);
  std::set<int64_t> seen;
  for (int64_t element = 0; element < 800; element += 2) {
    EXPECT_EQ(index.integerAt(element), index.integerAt(element + 1));
    seen.insert(index.integerAt(element));
  }
  EXPECT_GT(seen.size(), 200u);
}

TEST(Fill, AShareOfTheIndicesNamesNoRow) {
  HostTensor index = filled(roleOf("drop:0.25"), DType::I64, {1000, 8}, 1, "row_index", 500);
  int64_t below = 0;
  int64_t past = 0;
  for (int64_t element = 0; element < 8000; ++element) {
    below += index.integerAt(element) == -1;
    past += index.integerAt(element) == 500;
    EXPECT_LE(index.integerAt(element), 500);
  }
  // 8000 draws at an eighth each: a deviation of 30.
  EXPECT_NEAR(static_cast<double>(below), 1000, 150);
  EXPECT_NEAR(static_cast<double>(past), 1000, 150);
  HostTensor all = filled(roleOf("drop:1"), DType::I64, {4}, 1, "row_index", 4);
  for (int64_t element = 0; element < 4; ++element)
    EXPECT_TRUE(all.integerAt(element) == -1 || all.integerAt(element) == 4);
}

TEST(Fill, RolesAsTheyAreWritten) {
  Moments moments = momentsOf(filled(roleOf("around:100+0.01"), DType::F32, {65536}, 1, "x"));
  EXPECT_NEAR(moments.mean, 100.0, 0.001);
  EXPECT_NEAR(moments.deviation, 0.01, 0.002);
  EXPECT_EQ(roleOf("around:-1e3").mean, -1000.0);
  EXPECT_EQ(roleOf("around:-1e3").deviation, 0.1);
  EXPECT_EQ(filled(roleOf("constant:-2.5"), DType::BF16, {3}, 1, "x").at(2), -2.5);
  EXPECT_TRUE(std::isnan(filled(roleOf("constant:nan"), DType::F16, {3}, 1, "x").at(0)));
  EXPECT_EQ(roleOf("gate").kind, FillRole::Kind::Gate);
  for (const char *text : {"", "around:", "around:x", "around:1+", "around:1+-1", "around:1+2x", "around:nan",
                           "drop:", "drop:1.5", "drop:-1", "drop:nan", "constant:", "constant:1x", "perm:2", "scale:2"})
    EXPECT_FALSE(parseFillRole(text)) << text;
}

TEST(Fill, RowsAreTheRowsOfTheWhole) {
  for (const char *text : {"around:0+1", "gate", "constant:3"}) {
    HostTensor whole = filled(roleOf(text), DType::BF16, {50, 2, 4}, 1, "x");
    Result<HostTensor> rows = fillRows(roleOf(text), DType::BF16, {50, 2, 4}, {49, 0, 7}, 1, "x");
    ASSERT_TRUE(rows) << rows.error();
    EXPECT_EQ(rows->shape(), (std::vector<int64_t>{3, 2, 4}));
    for (int64_t element = 0; element < 8; ++element) {
      EXPECT_EQ(rows->at(element), whole.at(49 * 8 + element));
      EXPECT_EQ(rows->at(8 + element), whole.at(element));
      EXPECT_EQ(rows->at(16 + element), whole.at(7 * 8 + element));
    }
  }
}

} // namespace
