//===- TunedScheduleTest.cpp - What a table does to a graph ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/AccessPattern.h"
#include "fastnorm/Compiler/Compiler.h"
#include "fastnorm/CostModel/KernelSignature.h"
#include "fastnorm/CostModel/ScheduleTable.h"
#include "fastnorm/Templates/Templates.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace fastnorm;

namespace {

// 4 vectors a thread, where the cost model has 2.
constexpr char kTuned[] = "#fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, "
                          "vectors_per_thread = 4, vectors_in_flight = 4, min_ctas = 4>";
constexpr char kTooFew[] = "#fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 8, "
                           "vectors_per_thread = 1>";

class Graph {
public:
  explicit Graph(const std::map<std::string, std::string> &settings = {}, const std::string &name = "rms_norm") {
    mlir::DialectRegistry registry;
    registerCompilerDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    context->getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      remarks += diagnostic.str() + "\n";
      return mlir::success();
    });
    module = std::move(*parseGraph(*instantiateTemplate(name, settings), "graph", *context));
  }

  Status lowerWith(CompileOptions options, const std::string &stage = "schedule") {
    return lower(*module, options, stage);
  }

  std::string signature() {
    CompileOptions options;
    options.tuned = "none";
    EXPECT_TRUE(lowerWith(options, "fuse"));
    std::string text;
    module->walk([&](KernelOp kernel) { text = kernelSignature(AccessPattern(kernel)); });
    return text;
  }

  /// "[0, 49] per_row 256 x 2" for each function.
  std::vector<std::string> functions() {
    std::vector<std::string> texts;
    for (auto function : module->getOps<mlir::func::FuncOp>()) {
      std::string text = "any rows";
      if (auto ranges = function->getAttrOfType<mlir::ArrayAttr>(kRangesAttr)) {
        auto range = mlir::cast<RangeAttr>(ranges[0]);
        text = std::to_string(range.getLow()) + " to " +
               (range.getHigh() == INT64_MAX ? "*" : std::to_string(range.getHigh()));
      }
      function.walk([&](KernelOp kernel) {
        text += ": " + std::to_string(kernel.getScheduleAttr().getThreadsPerRow()) + " x " +
                std::to_string(kernel.getScheduleAttr().getVectorsPerThread());
      });
      texts.push_back(text);
    }
    return texts;
  }

  std::string remarks;

private:
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// A file of a table that has a schedule for rms_norm of 4096 at some rows.
class TableFile {
public:
  explicit TableFile(const std::vector<std::pair<int64_t, std::string>> &schedules, bool servesMore = false,
                     const std::string &target = "h200")
      : path(testing::TempDir() + "tuned-" + std::to_string(getpid()) + ".json") {
    ScheduleTable table{target, "sm_90", {}};
    for (const auto &[rows, schedule] : schedules)
      table.add("rms_norm", Graph().signature(), TunedSchedule{1, 1, rows, schedule, 2.0, 2.5, "2026-12-02"},
                servesMore);
    std::ofstream(path) << table.str();
  }
  ~TableFile() { std::remove(path.c_str()); }

  CompileOptions options() const {
    CompileOptions options;
    options.tuned = path;
    return options;
  }

  const std::string path;
};

using Texts = std::vector<std::string>;

