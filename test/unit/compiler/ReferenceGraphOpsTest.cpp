//===- ReferenceGraphOpsTest.cpp - Graph ops against hand-made numbers ----===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceHarness.h"

#include <chrono>
#include <cmath>
#include <limits>

using namespace fastnorm;
using namespace fastnorm::test;

static const double kNaN = std::nan("");

static constexpr char kCombine[] = R"(
  func.func @combine(%expert_rows: tensor<?x2xf32>, %row_index: tensor<?x2xi64>, %gate: tensor<?x2xf32>)
      -> tensor<?x2xf32> {
    %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
       : tensor<?x2xf32>, tensor<?x2xi64>, tensor<?x2xf32> -> tensor<?x2xf32>
    return %h : tensor<?x2xf32>
  })";

TEST(ReferenceGraphOps, CombineWeighsTheChosenRows) {
  std::vector<HostTensor> results =
      evaluate(kCombine, {tensor(DType::F32, {3, 2}, {1, 2, 10, 20, 100, 200}),
                          tensor(DType::I64, {2, 2}, {2, 0, 1, 1}), tensor(DType::F32, {2, 2}, {0.5, 2, 1, -1})});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].shape(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(valuesOf(results[0]), (std::vector<double>{52, 104, 0, 0}));
}

TEST(ReferenceGraphOps, CombineSkipsDroppedSlotsWhateverTheirGateAndTheUnreferencedRowsHold) {
  std::vector<HostTensor> results = evaluate(
      kCombine, {tensor(DType::F32, {2, 2}, {1, 2, kNaN, kNaN}), tensor(DType::I64, {3, 2}, {-1, 0, 0, 2, -1, 2}),
                 tensor(DType::F32, {3, 2}, {kNaN, 3, 1, kNaN, kNaN, std::numeric_limits<double>::infinity()})});
  EXPECT_EQ(valuesOf(results.at(0)), (std::vector<double>{3, 6, 1, 2, 0, 0}));
}

TEST(ReferenceGraphOps, CombineWithNoExpertRowsIsZero) {
  std::vector<HostTensor> results =
      evaluate(kCombine, {tensor(DType::F32, {0, 2}, {}), tensor(DType::I64, {1, 2}, {0, 5e18}),
                          tensor(DType::F32, {1, 2}, {1, 1})});
  EXPECT_EQ(valuesOf(results.at(0)), (std::vector<double>{0, 0}));
}

TEST(ReferenceGraphOps, NaNInAChosenRowTravels) {
  std::vector<HostTensor> results =
      evaluate(kCombine, {tensor(DType::F32, {1, 2}, {kNaN, 2}), tensor(DType::I64, {1, 2}, {0, -1}),
                          tensor(DType::F32, {1, 2}, {1, 1})});
  EXPECT_TRUE(std::isnan(results.at(0).at(0)));
  EXPECT_EQ(results.at(0).at(1), 2);
}

TEST(ReferenceGraphOps, ZeroRowsGiveAnEmptyResult) {
  std::vector<HostTensor> results = evaluate(
      kCombine, {tensor(DType::F32, {1, 2}, {1, 2}), tensor(DType::I64, {0, 2}, {}), tensor(DType::F32, {0, 2}, {})});
  EXPECT_EQ(results.at(0).shape(), (std::vector<int64_t>{0, 2}));
}

TEST(ReferenceGraphOps, ResidualAddRoundsOnceToNearestEven) {
  // 256 + 1 lies half way between the bf16 neighbours 256 and 258, 258 + 1 between 258 and 260.
  std::vector<HostTensor> results =
      evaluate(R"(
    func.func @add(%residual: tensor<?x2xbf16>, %input: tensor<?x2xbf16>) -> tensor<?x2xbf16> {
      %s = fastnorm.residual_add %residual, %input : tensor<?x2xbf16>
      return %s : tensor<?x2xbf16>
    })",
               {tensor(DType::BF16, {1, 2}, {256, 258}), tensor(DType::BF16, {1, 2}, {1, 1})});
  EXPECT_EQ(valuesOf(results.at(0)), (std::vector<double>{256, 260}));
}

TEST(ReferenceGraphOps, RmsNormWithEpsWeightOffsetAndStatistic) {
  // The mean of squares of (3, 3) is 9; with eps 7, rstd is 1/4.
  std::vector<HostTensor> results =
      evaluate(R"(
    func.func @norm(%x: tensor<?x2xf32>, %weight: tensor<2xbf16>) -> (tensor<?x2xf32>, tensor<?xf32>) {
      %y, %rstd = fastnorm.rms_norm %x weight(%weight) {eps = 7.0 : f32, weight_offset = 1.0 : f32}
         : tensor<?x2xf32>, tensor<2xbf16> -> tensor<?x2xf32>, tensor<?xf32>
      return %y, %rstd : tensor<?x2xf32>, tensor<?xf32>
    })",
               {tensor(DType::F32, {1, 2}, {3, -3}), tensor(DType::BF16, {2}, {15.8125, 1})});
  ASSERT_EQ(results.size(), 2u);
  // 1 + 15.8125 has no bf16, so it must not be rounded to one.
  EXPECT_EQ(valuesOf(results[0]), (std::vector<double>{0.75 * 16.8125, -1.5}));
  EXPECT_EQ(valuesOf(results[1]), (std::vector<double>{0.25}));
}

