//===- CostEstimateTest.cpp - The cost model beside measured times --------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every figure is of one NVIDIA H200, cold, and names the file of
// benchmarks/results that holds it. The bands are the model's errors as
// docs/Schedules.md states them.
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/CostEstimate.h"
#include "fastnorm/Analysis/RowLayout.h"
#include "fastnorm/Compiler/Compiler.h"
#include "fastnorm/IR/KernelOps.h"
#include "fastnorm/Target/KnownTargets.h"
#include "fastnorm/Templates/Templates.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace fastnorm;

namespace {

struct Measured {
  const char *graph;
  std::map<std::string, std::string> settings;
  int64_t rows;
  double us;
  const char *source;
  /// Behind `#fastnorm.schedule`; empty: the best one.
  const char *schedule = "";
};

void PrintTo(const Measured &measured, std::ostream *stream) {
  *stream << measured.graph << " rows " << measured.rows;
  for (const auto &[key, value] : measured.settings)
    *stream << " " << key << "=" << value;
  *stream << " " << measured.schedule;
}

/// A kernel on a target, alive with what it lies in.
class Fixture {
public:
  Fixture(const Measured &measured, const std::string &targetName) {
    mlir::DialectRegistry registry;
    registerCompilerDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    Result<std::string> text = instantiateTemplate(measured.graph, measured.settings);
    EXPECT_TRUE(text) << (text ? "" : text.error());
    Result<mlir::OwningOpRef<mlir::ModuleOp>> parsed = parseGraph(*text, "graph", *context);
    EXPECT_TRUE(parsed);
    module = std::move(*parsed);
    CompileOptions options;
    options.target = targetName;
    options.fuse = "always";
    options.symbols["rows"] = measured.rows;
    Status lowered = lower(*module, options, "schedule");
    EXPECT_TRUE(lowered) << (lowered ? "" : lowered.error());
    target = *findTarget(context.get(), targetName);
  }

  KernelOp kernel() {
    KernelOp found;
    module->walk([&](KernelOp op) { found = op; });
    return found;
  }

  CostEstimate estimate(int64_t rows, const std::string &schedule = "") {
    ScheduleAttr attribute = *kernel().getSchedule();
    if (!schedule.empty())
      attribute = mlir::cast<ScheduleAttr>(mlir::parseAttribute("#fastnorm.schedule" + schedule, context.get()));
    return estimateCost(AccessPattern(kernel()), attribute, target, rows);
  }

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  TargetAttr target;
};

std::map<std::string, std::string> hidden(int64_t columns) { return {{"hidden", std::to_string(columns)}}; }

std::map<std::string, std::string> slots(int64_t topK, int64_t columns) {
  return {{"top_k", std::to_string(topK)}, {"hidden", std::to_string(columns)}};
}

std::map<std::string, std::string> block(int64_t topK, int64_t columns) {
  std::map<std::string, std::string> settings = slots(topK, columns);
  settings["weight_dtype"] = "f32";
  return settings;
}

std::map<std::string, std::string> backward(int64_t columns) {
  return {{"hidden", std::to_string(columns)}, {"grad_weight", "yes"}};
}

std::map<std::string, std::string> scattered(int64_t topK, int64_t columns, const std::string &indexMap,
                                             const std::string &gradGate = "yes") {
  std::map<std::string, std::string> settings = slots(topK, columns);
  settings["index_map"] = indexMap;
  settings["grad_gate"] = gradGate;
  return settings;
}

constexpr char kRules[] = "h200-forward-rules.md";
constexpr char kPrototypes[] = "h200-beside-prototypes.md";
constexpr char kVariants[] = "h200-schedule-variants.md";
constexpr char kShapes[] = "h200-forward-shapes.md";
constexpr char kFewRows[] = "h200-layer-norm-few-rows.md";
constexpr char kGroupings[] = "h200-combine-norm.md";
constexpr char kBackward[] = "h200-backward.md";

std::vector<Measured> manyRows() {
  return {
      {"rms_norm", hidden(1024), 32768, 33.51, kRules},
      {"rms_norm", hidden(2048), 16384, 33.73, kRules},
      {"rms_norm", hidden(4096), 8192, 34.25, kRules},
      {"rms_norm", hidden(8192), 4096, 34.70, kRules},
      {"rms_norm", hidden(16384), 2048, 34.63, kRules},
      {"rms_norm", hidden(32768), 1024, 36.07, kRules},
      {"layer_norm", hidden(2048), 16384, 34.21, kRules},
      {"layer_norm", hidden(8192), 4096, 34.86, kRules},
      {"layer_norm", hidden(16384), 2048, 35.22, kRules},
      {"rms_norm", hidden(2880), 11650, 33.74, kShapes},
      {"rms_norm", hidden(7168), 4681, 34.06, kShapes},
      {"residual_rms_norm", hidden(4096), 8192, 66.60, kShapes},
      {"combine_norm", block(8, 3072), 3467, 53.06, kPrototypes},
      {"combine_norm", block(8, 2048), 16384, 162.68, kPrototypes},
      {"combine_norm", block(4, 4096), 4096, 52.75, kGroupings},
      {"combine_norm", block(2, 6144), 8192, 100.70, kGroupings},
      {"combine_norm", block(8, 7168), 4096, 142.94, kGroupings},
      {"rms_norm_backward", backward(1024), 32768, 51.32, kBackward},
      {"rms_norm_backward", backward(4096), 8192, 52.31, kBackward},
      {"rms_norm_backward", backward(16384), 2048, 52.35, kBackward},
      // Too few CTAs share a multiprocessor.
      {"rms_norm", hidden(4096), 8192, 42.46, kVariants,
       "<kind = per_row, scope = cta, threads_per_row = 512, vector_width = 8, vectors_per_thread = 1, min_ctas = 3>"},
      {"rms_norm", hidden(16384), 2048, 46.35, kVariants,
       "<kind = per_row, scope = cta, threads_per_row = 512, vector_width = 8, vectors_per_thread = 4, "
       "vectors_in_flight = 4>"},
  };
}

std::vector<Measured> fewRows() {
  return {
      {"rms_norm", hidden(4096), 8, 1.68, kFewRows},           {"rms_norm", hidden(4096), 32, 1.84, kFewRows},
      {"rms_norm", hidden(4096), 128, 2.12, kFewRows},         {"rms_norm", hidden(4096), 256, 2.66, kFewRows},
      {"rms_norm", hidden(16384), 1, 1.99, kFewRows},          {"combine_norm", block(8, 3072), 16, 2.65, kGroupings},
      {"combine_norm", block(8, 3072), 128, 4.29, kGroupings}, {"combine_norm", block(8, 7168), 64, 5.01, kGroupings},
  };
}

class ManyRows : public testing::TestWithParam<Measured> {};
class FewRows : public testing::TestWithParam<Measured> {};

} // namespace