TEST(KernelSignature, IsOfTheKernelNotOfItsRowsNamesAndConstants) {
  std::string text = Graph().signature();
  EXPECT_EQ(Graph({{"rows", "17"}}).signature(), text);
  EXPECT_EQ(Graph({{"eps", "1e-3"}}).signature(), text);
  EXPECT_NE(text.find("(%0: ?x4096xbf16, %1: 4096xbf16) {"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(KernelSignature, TellsApartWhatScheduleRulesTellApart) {
  std::set<std::string> texts{
      Graph().signature(),
      Graph({{"hidden", "2048"}}).signature(),
      Graph({{"dtype", "f16"}}).signature(),
      Graph({{"weight_dtype", "f32"}}).signature(),
      Graph({{"statistics", "yes"}}).signature(),
      Graph({{"stride", "8192"}}).signature(),
      Graph({{"heads", "8"}}).signature(),
      Graph({{"heads", "16"}}).signature(),
      Graph({{"heads", "8"}, {"head_weights", "yes"}}).signature(),
      Graph({}, "layer_norm").signature(),
      Graph({}, "rms_norm_backward").signature(),
      Graph({{"top_k", "8"}}, "combine").signature(),
      Graph({{"top_k", "4"}}, "combine").signature(),
  };
  EXPECT_EQ(texts.size(), 13u);
}

TEST(TunedSchedule, IsTakenForTheRowsItServesAndTheCostModelsForOthers) {
  TableFile file({{100, kTuned}});
  Graph graph;
  Status lowered = graph.lowerWith(file.options());
  ASSERT_TRUE(lowered) << lowered.error();
  EXPECT_EQ(graph.functions(), (Texts{"0 to 49: 256 x 2", "50 to 200: 128 x 4", "201 to *: 256 x 2"}));
}

TEST(TunedSchedule, WithoutAnEndServesManyRowsAndThoseThatAreNotKnown) {
  TableFile file({{100, kTuned}}, /*servesMore=*/true);
  Graph graph;
  ASSERT_TRUE(graph.lowerWith(file.options()));
  EXPECT_EQ(graph.functions(), (Texts{"0 to 49: 256 x 2", "50 to *: 128 x 4"}));
  CompileOptions options = file.options();
  options.rowInvariant = true;
  Graph invariant;
  ASSERT_TRUE(invariant.lowerWith(options));
  EXPECT_EQ(invariant.functions(), (Texts{"any rows: 128 x 4"}));
}

TEST(TunedSchedule, ForOneRowCountIsNotStepedOver) {
  TableFile file({{1, kTuned},
                  {3, "#fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 512, vector_width "
                      "= 8, vectors_per_thread = 1>"}});
  Graph graph;
  ASSERT_TRUE(graph.lowerWith(file.options()));
  EXPECT_EQ(graph.functions(), (Texts{"0 to 1: 128 x 4", "2 to 6: 512 x 1", "7 to *: 256 x 2"}));
}

TEST(TunedSchedule, OfStaticRowsIsTheOneThatServesThem) {
  TableFile file({{100, kTuned}});
  Graph inside({{"rows", "60"}}), outside({{"rows", "6000"}});
  ASSERT_TRUE(inside.lowerWith(file.options()));
  ASSERT_TRUE(outside.lowerWith(file.options()));
  EXPECT_EQ(inside.functions(), (Texts{"any rows: 128 x 4"}));
  EXPECT_EQ(outside.functions(), (Texts{"any rows: 256 x 2"}));
}

TEST(TunedSchedule, IsARemarkWithBothTimes) {
  TableFile file({{100, kTuned}});
  Graph graph;
  ASSERT_TRUE(graph.lowerWith(file.options()));
  EXPECT_NE(graph.remarks.find("min_ctas = 4>, tuned: 2.00 us for 2.50 us of the cost model's at rows = 100\n"),
            std::string::npos)
      << graph.remarks;
}

TEST(TunedSchedule, ThatTheKernelCannotHaveIsARemarkAndTheCostModelDecides) {
  TableFile file({{100, kTooFew}});
  Graph graph({{"rows", "100"}});
  ASSERT_TRUE(graph.lowerWith(file.options()));
  EXPECT_EQ(graph.functions(), (Texts{"any rows: 256 x 2"}));
  EXPECT_NE(graph.remarks.find("missed tuned: rms_norm, the schedule of the table holds 256 elements of a row in "
                               "registers, but hidden is 4096"),
            std::string::npos)
      << graph.remarks;
}

TEST(TunedSchedule, OfAnotherKernelIsNotTaken) {
  TableFile file({{100, kTuned}});
  Graph graph({{"rows", "100"}, {"weight_dtype", "f32"}});
  ASSERT_TRUE(graph.lowerWith(file.options()));
  EXPECT_EQ(graph.remarks.find("tuned"), std::string::npos) << graph.remarks;
}

TEST(TunedSchedule, OfAnotherTargetIsRefused) {
  TableFile file({{100, kTuned}}, false, "h100");
  Status lowered = Graph().lowerWith(file.options());
  ASSERT_FALSE(lowered);
  EXPECT_NE(lowered.error().find("expected a table for h200 (sm_90), but it was measured on h100 (sm_90)"),
            std::string::npos)
      << lowered.error();
}

TEST(TunedSchedule, InAFileThatIsNotThereOrNotOursIsRefused) {
  CompileOptions options;
  options.tuned = "/nowhere/table.json";
  Status lowered = Graph().lowerWith(options);
  ASSERT_FALSE(lowered);
  EXPECT_NE(lowered.error().find("cannot read '/nowhere/table.json': No such file or directory"), std::string::npos)
      << lowered.error();
  options.tuned = "/dev/zero";
  lowered = Graph().lowerWith(options);
  ASSERT_FALSE(lowered);
  EXPECT_NE(lowered.error().find("cannot read '/dev/zero': it is not a regular file"), std::string::npos);
  TableFile file({{100, "#fastnorm.schedule<kind = sideways>"}});
  lowered = Graph().lowerWith(file.options());
  ASSERT_FALSE(lowered);
  EXPECT_NE(lowered.error().find("expected schedules as this compiler writes them, but 'rms_norm' at rows = 100 has "
                                 "'#fastnorm.schedule<kind = sideways>'; tune it again"),
            std::string::npos)
      << lowered.error();
}

} // namespace
