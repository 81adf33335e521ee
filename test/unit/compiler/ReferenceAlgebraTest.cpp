//===- ReferenceAlgebraTest.cpp - The kernel algebra against known values -===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceHarness.h"

#include <cmath>
#include <limits>

using namespace fastnorm;
using namespace fastnorm::test;

static const double kNaN = std::nan("");

static constexpr char kSoftmax[] = R"(
  func.func @softmax(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %y = fastnorm.kernel "softmax" (%a = %x) : (tensor<?x4xf32>) -> tensor<?x4xf32> {
      %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x4xf32> -> tensor<?xf32>
      %e = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
         : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<?x4xf32> {
      ^bb0(%v: f32, %m: f32):
        %log2e = arith.constant 1.44269504 : f32
        %d = arith.subf %v, %m : f32
        %s = arith.mulf %d, %log2e : f32
        %p = math.exp2 %s : f32
        fastnorm.yield %p : f32
      }
      %sum = fastnorm.reduce add hidden (%e [row, hidden]) : tensor<?x4xf32> -> tensor<?xf32>
      %q = fastnorm.map(%e [row, hidden], %sum [row]) -> [row, hidden]
         : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<?x4xf32> {
      ^bb0(%v: f32, %s: f32):
        %r = arith.divf %v, %s : f32
        fastnorm.yield %r : f32
      }
      fastnorm.yield %q : tensor<?x4xf32>
    }
    return %y : tensor<?x4xf32>
  })";

TEST(ReferenceAlgebra, SoftmaxGivesKnownValues) {
  std::vector<HostTensor> results = evaluate(
      kSoftmax, {tensor(DType::F32, {2, 4}, {1000, 1000, 1000, 1000, 0, std::log(2.0), std::log(3.0), std::log(4.0)})});
  for (int64_t column = 0; column < 4; ++column) {
    EXPECT_EQ(results.at(0).at(column), 0.25);
    EXPECT_NEAR(results.at(0).at(4 + column), (column + 1) / 10.0, 1e-7);
  }
}

TEST(ReferenceAlgebra, MaximumCarriesNaNAndStartsBelowEverything) {
  std::vector<HostTensor> results = evaluate(R"(
    func.func @extremes(%x: tensor<?x3xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
      %max = fastnorm.reduce max hidden (%x [row, hidden]) : tensor<?x3xf32> -> tensor<?xf32>
      %min = fastnorm.reduce min hidden (%x [row, hidden]) : tensor<?x3xf32> -> tensor<?xf32>
      return %max, %min : tensor<?xf32>, tensor<?xf32>
    })",
                                             {tensor(DType::F32, {2, 3}, {-5, -7, -6, 1, kNaN, 2})});
  EXPECT_EQ(results.at(0).at(0), -5);
  EXPECT_EQ(results.at(1).at(0), -7);
  EXPECT_TRUE(std::isnan(results.at(0).at(1)));
  EXPECT_TRUE(std::isnan(results.at(1).at(1)));
}

static constexpr char kGraph[] = R"(
  func.func @graph(%expert_rows: tensor<?x3xbf16>, %row_index: tensor<?x2xi32>, %gate: tensor<?x2xf32>,
                   %weight: tensor<3xf32>) -> (tensor<?x3xbf16>, tensor<?xf32>) {
    %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
       : tensor<?x3xbf16>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x3xbf16>
    %y, %rstd = fastnorm.rms_norm %h weight(%weight) {eps = 1.0e-5 : f32, weight_offset = 1.0 : f32}
       : tensor<?x3xbf16>, tensor<3xf32> -> tensor<?x3xbf16>, tensor<?xf32>
    return %y, %rstd : tensor<?x3xbf16>, tensor<?xf32>
  })";