TEST(ReferenceGraphOps, RmsNormOfARowOfZerosWithoutWeight) {
  std::vector<HostTensor> results = evaluate(R"(
    func.func @norm(%x: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
      %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<2x3xbf16> -> tensor<2x3xbf16>
      return %y : tensor<2x3xbf16>
    })",
                                             {tensor(DType::BF16, {2, 3}, {0, 0, 0, kNaN, 1, 1})});
  EXPECT_EQ(results.at(0).at(0), 0);
  EXPECT_TRUE(std::isnan(results.at(0).at(4)));
}

static constexpr char kCombineNorm[] = R"(
  func.func @combine_norm(%expert_rows: tensor<?x3072xbf16>, %row_index: tensor<?x8xi64>, %gate: tensor<?x8xf32>,
                          %residual: tensor<?x3072xbf16>, %weight: tensor<3072xf32>) -> tensor<?x3072xbf16> {
    %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
       : tensor<?x3072xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x3072xbf16>
    %s = fastnorm.residual_add %residual, %h : tensor<?x3072xbf16>
    %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
       : tensor<?x3072xbf16>, tensor<3072xf32> -> tensor<?x3072xbf16>
    return %y : tensor<?x3072xbf16>
  })";

TEST(ReferenceGraphOps, AMixtureOfExpertsLayerTakesSeconds) {
  constexpr int64_t kRows = 3467;
  HostTensor expertRows(DType::BF16, {kRows * 8, 3072});
  HostTensor rowIndex(DType::I64, {kRows, 8});
  HostTensor gate(DType::F32, {kRows, 8});
  for (int64_t row = 0; row < kRows * 8; ++row) {
    expertRows.set(row * 3072, row % 5);
    rowIndex.setInteger(row, (row * 13) % (kRows * 8));
    gate.set(row, 0.125);
  }
  auto start = std::chrono::steady_clock::now();
  std::vector<HostTensor> results =
      evaluate(kCombineNorm, {std::move(expertRows), std::move(rowIndex), std::move(gate),
                              HostTensor(DType::BF16, {kRows, 3072}), HostTensor(DType::F32, {3072})});
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(results.at(0).shape(), (std::vector<int64_t>{kRows, 3072}));
  // A generous bound: what it guards against is minutes.
  EXPECT_LT(seconds.count(), 30.0);
  RecordProperty("seconds", std::to_string(seconds.count()));
}

//===----------------------------------------------------------------------===//
// Arguments that do not fit
//===----------------------------------------------------------------------===//

TEST(ReferenceGraphOps, AWrongNumberOfArgumentsIsAnError) {
  Result<std::vector<HostTensor>> results = interpretText(kCombine, {tensor(DType::F32, {1, 2}, {1, 2})});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error(), "expected 3 arguments for function 'combine', but got 1");
}

TEST(ReferenceGraphOps, AnArgumentOfAnotherShapeOrDtypeIsAnError) {
  HostTensor index = tensor(DType::I64, {1, 2}, {0, 0});
  HostTensor gate = tensor(DType::F32, {1, 2}, {1, 1});
  Result<std::vector<HostTensor>> shape = interpretText(kCombine, {tensor(DType::F32, {1, 3}, {1, 2, 3}), index, gate});
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error(), "expected argument 0 to be a tensor<?x2xf32>, but got 1x3xf32");
  Result<std::vector<HostTensor>> dtype = interpretText(kCombine, {tensor(DType::BF16, {1, 2}, {1, 2}), index, gate});
  ASSERT_FALSE(dtype);
  EXPECT_EQ(dtype.error(), "expected argument 0 to be a tensor<?x2xf32>, but got 1x2xbf16");
}

TEST(ReferenceGraphOps, RowsThatDisagreeAreAnError) {
  Result<std::vector<HostTensor>> results =
      interpretText(kCombine, {tensor(DType::F32, {1, 2}, {1, 2}), tensor(DType::I64, {1, 2}, {0, 0}),
                               tensor(DType::F32, {2, 2}, {1, 1, 1, 1})});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error(), "expected operands of 'fastnorm.combine' with equal numbers of rows, but got 1 and 2");
}

TEST(ReferenceGraphOps, AnOpOfAnotherDialectIsAnError) {
  Result<std::vector<HostTensor>> results = interpretText(R"(
    func.func @add(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
      %s = arith.addf %x, %x : tensor<?x2xf32>
      return %s : tensor<?x2xf32>
    })",
                                                          {tensor(DType::F32, {1, 2}, {1, 2})});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error(), "expected fastnorm ops in a function that the reference evaluates, but got 'arith.addf'");
}
