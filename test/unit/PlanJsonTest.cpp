//===- PlanJsonTest.cpp - Plans as text, right and broken -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Plan/PlanJson.h"
#include "ExamplePlan.h"

#include <gtest/gtest.h>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

/// The example's text with the first `from` replaced.
std::string replaced(const std::string &from, const std::string &to) {
  std::string text = writePlanJson(examplePlan());
  size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return text.replace(found, from.size(), to);
}

std::string errorOf(const std::string &text) {
  Result<Plan> plan = readPlanJson(text);
  EXPECT_FALSE(plan);
  return plan ? "" : plan.error();
}

TEST(PlanJson, TextComesBackAsTheSameText) {
  for (const Plan &written : {examplePlan(), stridedPlan()}) {
    std::string text = writePlanJson(written);
    Result<Plan> plan = readPlanJson(text);
    ASSERT_TRUE(plan) << plan.error();
    EXPECT_EQ(writePlanJson(*plan), text);
  }
}

TEST(PlanJson, StridesTiesAndClassesOfAlignment) {
  Result<Plan> plan = readPlanJson(writePlanJson(stridedPlan()));
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->arguments[0].strides, (std::vector<Extent>{dynamic(1), fixed(1)}));
  EXPECT_EQ(plan->arguments[0].result, std::nullopt);
  EXPECT_TRUE(plan->arguments[1].strides.empty());
  EXPECT_EQ(plan->arguments[1].result, 0);
  EXPECT_EQ(plan->variants[0].alignment, 16);
  EXPECT_EQ(plan->variants[1].alignment, 1);
}

TEST(PlanJson, ReadPlanHasWhatWasWritten) {
  Result<Plan> plan = readPlanJson(writePlanJson(examplePlan()));
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->producer, "fastnorm 0.1.0");
  EXPECT_EQ(plan->function, "scale_rows");
  EXPECT_EQ(plan->target, "h200");
  EXPECT_EQ(plan->chip, "sm_90");
  EXPECT_EQ(plan->symbols, (std::vector<std::string>{"rows", "picked_rows"}));
  ASSERT_EQ(plan->arguments.size(), 2u);
  EXPECT_EQ(plan->arguments[1].dtype, DType::I64);
  EXPECT_EQ(plan->arguments[1].shape, (std::vector<Extent>{dynamic(0), fixed(2)}));
  EXPECT_EQ(plan->arguments[1].alignment, 8);
  EXPECT_EQ(plan->arguments[1].indexes, 1);
  EXPECT_EQ(plan->arguments[0].indexes, std::nullopt);
  ASSERT_EQ(plan->variants.size(), 2u);
  EXPECT_EQ(plan->variants[0].ranges[0].high, 100);
  EXPECT_EQ(plan->variants[1].ranges[0].low, 101);
  EXPECT_EQ(plan->variants[1].ranges[0].high, INT64_MAX);
  EXPECT_EQ(plan->variants[1].ptx, ".visible .entry first()\n.visible .entry second()");
  EXPECT_EQ(*plan->variants[1].workspaces[0].bytes.evaluate({200, 0}), 3200);
  const Launch &launch = plan->variants[1].launches[0];
  EXPECT_EQ(launch.threads, 128);
  EXPECT_EQ(launch.dynamicSharedBytes, 64);
  EXPECT_EQ(launch.cluster, 1);
  EXPECT_FALSE(launch.dependent);
  EXPECT_EQ(plan->variants[1].launches[1].cluster, 4);
  EXPECT_TRUE(plan->variants[1].launches[1].dependent);
  EXPECT_EQ(launch.schedule, "#fastnorm.schedule<per_row>");
  EXPECT_EQ(*launch.grid.evaluate({201, 0}), 101);
  EXPECT_EQ(launch.arguments[1].kind, LaunchArgument::Kind::Workspace);
  EXPECT_EQ(launch.arguments[2].kind, LaunchArgument::Kind::I32);
  EXPECT_EQ(*launch.arguments[3].value.evaluate({201, 17}), 17);
}

TEST(PlanJson, VersionStandsFirst) {
  EXPECT_EQ(writePlanJson(examplePlan()).rfind("{\n  \"fastnorm_plan\": 2,", 0), 0u);
}

TEST(PlanJson, TextThatIsNoUtf8DoesNotThrow) {
  Plan plan = examplePlan();
  plan.producer = "\xff\xfe";
  EXPECT_TRUE(readPlanJson(writePlanJson(plan)));
}

TEST(PlanJson, MalformedTextNamesLineAndColumn) {
  EXPECT_EQ(errorOf("{\n  \"fastnorm_plan\": oops\n}"),
            "expected JSON, but the text is malformed at line 2, column 20");
  EXPECT_EQ(errorOf(""), "expected JSON, but the text is malformed at line 1, column 1");
  EXPECT_EQ(errorOf("[1e999]"), "expected JSON, but the text holds a value that no 64-bit number can store");
}

TEST(PlanJson, OtherVersionIsRefused) {
  EXPECT_EQ(errorOf(replaced("\"fastnorm_plan\": 2", "\"fastnorm_plan\": 1")),
            "expected a plan of format version 2, but got version 1; compile the graph again");
  EXPECT_EQ(errorOf("{}"),
            "expected the key \"fastnorm_plan\" at the top of the document, but got an object without it");
  EXPECT_EQ(errorOf("[]"), "expected an object at the top of the document, but got an array");
}