// What kGraph decomposes into: as ops of a function, and as one kernel.
static constexpr char kAlgebra[] = R"(
      %rows, %present = fastnorm.gather %table[%index]
         : tensor<?x3xbf16>, tensor<?x2xi32> -> tensor<?x2x3xbf16>, tensor<?x2xi1>
      %factor = fastnorm.map(%g [row, slot], %present [row, slot]) -> [row, slot]
         : (tensor<?x2xf32>, tensor<?x2xi1>) -> tensor<?x2xf32> {
      ^bb0(%a: f32, %p: i1):
        %zero = arith.constant 0.0 : f32
        %s = arith.select %p, %a, %zero : f32
        fastnorm.yield %s : f32
      }
      %product = fastnorm.map(%rows [row, slot, hidden], %factor [row, slot]) -> [row, slot, hidden]
         : (tensor<?x2x3xbf16>, tensor<?x2xf32>) -> tensor<?x2x3xf32> {
      ^bb0(%a: bf16, %f: f32):
        %e = arith.extf %a : bf16 to f32
        %m = arith.mulf %e, %f fastmath<contract> : f32
        fastnorm.yield %m : f32
      }
      %sum = fastnorm.reduce add slot (%product [row, slot, hidden]) : tensor<?x2x3xf32> -> tensor<?x3xf32>
      %h = fastnorm.map(%sum [row, hidden]) -> [row, hidden] : (tensor<?x3xf32>) -> tensor<?x3xbf16> {
      ^bb0(%a: f32):
        %t = arith.truncf %a : f32 to bf16
        fastnorm.yield %t : bf16
      }
      %square = fastnorm.map(%h [row, hidden]) -> [row, hidden] : (tensor<?x3xbf16>) -> tensor<?x3xf32> {
      ^bb0(%a: bf16):
        %e = arith.extf %a : bf16 to f32
        %m = arith.mulf %e, %e : f32
        fastnorm.yield %m : f32
      }
      %squares = fastnorm.reduce add hidden (%square [row, hidden]) : tensor<?x3xf32> -> tensor<?xf32>
      %rstd = fastnorm.map(%squares [row]) -> [row] : (tensor<?xf32>) -> tensor<?xf32> {
      ^bb0(%a: f32):
        %third = arith.constant 0.333333343 : f32
        %eps = arith.constant 1.0e-5 : f32
        %mean = math.fma %a, %third, %eps : f32
        %r = math.rsqrt %mean : f32
        fastnorm.yield %r : f32
      }
      %y = fastnorm.map(%h [row, hidden], %rstd [row], %w [hidden]) -> [row, hidden]
         : (tensor<?x3xbf16>, tensor<?xf32>, tensor<3xf32>) -> tensor<?x3xbf16> {
      ^bb0(%a: bf16, %r: f32, %b: f32):
        %one = arith.constant 1.0 : f32
        %e = arith.extf %a : bf16 to f32
        %n = arith.mulf %e, %r : f32
        %o = arith.addf %b, %one : f32
        %m = arith.mulf %n, %o : f32
        %t = arith.truncf %m : f32 to bf16
        fastnorm.yield %t : bf16
      })";

static constexpr char kTypes[] = "(tensor<?x3xbf16>, tensor<?x2xi32>, tensor<?x2xf32>, tensor<3xf32>) -> "
                                 "(tensor<?x3xbf16>, tensor<?xf32>)";

static std::vector<HostTensor> graphArguments() {
  HostTensor expertRows(DType::BF16, {40, 3});
  HostTensor rowIndex(DType::I32, {20, 2});
  HostTensor gate(DType::F32, {20, 2});
  for (int64_t element = 0; element < 120; ++element)
    expertRows.set(element, std::sin(element + 1.0));
  for (int64_t slot = 0; slot < 40; ++slot) {
    // Every seventh slot is dropped, and its gate must not matter.
    rowIndex.setInteger(slot, slot % 7 == 6 ? -1 : (slot * 11) % 40);
    gate.set(slot, slot % 7 == 6 ? kNaN : std::cos(slot));
  }
  return {std::move(expertRows), std::move(rowIndex), std::move(gate), tensor(DType::F32, {3}, {0.5, -0.25, 0.1})};
}

static void expectSame(const std::vector<HostTensor> &left, const std::vector<HostTensor> &right) {
  ASSERT_EQ(left.size(), right.size());
  for (size_t result = 0; result < left.size(); ++result) {
    ASSERT_EQ(left[result].shape(), right[result].shape());
    // 1/3 in f32 in the algebra: statistics differ in the last place.
    for (int64_t index = 0; index < left[result].elementCount(); ++index)
      EXPECT_NEAR(left[result].at(index), right[result].at(index), 2e-7 * std::fabs(left[result].at(index)));
  }
}

TEST(ReferenceAlgebra, TheDecomposedFunctionAgreesWithTheGraph) {
  std::string text = std::string("func.func @ops(%table: tensor<?x3xbf16>, %index: tensor<?x2xi32>, "
                                 "%g: tensor<?x2xf32>, %w: tensor<3xf32>) -> (tensor<?x3xbf16>, tensor<?xf32>) {") +
                     kAlgebra + "\n return %y, %rstd : tensor<?x3xbf16>, tensor<?xf32> }";
  expectSame(evaluate(kGraph, graphArguments()), evaluate(text, graphArguments()));
}

