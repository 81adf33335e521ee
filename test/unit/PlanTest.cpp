//===- PlanTest.cpp - Expressions, variants, verification -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExamplePlan.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

using namespace fastnorm;
using namespace fastnorm::test;
using Kind = Expression::Kind;

namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

int64_t valueOf(Kind kind, int64_t left, int64_t right) {
  Result<int64_t> value = binary(kind, constant(left), constant(right)).evaluate({});
  EXPECT_TRUE(value) << (value ? "" : value.error());
  return value ? *value : kMin;
}

std::string errorOf(Kind kind, int64_t left, int64_t right) {
  Result<int64_t> value = binary(kind, constant(left), constant(right)).evaluate({});
  EXPECT_FALSE(value);
  return value ? "" : value.error();
}

TEST(Expression, EveryOperation) {
  EXPECT_EQ(valueOf(Kind::Add, 3, -5), -2);
  EXPECT_EQ(valueOf(Kind::Multiply, 3, -5), -15);
  EXPECT_EQ(valueOf(Kind::Minimum, 3, -5), -5);
  EXPECT_EQ(valueOf(Kind::Maximum, 3, -5), 3);
}

TEST(Expression, CeilDivideRoundsUpForEverySign) {
  EXPECT_EQ(valueOf(Kind::CeilDivide, 7, 2), 4);
  EXPECT_EQ(valueOf(Kind::CeilDivide, 8, 2), 4);
  EXPECT_EQ(valueOf(Kind::CeilDivide, 0, 2), 0);
  EXPECT_EQ(valueOf(Kind::CeilDivide, -7, 2), -3);
  EXPECT_EQ(valueOf(Kind::CeilDivide, 7, -2), -3);
  EXPECT_EQ(valueOf(Kind::CeilDivide, -7, -2), 4);
  // left + right - 1 would overflow here.
  EXPECT_EQ(valueOf(Kind::CeilDivide, kMax, 2), (kMax - 1) / 2 + 1);
}

TEST(Expression, SymbolsAreLookedUp) {
  Expression rowsTimesFour = binary(Kind::Multiply, symbol(1), constant(4));
  EXPECT_EQ(*rowsTimesFour.evaluate({7, 9}), 36);
  EXPECT_EQ(rowsTimesFour.evaluate({7}).error(), "expected a symbol index below 1, but the expression uses 1");
  EXPECT_FALSE(symbol(-1).evaluate({7}));
}

TEST(Expression, OverflowAndDivisionByZeroAreErrors) {
  EXPECT_EQ(errorOf(Kind::Multiply, kMax, 2),
            "expected a value of 64 bits, but 9223372036854775807 multiply 2 overflows");
  EXPECT_EQ(errorOf(Kind::Add, kMax, 1), "expected a value of 64 bits, but 9223372036854775807 add 1 overflows");
  EXPECT_EQ(errorOf(Kind::CeilDivide, 5, 0), "expected a divisor other than 0, but got 5 ceil_divide 0");
  EXPECT_NE(errorOf(Kind::CeilDivide, kMin, -1), "");
}

TEST(Expression, ErrorOfAnOperandIsTheErrorOfTheWhole) {
  Expression sum = binary(Kind::Add, constant(1), binary(Kind::CeilDivide, constant(5), constant(0)));
  EXPECT_EQ(sum.evaluate({}).error(), "expected a divisor other than 0, but got 5 ceil_divide 0");
}

TEST(SelectVariant, FirstWhoseRangeHolds) {
  Plan plan = examplePlan();
  EXPECT_EQ(*selectVariant(plan, {0, 5}, 16), &plan.variants[0]);
  EXPECT_EQ(*selectVariant(plan, {100, 5}, 16), &plan.variants[0]);
  EXPECT_EQ(*selectVariant(plan, {101, 5}, 16), &plan.variants[1]);
}

TEST(SelectVariant, NoneIsAnErrorWithTheValues) {
  Plan plan = examplePlan();
  plan.variants.pop_back();
  EXPECT_EQ(selectVariant(plan, {101, 5}, 16).error(),
            "expected a variant of plan 'scale_rows' that serves rows = 101, picked_rows = 5 with operands "
            "aligned to 16 bytes, but none of its 1 does");
  EXPECT_FALSE(selectVariant(plan, {101}, 16));
}

TEST(SelectVariant, FirstWhoseAlignmentTheOperandsHave) {
  Plan plan = stridedPlan();
  EXPECT_EQ(*selectVariant(plan, {5, 8}, 256), &plan.variants[0]);
  EXPECT_EQ(*selectVariant(plan, {5, 8}, 16), &plan.variants[0]);
  EXPECT_EQ(*selectVariant(plan, {5, 8}, 8), &plan.variants[1]);
  EXPECT_EQ(*selectVariant(plan, {5, 8}, 1), &plan.variants[1]);
  plan.variants.pop_back();
  EXPECT_FALSE(selectVariant(plan, {5, 8}, 8));
}

