//===- RunTest.cpp - Runs behind the C interface --------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/CAPI/Run.h"
#include "ExamplePlan.h"
#include "NullDevice.h"
#include "runtime/CAPI/Compatibility.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

std::atomic<int64_t> allocationCount{0};

} // namespace

// Every allocation of the test program is counted.
void *operator new(size_t size) {
  ++allocationCount;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

/// The example plan with 200 rows, which two kernels and a workspace serve.
class RunTest : public testing::Test {
protected:
  RunTest() {
    // A symbol that the index alone has can't be solved from tensors.
    Plan plan = examplePlan();
    plan.arguments.push_back(TensorSpec{"picked", DType::F32, {dynamic(1), fixed(4)}, 16, std::nullopt});
    auto owned = std::make_unique<NullDevice>();
    device = owned.get();
    Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(plan), *owned);
    EXPECT_TRUE(executor) << executor.error();
    prepared = std::make_unique<capi::PreparedPlan>(0, std::move(owned), std::move(*executor));
  }

  fastnorm_status run() {
    fastnorm_tensor arguments[3] = {{reinterpret_cast<void *>(xAddress), FASTNORM_F32, 2, xShape, nullptr},
                                    {reinterpret_cast<void *>(1 << 17), FASTNORM_I64, 2, indexShape, nullptr},
                                    {reinterpret_cast<void *>(1 << 18), FASTNORM_F32, 2, pickedShape, nullptr}};
    fastnorm_tensor results[1] = {{reinterpret_cast<void *>(1 << 19), FASTNORM_F32, 2, xShape, nullptr}};
    return capi::run(*prepared, {arguments, results, reinterpret_cast<void *>(workspace), workspaceBytes, stream});
  }

  uint64_t xAddress = 1 << 16;
  int64_t xShape[2] = {200, 4};
  int64_t indexShape[2] = {200, 2};
  int64_t pickedShape[2] = {9, 4};
  uint64_t workspace = 1 << 20;
  size_t workspaceBytes = 3328;
  void *stream = nullptr;
  NullDevice *device = nullptr;
  std::unique_ptr<capi::PreparedPlan> prepared;
};

TEST_F(RunTest, LaunchesEveryKernelAndAllocatesNothing) {
  ASSERT_EQ(run(), FASTNORM_OK) << fastnorm_last_error();
  EXPECT_EQ(device->launches, 2);
  int64_t before = allocationCount;
  for (int time = 0; time < 100; ++time) {
    xShape[0] = indexShape[0] = 101 + time; // other sizes, too
    ASSERT_EQ(run(), FASTNORM_OK) << fastnorm_last_error();
  }
  EXPECT_EQ(allocationCount, before);
  EXPECT_EQ(device->launches, 202);
}

TEST_F(RunTest, FirstRunAllocatesNothingEither) {
  int64_t before = allocationCount;
  fastnorm_status status = run();
  EXPECT_EQ(allocationCount, before);
  EXPECT_EQ(status, FASTNORM_OK);
}

TEST_F(RunTest, MoreRunsAtOnceThanSlots) {
  std::vector<std::unique_ptr<capi::RunSlot>> taken;
  for (size_t index = 0; index < capi::PreparedPlan::kSlots; ++index)
    taken.push_back(prepared->takeSlot());
  EXPECT_EQ(run(), FASTNORM_OK);
  for (std::unique_ptr<capi::RunSlot> &slot : taken)
    prepared->returnSlot(std::move(slot));
  EXPECT_EQ(run(), FASTNORM_OK);
}