TEST_P(ManyRows, EstimateIsWithinEightPercent) {
  const Measured &measured = GetParam();
  CostEstimate cost = Fixture(measured, "h200").estimate(measured.rows, measured.schedule);
  EXPECT_NEAR(cost.totalUs, measured.us, 0.08 * measured.us) << measured.source << ": " << cost.str();
}

TEST_P(FewRows, EstimateIsWithinThreeTenthsOfAMicrosecond) {
  const Measured &measured = GetParam();
  CostEstimate cost = Fixture(measured, "h200").estimate(measured.rows, measured.schedule);
  EXPECT_NEAR(cost.totalUs, measured.us, 0.3) << measured.source << ": " << cost.str();
}

INSTANTIATE_TEST_SUITE_P(CostEstimate, ManyRows, testing::ValuesIn(manyRows()));
INSTANTIATE_TEST_SUITE_P(CostEstimate, FewRows, testing::ValuesIn(fewRows()));

TEST(CostEstimate, PartsAddUp) {
  for (const Measured &measured :
       {Measured{"rms_norm", hidden(4096), 8192, 0, ""}, Measured{"rms_norm_backward", backward(4096), 256, 0, ""},
        Measured{"rms_norm", hidden(1 << 20), 4, 0, ""},
        Measured{"combine_backward", scattered(8, 3072, "any", "no"), 256, 0, ""}}) {
    CostEstimate cost = Fixture(measured, "h200").estimate(measured.rows);
    EXPECT_NEAR(cost.totalUs, cost.launchUs + cost.waitUs + cost.transferUs + cost.idleUs + cost.finalizeUs, 1e-9);
    EXPECT_GT(cost.totalUs, 0);
  }
}

TEST(CostEstimate, CountsBytesByArithmetic) {
  Fixture fixture({"combine_norm", block(8, 3072), 3467, 0, ""}, "h200");
  CostEstimate cost = fixture.estimate(3467);
  // Slots, residual and result of bf16; an index of i64 and a gate of f32 a slot; the weight of f32.
  EXPECT_EQ(cost.coldBytes, 3467 * (3072 * 10 * 2 + 8 * 12) + 3072 * 4);
  EXPECT_EQ(cost.hotBytes, 0);
  // The row index comes before the rows that it chooses.
  EXPECT_EQ(cost.chain, 2);
  EXPECT_EQ(cost.meetings, 1);
}

TEST(CostEstimate, CountsWhatScattersStore) {
  Fixture fixture({"combine_backward", scattered(8, 3072, "bijective"), 3467, 0, ""}, "h200");
  CostEstimate cost = fixture.estimate(3467);
  // grad_output, a row read and one stored for each slot; an index of i64, a gate and its gradient of f32 a slot.
  EXPECT_EQ(cost.coldBytes, 3467 * (3072 * 17 * 2 + 8 * 16));
  EXPECT_EQ(cost.hotBytes, 0);
  EXPECT_EQ(cost.launches, 1);
  EXPECT_EQ(cost.meetings, 1);
}

