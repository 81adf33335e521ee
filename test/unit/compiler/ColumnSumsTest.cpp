//===- ColumnSumsTest.cpp - Sums over rows, compiled and emulated ---------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of norms as whole plans: their launches, their bits from run to
// run, and what they leave alone.
//
//===----------------------------------------------------------------------===//

#include "GradientHarness.h"
#include "fastnorm/Compiler/Compiler.h"
#include "runtime/Emulator/EmulatorDevice.h"
#include "runtime/Executor/HostRun.h"
#include "runtime/TensorIO/Compare.h"

#include <algorithm>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

/// A layer_norm_backward with gradients of input, weight and bias; `parameter` is the dtype of the last two, which are
/// added to what `old` says: nothing, old gradients, or old ones in the results' own buffers.
enum class Old { None, Apart, Tied };

std::string graph(int64_t hidden, const std::string &parameter = "bf16", Old old = Old::None) {
  std::string size = std::to_string(hidden);
  std::string x = "tensor<?x" + size + "xbf16>", w = "tensor<" + size + "xbf16>";
  std::string g = "tensor<" + size + "x" + parameter + ">";
  std::string ow = old == Old::Tied ? " {fastnorm.result = 1 : i64}" : "";
  std::string ob = old == Old::Tied ? " {fastnorm.result = 2 : i64}" : "";
  bool adds = old != Old::None;
  return "func.func @gradients(%dy: " + x + ", %x: " + x + ", %mean: tensor<?xf32>, %rstd: tensor<?xf32>, %w: " + w +
         (adds ? ", %ow: " + g + ow + ", %ob: " + g + ob : "") + ") -> (" + x + ", " + g + ", " + g + ") {\n" +
         "  %dx, %dw, %db = fastnorm.layer_norm_backward %dy, %x mean(%mean) rstd(%rstd) weight(%w)" +
         (adds ? " accumulate_weight(%ow) accumulate_bias(%ob)" : "") + " : " + x + ", " + x +
         ", tensor<?xf32>, tensor<?xf32>, " + w + (adds ? ", " + g + ", " + g : "") + " -> input(" + x + ") weight(" +
         g + ") bias(" + g + ")\n  return %dx, %dw, %db : " + x + ", " + g + ", " + g + "\n}\n";
}

const std::vector<std::string> kResults = {"dx", "dw", "db"};
const std::vector<std::string> kArguments = {"dy", "x", "mean", "rstd", "w", "ow", "ob"};

std::vector<HostTensor> arguments(int64_t rows, int64_t hidden, DType parameter = DType::BF16, bool adds = false) {
  std::vector<HostTensor> list{randomTensor(DType::BF16, {rows, hidden}, 1),
                               randomTensor(DType::BF16, {rows, hidden}, 2), randomTensor(DType::F32, {rows}, 3),
                               randomTensor(DType::F32, {rows}, 4, 3.0), randomTensor(DType::BF16, {hidden}, 5)};
  for (unsigned seed : {6u, 7u})
    if (adds)
      list.push_back(randomTensor(parameter, {hidden}, seed, 50.0));
  return list;
}

NamedTensors named(const std::vector<HostTensor> &list) {
  NamedTensors tensors;
  for (size_t index = 0; index < list.size(); ++index)
    tensors[kArguments[index]] = list[index];
  return tensors;
}

/// For one number of rows.
Plan compiled(const std::string &text, int64_t rows) {
  CompileOptions options;
  options.symbols["rows"] = rows;
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) {});
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = parseGraph(text, "test", context);
  Result<Plan> plan = module ? compile(**module, options) : Result<Plan>(Error{module.error()});
  EXPECT_TRUE(plan) << (plan ? "" : plan.error());
  return plan ? std::move(*plan) : Plan();
}

/// runOnHost fails where a guard byte beside any buffer was changed.
HostRunResult run(const Plan &plan, const std::vector<HostTensor> &list, const SymbolValues &given = {},
                  uint64_t seed = 0) {
  EmulatorOptions options;
  options.seed = seed;
  std::unique_ptr<Device> device = createEmulatorDevice(options);
  Result<HostRunResult> result = runOnHost(plan, *device, named(list), given);
  EXPECT_TRUE(result) << (result ? "" : result.error());
  return result ? std::move(*result) : HostRunResult();
}

bool sameBits(const HostTensor &left, const HostTensor &right) {
  return left.byteCount() == right.byteCount() && std::equal(left.data(), left.data() + left.byteCount(), right.data());
}

void expectReference(const std::string &text, const std::vector<HostTensor> &list, const HostRunResult &result) {
  std::vector<HostTensor> references = evaluate(text, list);
  for (size_t index = 0; index < references.size(); ++index) {
    auto output = result.outputs.find(kResults[index]);
    ASSERT_NE(output, result.outputs.end()) << kResults[index];
    Result<Comparison> comparison = compare(output->second, references[index], kResults[index]);
    ASSERT_TRUE(comparison) << comparison.error();
    EXPECT_TRUE(comparison->matches) << comparison->sentence;
  }
}