TEST_F(RunTest, WorkspaceIsChecked) {
  workspaceBytes = 3327;
  EXPECT_EQ(run(), FASTNORM_ERROR_WORKSPACE);
  EXPECT_STREQ(fastnorm_last_error(), "expected a workspace of 3328 bytes, but got 3327");
  workspaceBytes = 3328;
  workspace += 128;
  EXPECT_EQ(run(), FASTNORM_ERROR_WORKSPACE);
  EXPECT_STREQ(fastnorm_last_error(),
               "expected the address of the workspace to be a multiple of 256 bytes, but it is 128 past one");
  workspace = 0;
  EXPECT_EQ(run(), FASTNORM_ERROR_WORKSPACE);
  EXPECT_STREQ(fastnorm_last_error(),
               "expected the address of the workspace to be a multiple of 256 bytes, but it is null");
  workspace = xAddress + 256;
  EXPECT_EQ(run(), FASTNORM_ERROR_WORKSPACE);
  EXPECT_STREQ(fastnorm_last_error(), "expected the workspace not to overlap an argument or a result, but it does");
  workspace = device->foreignAddress = 1 << 21;
  EXPECT_EQ(run(), FASTNORM_ERROR_MEMORY);
  EXPECT_STREQ(fastnorm_last_error(), "workspace: expected memory of this device, but got another's");
  EXPECT_EQ(device->launches, 0);
  xShape[0] = indexShape[0] = 100; // the variant for few rows needs none
  EXPECT_EQ(run(), FASTNORM_OK) << fastnorm_last_error();
}

TEST_F(RunTest, StreamOfAnotherContext) {
  stream = &device->foreignStream;
  EXPECT_EQ(run(), FASTNORM_ERROR_STREAM);
  EXPECT_EQ(device->launches, 0);
}

TEST_F(RunTest, MemoryOfAnotherDevice) {
  device->foreignAddress = xAddress;
  EXPECT_EQ(run(), FASTNORM_ERROR_MEMORY);
  EXPECT_STREQ(fastnorm_last_error(), "argument 'x': expected memory of this device, but got another's");
  EXPECT_EQ(run(), FASTNORM_ERROR_MEMORY); // not taken for known
  EXPECT_EQ(device->launches, 0);
}

TEST_F(RunTest, AddressesThatCameBeforeAreNotLookedUpAgain) {
  ASSERT_EQ(run(), FASTNORM_OK);
  EXPECT_EQ(device->addressChecks, 5); // with the workspace
  ASSERT_EQ(run(), FASTNORM_OK);
  EXPECT_EQ(device->addressChecks, 5);
  xAddress += 4096;
  ASSERT_EQ(run(), FASTNORM_OK);
  EXPECT_EQ(device->addressChecks, 6);
  workspace += 4096;
  ASSERT_EQ(run(), FASTNORM_OK);
  EXPECT_EQ(device->addressChecks, 7);
}

TEST(Compatibility, ChipOfThePlanOrNewer) {
  Plan plan = examplePlan();
  DeviceInfo device;
  device.name = "A100";
  for (const char *chip : {"sm_90", "sm_100", "sm_120"}) {
    device.chip = chip;
    EXPECT_TRUE(capi::checkChip(plan, device)) << chip;
  }
  device.chip = "sm_80";
  EXPECT_EQ(capi::checkChip(plan, device).error(),
            "expected a device of chip sm_90 or newer, which plan 'scale_rows' was compiled for, but A100 is sm_80; "
            "compile the graph for it");
  plan.chip = "sm_90a";
  device.chip = "sm_100";
  EXPECT_FALSE(capi::checkChip(plan, device));
}

TEST(Compatibility, DriverThatReadsThePtx) {
  Plan plan = examplePlan();
  DeviceInfo device;
  // PTX version, the driver of the release it came with, and one before.
  const char *kVersions[][3] = {{"7.8", "11.8", "11.7"}, {"8.0", "12.0", "11.8"}, {"8.5", "12.5", "12.4"},
                                {"8.6", "12.7", "12.6"}, {"8.8", "12.9", "12.8"}, {"9.0", "13.0", "12.9"}};
  for (const auto &version : kVersions) {
    plan.variants[1].ptx = std::string(".version ") + version[0] + "\n.target sm_90";
    device.driver = version[1];
    EXPECT_TRUE(capi::checkDriver(plan, device)) << version[0];
    device.driver = version[2];
    EXPECT_FALSE(capi::checkDriver(plan, device)) << version[0];
  }
  EXPECT_EQ(capi::checkDriver(plan, device).error(),
            "expected a driver of CUDA 13.0 or newer, which reads the PTX 9.0 of plan 'scale_rows', but this one is of "
            "CUDA 12.9; update the NVIDIA driver");
}

} // namespace
