//===- TunerTest.cpp - Tuning on a device with planted times --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Tuning/Tuner.h"
#include "fastnorm/Templates/Templates.h"
#include "fastnorm/Tuning/TuningReport.h"

#include "PlantedDevice.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace fastnorm;
using fastnorm::test::PlantedDevice;

namespace {

CompileOptions optionsFor(int64_t rows) {
  CompileOptions options;
  options.symbols["rows"] = rows;
  return options;
}

Result<IsolatedKernels> isolate(const std::string &graph, const std::map<std::string, std::string> &settings,
                                const CompileOptions &options) {
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) { return mlir::failure(); });
  Result<std::string> text = instantiateTemplate(graph, settings);
  EXPECT_TRUE(text) << (text ? "" : text.error());
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = parseGraph(*text, "graph", context);
  EXPECT_TRUE(module);
  return isolateKernels(**module, options);
}

/// rms_norm of f32 rows of 1024 without a weight: one launch, whose second argument is its result.
class TunerOfNorm : public testing::Test {
protected:
  TunerOfNorm() {
    device.state.resultArgument = 1;
    device.state.cost = [](const LaunchShape &shape) {
      return shape.threads == 64 ? 80.0 : shape.threads == 32 ? 70.0 : 100.0;
    };
  }

  Result<TunedResult> tune(double seconds = 600, const ScheduleTable *known = nullptr) {
    CompileOptions options = optionsFor(6);
    Result<IsolatedKernels> isolated =
        isolate("rms_norm", {{"hidden", "1024"}, {"dtype", "f32"}, {"weight", "no"}}, options);
    if (!isolated)
      return isolated.takeError();
    TunerOptions tuning;
    tuning.threads = 2;
    tuning.isStopped = isStopped;
    return Tuner(device, options, tuning, known).tune(isolated->kernels.front(), seconds);
  }

  /// Stops once so many replays were timed.
  void stopAfter(int64_t replays) {
    isStopped = [this, replays] { return device.state.replays >= replays; };
  }

  PlantedDevice device;
  /// After so many candidates all of these tests know what they want to.
  std::function<bool()> isStopped = [this] { return device.state.loads >= 40; };
};

bool hasThreads(const std::string &schedule, int64_t threads) {
  return schedule.find("threads_per_row = " + std::to_string(threads) + ",") != std::string::npos;
}

TEST_F(TunerOfNorm, FindsThePlantedBest) {
  Result<TunedResult> result = tune();
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(hasThreads(result->measured.schedule, 32)) << describe(*result);
  EXPECT_EQ(result->measured.us, 70.0);
  EXPECT_EQ(result->measured.modelUs, 100.0);
  EXPECT_EQ(result->measured.rows, 6);
  EXPECT_FALSE(result->isModelChoice);
  EXPECT_FALSE(result->servesMore);
  EXPECT_GT(result->timed, 10u);
}

TEST_F(TunerOfNorm, CountsNoTimeOfAWrongResult) {
  device.state.isWrong = [](const LaunchShape &shape) { return shape.threads == 32; };
  Result<TunedResult> result = tune();
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(hasThreads(result->measured.schedule, 64)) << describe(*result);
  EXPECT_EQ(result->measured.us, 80.0);
  ASSERT_FALSE(result->skipped.empty());
  for (const SkippedSchedule &skipped : result->skipped) {
    EXPECT_TRUE(hasThreads(skipped.schedule, 32));
    EXPECT_NE(skipped.reason.find("wrong beside the reference: result 'result0' differs: "), std::string::npos)
        << skipped.reason;
  }
}

TEST_F(TunerOfNorm, CountsNoTimeOfAResultThatIsWrongInLaterRuns) {
  device.state.isWrong = [this](const LaunchShape &shape) { return shape.threads == 32 && device.state.replays > 0; };
  Result<TunedResult> result = tune();
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(hasThreads(result->measured.schedule, 64)) << describe(*result);
}