TEST(VerifyPlan, AcceptsPlansThatUseEverything) {
  for (const Plan &plan : {examplePlan(), stridedPlan()}) {
    Status status = verify(plan);
    EXPECT_TRUE(status) << status.error();
  }
}

/// One thing broken in a plan that is right otherwise, and what the error must say.
struct Fault {
  const char *scenario;
  std::function<void(Plan &)> breakIt;
  const char *message;
  Plan (*plan)() = examplePlan;
};

class VerifyPlanFault : public testing::TestWithParam<Fault> {};

TEST_P(VerifyPlanFault, IsNamed) {
  Plan plan = GetParam().plan();
  GetParam().breakIt(plan);
  Status status = verify(plan);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), GetParam().message);
}

Expression deep(int64_t depth) {
  Expression expression = constant(1);
  for (int64_t level = 1; level < depth; ++level)
    expression = binary(Kind::Add, std::move(expression), constant(1));
  return expression;
}

const Fault kFaults[] = {
    {"SymbolTwice", [](Plan &plan) { plan.symbols[1] = "rows"; },
     "expected symbol names to differ, but 'rows' stands twice"},
    {"SymbolWithoutName", [](Plan &plan) { plan.symbols[1] = ""; },
     "expected symbol 1 to have a name, but it is empty"},
    {"ArgumentTwice", [](Plan &plan) { plan.arguments[1].name = "x"; },
     "expected the names of arguments to differ, but 'x' stands twice"},
    {"ResultWithoutName", [](Plan &plan) { plan.results[0].name = ""; },
     "expected result 0 to have a name, but it is empty"},
    {"ExtentOfUnknownSymbol", [](Plan &plan) { plan.arguments[0].shape[0].symbol = 2; },
     "expected dimension 0 of argument 'x' to name one of 2 symbols, but it names number 2"},
    {"NegativeExtent", [](Plan &plan) { plan.results[0].shape[1].fixed = -4; },
     "expected dimension 1 of result 'y' not to be negative, but it is -4"},
    {"AlignmentNoPowerOfTwo", [](Plan &plan) { plan.arguments[0].alignment = 12; },
     "expected the alignment of argument 'x' to be a power of two up to 256, but it is 12"},
    {"AlignmentZero", [](Plan &plan) { plan.arguments[0].alignment = 0; },
     "expected the alignment of argument 'x' to be a power of two up to 256, but it is 0"},
    {"IndexOfUnknownSymbol", [](Plan &plan) { plan.arguments[1].indexes = 7; },
     "expected argument 'row_index' to index one of 2 symbols, but it indexes number 7"},
    {"IndexOfFloats", [](Plan &plan) { plan.arguments[1].dtype = DType::F32; },
     "expected argument 'row_index' to hold i32 or i64, because it indexes rows, but it holds f32"},
    {"NoDimension", [](Plan &plan) { plan.arguments[0].shape = {}; },
     "expected argument 'x' to have 1 to 4 dimensions, but it has 0"},
    {"FiveDimensions", [](Plan &plan) { plan.results[0].shape.assign(5, fixed(1)); },
     "expected result 'y' to have 1 to 4 dimensions, but it has 5"},
    {"StrideMissing", [](Plan &plan) { plan.arguments[0].strides.pop_back(); },
     "expected argument 'x' to have a stride for each of its 2 dimensions, but it has 1", stridedPlan},
    {"StrideOfUnknownSymbol", [](Plan &plan) { plan.arguments[0].strides[0].symbol = 2; },
     "expected stride 0 of argument 'x' to name one of 2 symbols, but it names number 2", stridedPlan},
    {"NegativeStride", [](Plan &plan) { plan.arguments[0].strides[0] = fixed(-4); },
     "expected stride 0 of argument 'x' not to be negative, but it is -4", stridedPlan},
    {"LastStrideNotOne", [](Plan &plan) { plan.arguments[0].strides[1] = fixed(2); },
     "expected the last stride of argument 'x' to be 1, but it is 2", stridedPlan},
    {"LastStrideOfRunTime", [](Plan &plan) { plan.arguments[0].strides[1] = dynamic(1); },
     "expected the last stride of argument 'x' to be 1, but it is x_stride_0", stridedPlan},
    {"ResultOverItself", [](Plan &plan) { plan.results[0].strides = {fixed(0), fixed(1)}; },
     "expected no stride of result 'sum' to be 0, because it is written, but stride 0 is", stridedPlan},
    {"TiedArgumentOverItself", [](Plan &plan) { plan.arguments[1].strides = {fixed(0), fixed(1)}; },
     "expected no stride of argument 'old' to be 0, because it is written, but stride 0 is", stridedPlan},
    {"TieToUnknownResult", [](Plan &plan) { plan.arguments[1].result = 1; },
     "expected argument 'old' to share the buffer of one of 1 result, but it shares that of number 1", stridedPlan},
    {"TieOfAnotherDType", [](Plan &plan) { plan.arguments[1].dtype = DType::BF16; },
     "expected argument 'old' to have the dtype and shape of result 'sum', whose buffer it shares, but they differ",
     stridedPlan},
    {"TieOfAnotherShape", [](Plan &plan) { plan.arguments[1].shape[1] = fixed(5); },
     "expected argument 'old' to have the dtype and shape of result 'sum', whose buffer it shares, but they differ",
     stridedPlan},
    {"TwoTiesToOneResult", [](Plan &plan) { plan.arguments[0].result = 0; },
     "expected one argument to share the buffer of result 'sum', but argument 'old' is another", stridedPlan},
    {"VariantAlignmentNoPowerOfTwo", [](Plan &plan) { plan.variants[1].alignment = 3; },
     "expected the alignment of variant 1 to be a power of two up to 16, but it is 3", stridedPlan},
    {"VariantAlignmentTooLarge", [](Plan &plan) { plan.variants[0].alignment = 32; },
     "expected the alignment of variant 0 to be a power of two up to 16, but it is 32", stridedPlan},
    {"NoVariant", [](Plan &plan) { plan.variants.clear(); },
     "expected plan 'scale_rows' to have a variant, but it has none"},
    {"EmptyRange", [](Plan &plan) { plan.variants[1].ranges[0].high = 5; },
     "expected a range of variant 1 to hold a value, but it is 101 to 5"},
    {"RangeOfUnknownSymbol", [](Plan &plan) { plan.variants[1].ranges[0].symbol = -1; },
     "expected a range of variant 1 to limit one of 2 symbols, but it limits number -1"},
    {"NoPtx", [](Plan &plan) { plan.variants[1].ptx = ""; },
     "expected variant 1 to have PTX for its 2 launches, but it is empty"},
    {"KernelWithoutName", [](Plan &plan) { plan.variants[1].launches[1].kernel = ""; },
     "expected launch 1 of variant 1 to name a kernel, but the name is empty"},
    {"TooManyThreads", [](Plan &plan) { plan.variants[0].launches[0].threads = 1025; },
     "expected launch 0 of variant 0 to have 1 to 1024 threads per CTA, but it has 1025"},
    {"ClusterOfNothing", [](Plan &plan) { plan.variants[1].launches[1].cluster = 0; },
     "expected launch 1 of variant 1 to have 1 to 16 CTAs per cluster, but it has 0"},
    {"ClusterTooLarge", [](Plan &plan) { plan.variants[1].launches[1].cluster = 17; },
     "expected launch 1 of variant 1 to have 1 to 16 CTAs per cluster, but it has 17"},
    {"NegativeSharedBytes", [](Plan &plan) { plan.variants[0].launches[0].dynamicSharedBytes = -1; },
     "expected launch 0 of variant 0 to use 0 to 1048576 bytes of dynamic shared memory, but it uses -1"},
    {"GridOfUnknownSymbol", [](Plan &plan) { plan.variants[0].launches[0].grid = symbol(2); },
     "expected the grid of launch 0 of variant 0 to use one of 2 symbols, but it uses number 2"},
    {"ReadBytesOfUnknownSymbol", [](Plan &plan) { plan.variants[0].launches[0].readBytes = symbol(2); },
     "expected the read bytes of launch 0 of variant 0 to use one of 2 symbols, but it uses number 2"},
    {"ArgumentThatIsNotThere", [](Plan &plan) { plan.variants[0].launches[0].arguments[0].index = 2; },
     "expected kernel argument 0 of launch 0 of variant 0 to be one of 2 arguments, but it is number 2"},
    {"ResultThatIsNotThere", [](Plan &plan) { plan.variants[0].launches[0].arguments[1].index = 1; },
     "expected kernel argument 1 of launch 0 of variant 0 to be one of 1 result, but it is number 1"},
    {"WorkspaceThatIsNotThere", [](Plan &plan) { plan.variants[1].workspaces.clear(); },
     "expected kernel argument 1 of launch 0 of variant 1 to be one of 0 workspaces, but it is number 0"},
    {"WorkspaceOfUnknownSymbol", [](Plan &plan) { plan.variants[1].workspaces[0].bytes = symbol(9); },
     "expected the bytes of workspace 0 of variant 1 to use one of 2 symbols, but it uses number 9"},
    {"ExpressionTooDeep", [](Plan &plan) { plan.variants[0].launches[0].grid = deep(65); },
     "expected the grid of launch 0 of variant 0 to be an expression of at most 1024 operations nested at most 64 "
     "deep, but it is larger"},
};

INSTANTIATE_TEST_SUITE_P(, VerifyPlanFault, testing::ValuesIn(kFaults),
                         [](const testing::TestParamInfo<Fault> &info) { return std::string(info.param.scenario); });

TEST(VerifyPlan, ExpressionOfTheDeepestAllowed) {
  Plan plan = examplePlan();
  plan.variants[0].launches[0].grid = deep(64);
  EXPECT_TRUE(verify(plan));
}

} // namespace