TEST(PlanJson, WrongKindOfValueNamesThePlace) {
  EXPECT_EQ(errorOf(replaced("\"name\": \"x\"", "\"name\": 17")),
            "expected a string at /arguments/0/name, but got the number 17");
  EXPECT_EQ(errorOf(replaced("\"alignment\": 8", "\"alignment\": \"8\"")),
            "expected an integer at /arguments/1/alignment, but got a string");
  EXPECT_EQ(errorOf(replaced("\"alignment\": 8", "\"alignment\": 8.5")),
            "expected an integer at /arguments/1/alignment, but got a number that is no integer");
  EXPECT_EQ(errorOf(replaced("\"alignment\": 8", "\"alignment\": 18446744073709551615")),
            "expected an integer of 64 bits at /arguments/1/alignment, but got the number 18446744073709551615");
  EXPECT_EQ(errorOf(replaced("\"dtype\": \"i64\"", "\"dtype\": \"f64\"")),
            "expected f32, bf16, f16, f8E4M3FN, i8, i32 or i64 at /arguments/1/dtype, but got \"f64\"");
  EXPECT_EQ(errorOf(replaced("\"indexes\": \"picked_rows\"", "\"indexes\": \"columns\"")),
            "expected the name of a symbol at /arguments/1/indexes, but got \"columns\"");
  EXPECT_EQ(errorOf(replaced("\"threads\": 128", "\"threads\": null")),
            "expected an integer at /variants/0/launches/0/threads, but got null");
  EXPECT_EQ(errorOf(replaced("\"cluster\": 4", "\"cluster\": \"4\"")),
            "expected an integer at /variants/1/launches/1/cluster, but got a string");
  EXPECT_EQ(errorOf(replaced("\"dependent\": true", "\"dependent\": 1")),
            "expected true or false at /variants/1/launches/1/dependent, but got the number 1");
}

TEST(PlanJson, KeysUnknownAndMissing) {
  EXPECT_EQ(errorOf(replaced("\"alignment\"", "\"alinement\"")),
            "expected only keys this version knows at /arguments/0, but got the key \"alinement\"");
  EXPECT_EQ(errorOf(replaced("\"chip\": \"sm_90\",", "")),
            "expected the key \"chip\" at the top of the document, but got an object without it");
}

TEST(PlanJson, BrokenExpressions) {
  EXPECT_EQ(errorOf(replaced("\"ceil_divide\"", "\"divide\"")),
            "expected add, multiply, ceil_divide, minimum or maximum at /variants/0/launches/0/grid/1/0, but got "
            "\"divide\"");
  EXPECT_EQ(errorOf(replaced("\"minimum\",", "")),
            "expected an expression of the form [operation, left, right] at /variants/0/launches/0/grid, but got an "
            "array of 2");
  EXPECT_EQ(errorOf(replaced("\"i32\": \"rows\"", "\"i32\": {}")),
            "expected an expression (an integer, a symbol's name, or [operation, left, right]) at "
            "/variants/0/launches/0/arguments/2/i32, but got an object");
  EXPECT_EQ(errorOf(replaced("\"i32\": \"rows\"", "\"i16\": 1")),
            "expected one of the keys argument, result, workspace, i32, i64 at /variants/0/launches/0/arguments/2, "
            "but got \"i16\"");
}

TEST(PlanJson, DeepExpressionIsRefused) {
  std::string expression = "1";
  for (int level = 0; level < 64; ++level)
    expression = "[\"add\", " + expression + ", 1]";
  std::string error = errorOf(replaced("\"i32\": \"rows\"", "\"i32\": " + expression));
  EXPECT_NE(error.find("expected an expression nested at most 64 deep at "), std::string::npos) << error;
}

TEST(PlanJson, DeepDocumentIsRefusedBeforeItIsBuilt) {
  EXPECT_EQ(errorOf(std::string(1000000, '[')),
            "expected JSON nested at most 100 deep, but it is deeper at line 1, column 101");
}

TEST(PlanJson, BracketsInStringsDoNotCount) {
  Plan plan = examplePlan();
  plan.variants[0].ptx = std::string(1000, '[') + "\\\"" + std::string(1000, '{');
  Result<Plan> read = readPlanJson(writePlanJson(plan));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->variants[0].ptx, plan.variants[0].ptx);
}

TEST(PlanJson, WhatIsReadIsVerified) {
  EXPECT_EQ(errorOf(replaced("\"result\": 0", "\"result\": 3")),
            "expected kernel argument 1 of launch 0 of variant 0 to be one of 1 result, but it is number 3");
}

TEST(PlanJson, TextThatWasChangedIsRefused) {
  std::string hash = contentHash(examplePlan());
  EXPECT_EQ(hash.size(), 16u);
  EXPECT_EQ(errorOf(replaced("\"threads\": 128", "\"threads\": 64")),
            "expected the plan that its content hash " + hash +
                " was computed from, but the text was changed; compile the graph again");
  EXPECT_NE(contentHash(stridedPlan()), hash);
  // How it is laid out says nothing.
  EXPECT_TRUE(readPlanJson(replaced("{\n", "{\n\n  ")));
}

TEST(PlanJson, NoByteChangedOrCutCrashes) {
  std::string text = writePlanJson(examplePlan());
  for (size_t byte = 0; byte < text.size(); ++byte) {
    (void)readPlanJson(std::string_view(text).substr(0, byte));
    for (char letter : {'"', '[', '9'}) {
      std::string changed = text;
      changed[byte] = letter;
      (void)readPlanJson(changed);
    }
  }
}

} // namespace