TEST_F(TunerOfNorm, SkipsWhatDoesNotLaunchAndSaysWhy) {
  device.state.refusal = [](const LaunchShape &shape) {
    return shape.threads == 32 ? std::string("cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE") : "";
  };
  Result<TunedResult> result = tune();
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(hasThreads(result->measured.schedule, 64)) << describe(*result);
  std::string text = describe(*result);
  EXPECT_NE(text.find("  skipped " + std::to_string(result->skipped.size()) +
                      ": cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE: #fastnorm.schedule<"),
            std::string::npos)
      << text;
}

TEST_F(TunerOfNorm, KeepsTheModelsChoiceWhereNothingIsFaster) {
  device.state.cost = [](const LaunchShape &) { return 100.0; };
  Result<TunedResult> result = tune(0.2);
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(result->isModelChoice);
  EXPECT_EQ(result->measured.schedule, result->modelSchedule);
  EXPECT_EQ(result->measured.regret(), 1.0);
}

TEST_F(TunerOfNorm, KeepsTheModelsChoiceWhereAGainIsWithinTheNoise) {
  // 3 % faster, but times wander by 8 %.
  uint32_t random = 1;
  device.state.cost = [&](const LaunchShape &shape) {
    random = random * 1664525u + 1013904223u;
    return (shape.threads == 32 ? 97.0 : 100.0) * (1 + 0.08 * (random >> 8) / double(1 << 24));
  };
  device.state.isNoisy = true;
  Result<TunedResult> result = tune(0.4);
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(result->isModelChoice) << describe(*result);
  EXPECT_GT(result->noise, 0.02);
}

TEST_F(TunerOfNorm, TriesFirstWhatATableHasForTheKernel) {
  Result<TunedResult> found = tune();
  ASSERT_TRUE(found) << found.error();
  ScheduleTable table{"h200", "sm_90", {}};
  table.add(found->kernel, found->signature, found->measured, found->servesMore);
  // Time for one batch only.
  int64_t before = device.state.replays;
  isStopped = [&] { return device.state.replays > before + 10; };
  Result<TunedResult> again = tune(600, &table);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->measured.schedule, found->measured.schedule);
  EXPECT_LT(again->timed, found->timed);
}

TEST_F(TunerOfNorm, StopsWithWhatItHasWhenToldTo) {
  stopAfter(40);
  Result<TunedResult> result = tune();
  ASSERT_TRUE(result) << result.error();
  EXPECT_FALSE(result->wasAll);
  EXPECT_GT(result->measured.us, 0);
}

TEST_F(TunerOfNorm, MeasuresTheModelsChoiceWhateverTheTime) {
  Result<TunedResult> result = tune(0);
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(result->isModelChoice);
  EXPECT_EQ(result->timed, 0u);
  EXPECT_EQ(result->measured.us, 100.0);
}

TEST_F(TunerOfNorm, RefusesTimesOfZero) {
  device.state.cost = [](const LaunchShape &) { return 0.0; };
  Result<TunedResult> result = tune(0);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), "expected launches that take time, but the device measured 0.000000 us");
}

TEST_F(TunerOfNorm, SaysWhenTheDeviceIsLost) {
  device.state.replaysUntilLost = 30;
  Result<TunedResult> result = tune();
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().find("the device was lost"), std::string::npos) << result.error();
}

TEST_F(TunerOfNorm, RefusesAModelsChoiceThatIsWrong) {
  device.state.isWrong = [](const LaunchShape &) { return true; };
  Result<TunedResult> result = tune();
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().find("the cost model's choice, #fastnorm.schedule<"), std::string::npos) << result.error();
  EXPECT_NE(result.error().find("wrong beside the reference: result 'result0' differs"), std::string::npos);
}

TEST(IsolateKernels, TakesAGraphApartAsItIsGrouped) {
  CompileOptions options = optionsFor(16);
  options.symbols["expert_rows"] = 128;
  options.fuse = "never";
  Result<IsolatedKernels> apart = isolate("combine_norm", {{"hidden", "256"}}, options);
  ASSERT_TRUE(apart) << apart.error();
  std::vector<std::string> names;
  for (const IsolatedKernel &kernel : apart->kernels)
    names.push_back(kernel.name);
  EXPECT_EQ(names, (std::vector<std::string>{"combine", "residual_add", "rms_norm"}));
  EXPECT_EQ(apart->kernels[0].argumentShapes, (std::vector<std::vector<int64_t>>{{128, 256}, {16, 8}, {16, 8}}));
  options.fuse = "always";
  Result<IsolatedKernels> together = isolate("combine_norm", {{"hidden", "256"}}, options);
  ASSERT_TRUE(together) << together.error();
  EXPECT_EQ(together->kernels.size(), 1u);
}