TEST(ReferenceAlgebra, TheKernelAgreesWithTheGraph) {
  std::string text = std::string("func.func @kernel(%0: tensor<?x3xbf16>, %1: tensor<?x2xi32>, %2: tensor<?x2xf32>, "
                                 "%3: tensor<3xf32>) -> (tensor<?x3xbf16>, tensor<?xf32>) {\n"
                                 "%r:2 = fastnorm.kernel \"k\" (%table = %0, %index = %1, %g = %2, %w = %3) : ") +
                     kTypes + "{" + kAlgebra +
                     "\n fastnorm.yield %y, %rstd : tensor<?x3xbf16>, tensor<?xf32> }\n"
                     "return %r#0, %r#1 : tensor<?x3xbf16>, tensor<?xf32> }";
  expectSame(evaluate(kGraph, graphArguments()), evaluate(text, graphArguments()));
}

TEST(ReferenceAlgebra, ARowThatOnlyAResultTypeKnows) {
  std::vector<HostTensor> results = evaluate(R"(
    func.func @spread(%w: tensor<2xf32>) -> tensor<3x2xf32> {
      %y = fastnorm.map(%w [hidden]) -> [row, hidden] : (tensor<2xf32>) -> tensor<3x2xf32> {
      ^bb0(%a: f32):
        %n = arith.negf %a : f32
        fastnorm.yield %n : f32
      }
      return %y : tensor<3x2xf32>
    })",
                                             {tensor(DType::F32, {2}, {1, 2})});
  EXPECT_EQ(valuesOf(results.at(0)), (std::vector<double>{-1, -2, -1, -2, -1, -2}));
}

TEST(ReferenceAlgebra, AValueAlongHiddenAlone) {
  std::vector<HostTensor> results = evaluate(R"(
    func.func @columns(%w: tensor<2xbf16>) -> tensor<2xf32> {
      %y = fastnorm.map(%w [hidden]) -> [hidden] : (tensor<2xbf16>) -> tensor<2xf32> {
      ^bb0(%a: bf16):
        %e = arith.extf %a : bf16 to f32
        %n = math.absf %e : f32
        fastnorm.yield %n : f32
      }
      return %y : tensor<2xf32>
    })",
                                             {tensor(DType::BF16, {2}, {1, -2})});
  EXPECT_EQ(valuesOf(results.at(0)), (std::vector<double>{1, 2}));
}

TEST(ReferenceAlgebra, ScalarFunctionsFollowTheirDefinitions) {
  std::vector<HostTensor> results = evaluate(R"(
    func.func @functions(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
      %clamped = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x3xf32>) -> tensor<?x3xf32> {
      ^bb0(%a: f32):
        %low = arith.constant -1.0 : f32
        %high = arith.constant 1.0 : f32
        %0 = arith.maximumf %a, %low : f32
        %1 = arith.minimumf %0, %high : f32
        fastnorm.yield %1 : f32
      }
      %less = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x3xf32>) -> tensor<?x3xf32> {
      ^bb0(%a: f32):
        %zero = arith.constant 0.0 : f32
        %one = arith.constant 1.0 : f32
        %c = arith.cmpf olt, %a, %zero : f32
        %1 = arith.select %c, %one, %zero : f32
        fastnorm.yield %1 : f32
      }
      %unordered = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x3xf32>) -> tensor<?x3xf32> {
      ^bb0(%a: f32):
        %zero = arith.constant 0.0 : f32
        %one = arith.constant 1.0 : f32
        %c = arith.cmpf uge, %a, %zero : f32
        %1 = arith.select %c, %one, %zero : f32
        fastnorm.yield %1 : f32
      }
      return %clamped, %less, %unordered : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
    })",
                                             {tensor(DType::F32, {1, 3}, {-5, 0.5, kNaN})});
  EXPECT_EQ(results.at(0).at(0), -1);
  EXPECT_EQ(results.at(0).at(1), 0.5);
  EXPECT_TRUE(std::isnan(results.at(0).at(2)));
  EXPECT_EQ(valuesOf(results.at(1)), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(valuesOf(results.at(2)), (std::vector<double>{0, 1, 1}));
}

TEST(ReferenceAlgebra, AValueOfTypeBf16IsRoundedAndAnF32IsNot) {
  std::vector<HostTensor> results = evaluate(R"(
    func.func @rounding(%x: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
      %kept = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x1xf32>) -> tensor<?x1xf32> {
      ^bb0(%a: f32):
        %big = arith.constant 16777216.0 : f32
        %0 = arith.addf %a, %big : f32
        %1 = arith.subf %0, %big : f32
        fastnorm.yield %1 : f32
      }
      %rounded = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x1xf32>) -> tensor<?x1xf32> {
      ^bb0(%a: f32):
        %0 = arith.truncf %a : f32 to bf16
        %1 = arith.extf %0 : bf16 to f32
        fastnorm.yield %1 : f32
      }
      return %kept, %rounded : tensor<?x1xf32>, tensor<?x1xf32>
    })",
                                             {tensor(DType::F32, {1, 1}, {1.00390625})});
  EXPECT_EQ(results.at(0).at(0), 1.00390625);
  EXPECT_EQ(results.at(1).at(0), 1.0);
}