TEST(CostEstimate, SlotsThatAddUpReadSharedRowsAgainAndAreListedFirst) {
  Fixture fixture({"combine_backward", scattered(8, 3072, "any", "no"), 3467, 0, ""}, "h200");
  CostEstimate cost = fixture.estimate(3467);
  int64_t row = 3072 * 2, slots = 8 * (8 + 4);
  EXPECT_EQ(cost.coldBytes, 3467 * (row + slots + 8 * row));
  // 21 MB of grad_output stay in the L2 for the other slots of a token; 80 bytes a slot are of lists.
  EXPECT_EQ(cost.hotBytes, 3467 * (7 * row + 8 * 80));
  EXPECT_EQ(cost.launches, 4);
  EXPECT_EQ(cost.ctas, 3467 * 8); // as many rows of the result as slots, one of these CTAs each
  // 64 MB do not.
  CostEstimate more = fixture.estimate(3 * 3467);
  EXPECT_EQ(more.coldBytes, 3 * 3467 * (row + slots + 8 * row + 7 * row));
  EXPECT_EQ(more.hotBytes, 3 * 3467 * 8 * 80);
  // Few rows: four launches that wait.
  CostEstimate plain =
      Fixture({"combine_backward", scattered(8, 3072, "bijective", "no"), 1, 0, ""}, "h200").estimate(1);
  EXPECT_GT(fixture.estimate(1).totalUs, plain.totalUs + 3 * 0.73);
}

TEST(CostEstimate, HotInputsDoNotCrossTheBus) {
  Fixture fixture({"rms_norm", hidden(3072), 3467, 0, ""}, "h200");
  llvm::SmallBitVector hot(2);
  hot[0] = true;
  CostEstimate cold = fixture.estimate(3467);
  CostEstimate warm =
      estimateCost(AccessPattern(fixture.kernel()), *fixture.kernel().getSchedule(), fixture.target, 3467, hot);
  EXPECT_EQ(warm.hotBytes, 3467 * 3072 * 2);
  EXPECT_EQ(warm.coldBytes + warm.hotBytes, cold.coldBytes);
  EXPECT_LT(warm.totalUs, cold.totalUs);
}

TEST(CostEstimate, SaysWhatBounds) {
  Fixture wide({"rms_norm", hidden(16384), 2048, 0, ""}, "h200");
  EXPECT_EQ(describe(wide.estimate(2048).bound()), "memory");
  EXPECT_EQ(describe(Fixture({"rms_norm", hidden(4096), 1, 0, ""}, "h200").estimate(1).bound()), "latency");
  // One CTA a multiprocessor, with one 2-byte element a thread: the complaint that began this.
  CostEstimate starved = wide.estimate(2048, "<kind = per_row, scope = cta, threads_per_row = 1024, vector_width = 1, "
                                             "vectors_per_thread = 16>");
  EXPECT_EQ(describe(starved.bound()), "too few bytes in flight");
}

TEST(CostEstimate, SumsInSharedMemoryTakeItsTimeInsteadOfRegisters) {
  std::map<std::string, std::string> settings = backward(4096);
  settings["grad_bias"] = "yes";
  Fixture gradients({"layer_norm_backward", settings, 8192, 0, ""}, "h200");
  std::string ring = "<kind = per_row, scope = cta, threads_per_row = 256, vector_width = 8, vectors_per_thread = 2, "
                     "persistent_ctas = 1, stages = 2";
  CostEstimate registers = gradients.estimate(8192, ring + ">");
  CostEstimate shared = gradients.estimate(8192, ring + ", accumulators = shared>");
  // Of both sums those of one vector of 8 columns, not of two.
  EXPECT_EQ(registers.registers - shared.registers, 16);
  // One multiprocessor moves 6 bytes an element to and from the L2, or meanwhile 12 of shared memory: here 4 and 4 of
  // the ring, 8 and 8 of the sums.
  EXPECT_TRUE(shared.isBoundByMultiprocessor);
  EXPECT_NEAR(shared.transferUs / registers.transferUs, 24.0 / 12.0, 0.02);
}

TEST(CostEstimate, SmallerCardsAreSlowerAndModelled) {
  Measured report{"combine_norm", block(8, 3072), 3467, 0, ""};
  CostEstimate a100 = Fixture(report, "a100").estimate(3467);
  CostEstimate h200 = Fixture(report, "h200").estimate(3467);
  // By the datasheets' bandwidths, 4800 and 2039 GB/s.
  EXPECT_NEAR(a100.totalUs / h200.totalUs, 4800.0 / 2039.0, 0.15);
}
