//===- SmLimitTest.cpp - Grids that follow from the SMs -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A persistent kernel: two CTAs an SM, each of which writes its number of
// CTAs to its element.
//
//===----------------------------------------------------------------------===//

#include "EmulatorHarness.h"
#include "ExamplePlan.h"
#include "fastnorm-c/fastnorm.h"
#include "fastnorm/Plan/PlanJson.h"
#include "runtime/Executor/HostRun.h"

#include <gtest/gtest.h>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

constexpr int64_t kEmulatorSms = 132;

/// seen: columns x f32, of which the first 2 x sm_limit are written, but no more than there are.
Plan persistentPlan() {
  Plan plan;
  plan.producer = "fastnorm 0.1.0";
  plan.function = "persist";
  plan.target = "h200";
  plan.chip = "sm_90";
  plan.symbols = {"columns", kSmLimitSymbol};
  plan.arguments = {TensorSpec{"old", DType::F32, {dynamic(0)}, 16, std::nullopt, {}, 0}};
  plan.results = {TensorSpec{"seen", DType::F32, {dynamic(0)}, 16, std::nullopt}};
  Launch launch;
  launch.kernel = "k";
  launch.grid =
      binary(Expression::Kind::Minimum, symbol(0), binary(Expression::Kind::Multiply, symbol(1), constant(2)));
  launch.threads = 1;
  launch.arguments = {LaunchArgument{LaunchArgument::Kind::Result, 0, Expression()}};
  plan.variants.push_back(Variant{{},
                                  ptxKernel(1, R"(
    mov.u32 %r1, %nctaid.x;
    cvt.rn.f32.u32 %f1, %r1;
    mul.wide.u32 %rd1, %r101, 4;
    add.s64 %rd2, %rd100, %rd1;
    st.global.b32 [%rd2], %f1;)"),
                                  {},
                                  {launch}});
  std::string &ptx = plan.variants[0].ptx;
  ptx.insert(ptx.find(".reg .b16"), ".reg .b32 %f<8>;\n");
  return plan;
}

NamedTensors zeros(int64_t columns) {
  NamedTensors tensors;
  tensors["old"] = HostTensor(DType::F32, {columns});
  return tensors;
}

/// The CTAs that ran: as many as elements say, and that is what each of them says.
int64_t ctasOf(const HostTensor &seen) {
  int64_t count = 0;
  while (count < seen.elementCount() && seen.at(count) != 0.0)
    ++count;
  for (int64_t index = 0; index < count; ++index)
    EXPECT_EQ(seen.at(index), static_cast<double>(count));
  return count;
}

int64_t ctasOfRun(int64_t columns, const SymbolValues &given) {
  std::unique_ptr<Device> device = createEmulatorDevice();
  Result<HostRunResult> run = runOnHost(persistentPlan(), *device, zeros(columns), given);
  EXPECT_TRUE(run) << (run ? "" : run.error());
  return run ? ctasOf(run->outputs.at("seen")) : -1;
}

std::string verifyError(const Plan &plan) {
  Status status = verify(plan);
  EXPECT_FALSE(status);
  return status ? "" : status.error();
}

TEST(SmLimit, IsTheDevicesSmsWhereNoneIsGiven) { EXPECT_EQ(ctasOfRun(500, {}), 2 * kEmulatorSms); }

TEST(SmLimit, IsWhatIsGiven) {
  EXPECT_EQ(ctasOfRun(500, {{kSmLimitSymbol, 7}}), 14);
  EXPECT_EQ(ctasOfRun(9, {{kSmLimitSymbol, 7}}), 9);
}

TEST(SmLimit, IsNeverMoreThanTheDeviceHas) { EXPECT_EQ(ctasOfRun(500, {{kSmLimitSymbol, 1000}}), 2 * kEmulatorSms); }

TEST(SmLimit, OfNoSmIsRefused) {
  std::unique_ptr<Device> device = createEmulatorDevice();
  Result<HostRunResult> run = runOnHost(persistentPlan(), *device, zeros(8), {{kSmLimitSymbol, 0}});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error(), "expected sm_limit to be at least 1 SM, but got 0");
}