TEST(ReferenceAlgebra, RowsThatDisagreeAreAnError) {
  Result<std::vector<HostTensor>> results = interpretText(
      R"(
    func.func @add(%x: tensor<?x1xf32>, %z: tensor<?x1xf32>) -> tensor<?x1xf32> {
      %y = fastnorm.map(%x [row, hidden], %z [row, hidden]) -> [row, hidden]
         : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32> {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.addf %a, %b : f32
        fastnorm.yield %0 : f32
      }
      return %y : tensor<?x1xf32>
    })",
      {tensor(DType::F32, {1, 1}, {1}), tensor(DType::F32, {2, 1}, {1, 2})});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error(), "expected values of 'fastnorm.map' with one size of row, but got 1 and 2");
}

// Column sums, with a map behind them that reads an operand of its own.
static constexpr char kColumns[] = R"(
  func.func @columns(%x: tensor<?x3xf32>, %old: tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>) {
    %y:2 = fastnorm.kernel "columns" (%a = %x, %o = %old) : (tensor<?x3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>) {
      %d = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x3xf32>) -> tensor<?x3xf32> {
      ^bb0(%v: f32):
        %t = arith.addf %v, %v : f32
        fastnorm.yield %t : f32
      }
      %s = fastnorm.reduce add row (%d [row, hidden]) : tensor<?x3xf32> -> tensor<3xf32>
      %n = fastnorm.map(%s [hidden], %o [hidden]) -> [hidden] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> {
      ^bb0(%v: f32, %w: f32):
        %t = arith.addf %v, %w : f32
        fastnorm.yield %t : f32
      }
      fastnorm.yield %d, %n : tensor<?x3xf32>, tensor<3xf32>
    }
    return %y#0, %y#1 : tensor<?x3xf32>, tensor<3xf32>
  })";

TEST(ReferenceAlgebra, ReductionsOverRowsSeeEveryRow) {
  std::vector<HostTensor> results =
      evaluate(kColumns, {tensor(DType::F32, {2, 3}, {1, 2, 3, 10, 20, 30}), tensor(DType::F32, {3}, {100, 200, 300})});
  for (int64_t column = 0; column < 3; ++column) {
    EXPECT_EQ(results.at(0).at(3 + column), 20 * (column + 1));
    EXPECT_EQ(results.at(1).at(column), 2 * 11 * (column + 1) + 100 * (column + 1));
  }
}

TEST(ReferenceAlgebra, ReductionsOverNoRowsAreTheirIdentity) {
  std::vector<HostTensor> results =
      evaluate(kColumns, {tensor(DType::F32, {0, 3}, {}), tensor(DType::F32, {3}, {100, 200, 300})});
  for (int64_t column = 0; column < 3; ++column)
    EXPECT_EQ(results.at(1).at(column), 100 * (column + 1));
}

TEST(ReferenceAlgebra, ReductionsOverManyRowsAddBlocks) {
  constexpr int64_t kRows = 100003;
  std::vector<double> values;
  for (int64_t row = 0; row < kRows; ++row)
    values.insert(values.end(), {1.0, static_cast<double>(row % 2), row == kRows - 1 ? 5.0 : 0.0});
  std::vector<HostTensor> results =
      evaluate(kColumns, {tensor(DType::F32, {kRows, 3}, values), tensor(DType::F32, {3}, {0, 0, 0})});
  EXPECT_EQ(results.at(1).at(0), 2.0 * kRows);
  EXPECT_EQ(results.at(1).at(1), 2.0 * (kRows / 2));
  EXPECT_EQ(results.at(1).at(2), 10.0);
}

TEST(ReferenceAlgebra, ReductionsOverRowsKeepHeadsApart) {
  std::vector<HostTensor> results = evaluate(R"(
    func.func @heads(%x: tensor<?x2x2xf32>) -> tensor<2x2xf32> {
      %y = fastnorm.kernel "heads" (%a = %x) : (tensor<?x2x2xf32>) -> tensor<2x2xf32> {
        %s = fastnorm.reduce max row (%a [row, head, hidden]) : tensor<?x2x2xf32> -> tensor<2x2xf32>
        fastnorm.yield %s : tensor<2x2xf32>
      }
      return %y : tensor<2x2xf32>
    })",
                                             {tensor(DType::F32, {2, 2, 2}, {1, 2, -3, -4, 5, 6, -7, -1})});
  EXPECT_EQ(results.at(0).at(0), 5);
  EXPECT_EQ(results.at(0).at(1), 6);
  EXPECT_EQ(results.at(0).at(2), -3);
  EXPECT_EQ(results.at(0).at(3), -1);
}