TEST(ColumnSums, HaveTheSameBitsInEveryRun) {
  // One CTA a row, and a cluster of 4.
  for (auto [hidden, rows] : {std::pair<int64_t, int64_t>{1024, 300}, {8192, 40}}) {
    Plan plan = compiled(graph(hidden, "f32"), rows);
    std::vector<HostTensor> list = arguments(rows, hidden);
    HostRunResult first = run(plan, list);
    expectReference(graph(hidden, "f32"), list, first);
    for (uint64_t seed = 1; seed < 20; ++seed) {
      HostRunResult again = run(plan, list, {}, seed);
      for (const auto &[name, tensor] : first.outputs)
        EXPECT_TRUE(sameBits(tensor, again.outputs[name])) << name << " of hidden " << hidden << ", seed " << seed;
    }
  }
}

TEST(ColumnSums, TakeNoMoreSmsThanTheLimit) {
  std::string text = graph(1024);
  Plan plan = compiled(text, 300);
  std::vector<HostTensor> list = arguments(300, 1024);
  HostRunResult all = run(plan, list), few = run(plan, list, {{kSmLimitSymbol, 3}});
  HostRunResult again = run(plan, list, {{kSmLimitSymbol, 3}}, /*seed=*/9);
  ASSERT_EQ(all.launches.size(), 2u);
  ASSERT_EQ(few.launches.size(), 2u);
  EXPECT_EQ(all.launches[0].grid, 132);
  EXPECT_EQ(few.launches[0].grid, 3);
  // The columns are what the second launch is spread over.
  EXPECT_EQ(few.launches[1].grid, all.launches[1].grid);
  expectReference(text, list, few);
  for (const auto &[name, tensor] : few.outputs)
    EXPECT_TRUE(sameBits(tensor, again.outputs[name])) << name;
}

TEST(ColumnSums, KeepOneClusterWhereTheLimitHoldsNone) {
  std::string text = graph(8192);
  std::vector<HostTensor> list = arguments(9, 8192);
  HostRunResult result = run(compiled(text, 9), list, {{kSmLimitSymbol, 2}});
  ASSERT_EQ(result.launches.size(), 2u);
  EXPECT_EQ(result.launches[0].cluster, 4);
  EXPECT_EQ(result.launches[0].grid, 4);
  expectReference(text, list, result);
}

TEST(ColumnSums, TakeNoMoreCtasThanRowsGiveWork) {
  // Few rows have a variant of four warps a CTA: at 1024 two row groups of two, at 2048 one.
  HostRunResult result = run(compiled(graph(1024), 5), arguments(5, 1024));
  ASSERT_EQ(result.launches.size(), 2u);
  EXPECT_EQ(result.launches[0].grid, 3);
  EXPECT_EQ(run(compiled(graph(2048), 5), arguments(5, 2048)).launches.at(0).grid, 5);
}

TEST(ColumnSums, OfNoRowsAreZeroAndLaunchOnlyTheSecondKernel) {
  HostRunResult result = run(compiled(graph(1024), 0), arguments(0, 1024));
  ASSERT_EQ(result.launches.size(), 2u);
  EXPECT_EQ(result.launches[0].grid, 0);
  EXPECT_GT(result.launches[1].grid, 0);
  for (const char *name : {"dw", "db"})
    for (double value : valuesOf(result.outputs[name]))
      EXPECT_EQ(value, 0.0);
}

TEST(ColumnSums, AreAddedToOldOnes) {
  for (Old old : {Old::Apart, Old::Tied})
    for (auto [name, dtype] : {std::pair<std::string, DType>{"f32", DType::F32}, {"bf16", DType::BF16}})
      for (int64_t rows : {0, 300}) {
        std::string text = graph(512, name, old);
        std::vector<HostTensor> list = arguments(rows, 512, dtype, /*adds=*/true);
        HostRunResult result = run(compiled(text, rows), list);
        expectReference(text, list, result);
        for (size_t index : {0, 1})
          if (rows == 0)
            EXPECT_TRUE(sameBits(result.outputs[kResults[index + 1]], list[5 + index])) << name;
      }
}

TEST(ColumnSums, AreNoTrafficOfTheRowsLaunch) {
  HostRunResult result = run(compiled(graph(1024), 300), arguments(300, 1024));
  ASSERT_EQ(result.launches.size(), 2u);
  // dy and x, mean and rstd of each row, and the weight; the gradients of weight and bias come with the second launch.
  EXPECT_EQ(result.launches[0].readBytes, 300 * (2 * 1024 * 2 + 2 * 4) + 1024 * 2);
  EXPECT_EQ(result.launches[0].writtenBytes, 300 * 1024 * 2);
  EXPECT_EQ(result.launches[1].readBytes, 0);
  EXPECT_EQ(result.launches[1].writtenBytes, 2 * 1024 * 2);
}

} // namespace