TEST(SmLimit, MayBeGivenToAPlanWithoutPersistentKernels) {
  Plan plan = persistentPlan();
  plan.symbols.pop_back();
  plan.variants[0].launches[0].grid = constant(3);
  std::unique_ptr<Device> device = createEmulatorDevice();
  Result<HostRunResult> run = runOnHost(plan, *device, zeros(8), {{kSmLimitSymbol, 1}});
  ASSERT_TRUE(run) << run.error();
  EXPECT_EQ(ctasOf(run->outputs.at("seen")), 3);
}

TEST(SmLimit, StandsLastAndIsNotOfTensorsWorkspacesOrRanges) {
  Plan plan = persistentPlan();
  EXPECT_TRUE(verify(plan));
  std::swap(plan.symbols[0], plan.symbols[1]);
  EXPECT_EQ(verifyError(plan), "expected sm_limit to be the last of 2 symbols, but it is number 0");
  plan = persistentPlan();
  plan.results[0].shape[0] = plan.arguments[0].shape[0] = dynamic(1);
  EXPECT_EQ(verifyError(plan),
            "expected dimension 0 of argument 'old' to be named otherwise than sm_limit, which counts "
            "the SMs that a run may fill");
  plan = persistentPlan();
  plan.variants[0].workspaces = {WorkspaceSpec{binary(Expression::Kind::Multiply, constant(4), symbol(1))}};
  EXPECT_EQ(verifyError(plan), "expected the bytes of workspace 0 of variant 0 not to depend on sm_limit, but it does");
  plan = persistentPlan();
  plan.variants[0].ranges = {SymbolRange{1, 0, 10}};
  EXPECT_EQ(verifyError(plan), "expected no range of variant 0 to limit sm_limit, but one does");
}

/// A plan loaded through the C interface, on the emulator.
class SmLimitInC : public testing::Test {
protected:
  SmLimitInC() {
    std::string text = writePlanJson(persistentPlan());
    EXPECT_EQ(fastnorm_plan_load_memory(text.data(), text.size(), &plan), FASTNORM_OK);
    EXPECT_EQ(fastnorm_plan_prepare(plan, FASTNORM_EMULATOR), FASTNORM_OK);
  }
  ~SmLimitInC() override { fastnorm_plan_destroy(plan); }

  int64_t ctas() {
    HostTensor seen(DType::F32, {kColumns});
    fastnorm_tensor tensor = {seen.data(), FASTNORM_F32, 1, &kColumns, nullptr};
    EXPECT_EQ(fastnorm_plan_run(plan, &tensor, 1, &tensor, 1, nullptr, 0, nullptr), FASTNORM_OK)
        << fastnorm_last_error();
    return ctasOf(seen);
  }

  static constexpr int64_t kColumns = 500;
  fastnorm_plan *plan = nullptr;
};

constexpr int64_t SmLimitInC::kColumns;

TEST_F(SmLimitInC, HoldsFromTheNextRunOn) {
  EXPECT_EQ(ctas(), 2 * kEmulatorSms);
  EXPECT_EQ(fastnorm_plan_set_sm_limit(plan, 5), FASTNORM_OK);
  EXPECT_EQ(ctas(), 10);
  EXPECT_EQ(fastnorm_plan_set_sm_limit(plan, 5000), FASTNORM_OK);
  EXPECT_EQ(ctas(), 2 * kEmulatorSms);
  EXPECT_EQ(fastnorm_plan_set_sm_limit(plan, -1), FASTNORM_ERROR_ARGUMENT);
  EXPECT_EQ(fastnorm_plan_set_sm_limit(plan, 0), FASTNORM_OK);
  EXPECT_EQ(ctas(), 2 * kEmulatorSms);
}

TEST_F(SmLimitInC, IsNoSymbolThatCallersGiveValuesTo) {
  fastnorm_plan_info info;
  info.struct_size = sizeof(info);
  ASSERT_EQ(fastnorm_plan_describe(plan, &info), FASTNORM_OK);
  EXPECT_EQ(info.symbol_count, 1u);
  const char *name = nullptr;
  EXPECT_EQ(fastnorm_plan_symbol(plan, 1, &name), FASTNORM_ERROR_ARGUMENT);
  size_t bytes = 1;
  EXPECT_EQ(fastnorm_plan_workspace_size(plan, &kColumns, 1, &bytes), FASTNORM_OK);
  EXPECT_EQ(bytes, 0u);
}

} // namespace