TEST(IsolateKernels, NeedsEveryExtentAndARow) {
  Result<IsolatedKernels> unknown = isolate("rms_norm", {}, {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error(), "kernel 'rms_norm': symbol 'rows' has no value; pass --dim rows=N");
  Result<IsolatedKernels> none = isolate("rms_norm", {}, optionsFor(0));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(), "expected at least one row to tune with, but kernel 'rms_norm' has none");
}

struct TunedGraph {
  const char *name;
  std::map<std::string, std::string> settings;
  int64_t rows;
  int64_t expertRows;
};

void PrintTo(const TunedGraph &graph, std::ostream *stream) { *stream << graph.name; }

class TunerOf : public testing::TestWithParam<TunedGraph> {};

/// Whatever the body: candidates compile, are right on the emulator, and what was found is what the graph then gets.
TEST_P(TunerOf, EveryCandidateIsRightAndTheTableServesTheGraph) {
  CompileOptions options = optionsFor(GetParam().rows);
  if (GetParam().expertRows)
    options.symbols["expert_rows"] = GetParam().expertRows;
  options.fuse = "always";
  Result<IsolatedKernels> isolated = isolate(GetParam().name, GetParam().settings, options);
  ASSERT_TRUE(isolated) << isolated.error();
  ScheduleTable table{"h200", "sm_90", {}};
  for (const IsolatedKernel &kernel : isolated->kernels) {
    PlantedDevice device;
    // The fewer threads, the faster: candidates are accepted on the way down.
    device.state.cost = [](const LaunchShape &shape) { return 50.0 + static_cast<double>(shape.threads); };
    TunerOptions tuning;
    tuning.threads = 2;
    tuning.isStopped = [&] { return device.state.loads > 16; };
    Result<TunedResult> result = Tuner(device, options, tuning, nullptr).tune(kernel, 600);
    ASSERT_TRUE(result) << result.error();
    EXPECT_TRUE(result->skipped.empty()) << describe(*result);
    EXPECT_GT(result->timed, 3u);
    table.add(result->kernel, result->signature, result->measured, result->servesMore);
  }
  for (const IsolatedKernel &kernel : isolated->kernels)
    EXPECT_TRUE(table.find(kernel.signature));
}

INSTANTIATE_TEST_SUITE_P(
    Templates, TunerOf,
    testing::Values(TunedGraph{"layer_norm", {{"hidden", "1000"}, {"bias", "yes"}}, 5, 0},
                    TunedGraph{"rms_norm_backward", {{"hidden", "512"}}, 40, 0},
                    TunedGraph{"layer_norm_backward", {{"hidden", "320"}, {"dtype", "f32"}}, 40, 0},
                    TunedGraph{"combine_norm", {{"hidden", "512"}, {"top_k", "4"}}, 6, 24},
                    TunedGraph{
                        "combine_backward", {{"hidden", "256"}, {"top_k", "2"}, {"index_map", "bijective"}}, 8, 16}),
    [](const testing::TestParamInfo<TunedGraph> &info) { return std::string(info.param.name); });

TEST(TuningReport, SaysTheRegretOfATable) {
  ScheduleTable table{"h200", "sm_90", {}};
  EXPECT_EQ(describeRegret(table), "0 schedules of 0 kernels");
  auto add = [&](int64_t rows, double us, double modelUs) {
    table.add("norm", "body", TunedSchedule{1, 1, rows, "#fastnorm.schedule<>", us, modelUs, "2026-12-02"}, false);
  };
  add(1, 2.0, 2.0);
  add(8, 2.0, 2.5);
  add(64, 10.0, 11.0);
  EXPECT_EQ(describeRegret(table), "3 schedules of 1 kernels; the cost model's choice takes 1.100 of the best time in "
                                   "the median, 1.250 at worst (norm, rows = 8)");
}

} // namespace
