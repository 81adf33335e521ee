//===- EmulatorDeviceTest.cpp - The emulator as a Device ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorHarness.h"
#include "EmulatorKernels.h"
#include "fastnorm/Support/DType.h"

#include <cmath>
#include <random>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

constexpr int64_t hidden = 1024;

struct RmsNorm {
  explicit RmsNorm(int64_t rows, const EmulatorOptions &options = {}) : rows(rows), harness(options) {
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    auto draw = [&](std::vector<uint16_t> &values, size_t count, float mean, float deviation) {
      for (size_t i = 0; i < count; ++i)
        values.push_back(bf16FromF32(mean + deviation * normal(random)));
    };
    draw(x, size_t(rows * hidden), 0, 1);
    draw(weight, hidden, 1, 0.1f);
    output = harness.empty("y", x.size() * 2);
    rstd = harness.empty("rstd", size_t(rows) * 4);
    pointers = {harness.filled("x", x), harness.filled("weight", weight), output, rstd};
  }
  std::string run(const std::string &ptx = rmsForward1024) {
    return harness.launch(ptx, {rows, 128, 0}, pointers, "rms_forward_1024");
  }
  std::vector<uint16_t> y() { return harness.read<uint16_t>(output, x.size()); }

  int64_t rows;
  EmulatorHarness harness;
  std::vector<uint16_t> x, weight;
  uint64_t output = 0, rstd = 0;
  std::vector<uint64_t> pointers;
};

TEST(EmulatorDevice, RmsNormMatchesF64) {
  RmsNorm norm(33);
  ASSERT_EQ(norm.run(), "");
  std::vector<uint16_t> y = norm.y();
  std::vector<float> rstd = norm.harness.read<float>(norm.rstd, 33);
  for (size_t row = 0; row < 33; ++row) {
    double squares = 0;
    for (size_t i = 0; i < hidden; ++i)
      squares += std::pow(double(f32FromBf16(norm.x[row * hidden + i])), 2);
    double expected = 1 / std::sqrt(squares / hidden + 1e-5);
    // 8 products a thread and 7 additions of a tree: a few roundings of 2^-24.
    ASSERT_NEAR(rstd[row] / expected, 1, 1e-6);
    for (size_t i = 0; i < hidden; ++i) {
      double value = f32FromBf16(norm.x[row * hidden + i]) * expected * f32FromBf16(norm.weight[i]);
      // Half of the last place of bf16 is 2^-8 of the value at most.
      ASSERT_NEAR(f32FromBf16(y[row * hidden + i]), value, std::fabs(value) * (0x1p-8 + 1e-5));
    }
  }
}

TEST(EmulatorDevice, SeedsAndHostThreadsDoNotChangeResults) {
  RmsNorm natural(9);
  ASSERT_EQ(natural.run(), "");
  for (uint64_t seed : {1, 2, 3}) {
    EmulatorOptions options;
    options.seed = seed;
    options.hostThreads = unsigned(seed);
    RmsNorm shuffled(9, options);
    ASSERT_EQ(shuffled.run(), "");
    EXPECT_EQ(shuffled.y(), natural.y());
  }
}

TEST(EmulatorDevice, TheKernelWithoutItsBarrierIsReported) {
  std::string ptx = rmsForward1024;
  ptx.replace(ptx.find("bar.sync \t0;"), 12, "");
  RmsNorm norm(2);
  std::string error = norm.run(ptx);
  EXPECT_NE(error.find("'ld.shared.v4.b32 {%r37, %r38, %r39, %r40}, [__wg_rms_forward_1024_0]'"), std::string::npos)
      << error;
}

TEST(EmulatorDevice, CountsInstructionsLoadsStoresAndBarriers) {
  RmsNorm norm(5);
  (void)norm.harness.device->takeCounters();
  ASSERT_EQ(norm.run(), "");
  LaunchCounters counters = *norm.harness.device->takeCounters();
  // Four warps a row: x and weight in, y out, one barrier; warp 0 also stores rstd.
  EXPECT_EQ(counters.globalLoads, 5u * 4 * 2);
  EXPECT_EQ(counters.globalStores, 5u * (4 + 1));
  EXPECT_EQ(counters.globalLoadBytes, 5u * 2 * hidden * 2);
  EXPECT_EQ(counters.globalStoreBytes, 5u * (hidden * 2 + 4));
  EXPECT_EQ(counters.barriers, 5u * 4);
  EXPECT_GT(counters.warpInstructions, 5u * 4 * 80);
  EXPECT_EQ(norm.harness.device->takeCounters()->globalLoads, 0u);
}

TEST(EmulatorDevice, ABadLaunchSaysWhatWasExpected) {
  EmulatorHarness harness;
  std::string ptx = ptxKernel(1, "");
  uint64_t buffer = harness.empty("x", 4);
  EXPECT_EQ(harness.launch(ptx, {1, 32, 0}, {}), "kernel 'k': expected 1 arguments, but got 0");
  EXPECT_EQ(harness.launch(ptx, {0, 32, 0}, {buffer}),
            "kernel 'k': expected a grid of 1 to 2147483647 CTAs, but got 0");
  EXPECT_EQ(harness.launch(ptx, {1, 1025, 0}, {buffer}), "kernel 'k': expected 1 to 1024 threads a CTA, but got 1025");
  EXPECT_EQ(harness.launch(ptx, {1, 32, 232449}, {buffer}),
            "kernel 'k': expected 0 to 232448 bytes of dynamic shared memory beside its 0 static ones, but got 232449");
  EXPECT_EQ(harness.launch(ptx, {1, 32, 0}, {buffer}, "other"),
            "expected a kernel of the module, which has 'k', but got 'other'");
  EXPECT_EQ(harness.launch(rmsForward1024, {1, 256, 0}, {buffer, buffer, buffer, buffer}, "rms_forward_1024"),
            "kernel 'rms_forward_1024': expected at most the 128 threads of its .maxntid, but got 256");
  auto module = harness.device->load(ptx);
  EXPECT_EQ(harness.stream->launch(**(*module)->kernel("k"), {1, 32, 0}, {{buffer, 4}}).error(),
            "kernel 'k': expected argument 0 ('p0') to have 8 bytes, but got 4");
}

TEST(EmulatorDevice, IsUsableAfterAFailedLaunch) {
  RmsNorm norm(3);
  std::vector<uint64_t> pointers = norm.pointers;
  norm.pointers[0] = 64;
  EXPECT_NE(norm.run().find("in no buffer"), std::string::npos);
  EXPECT_TRUE(bool(norm.harness.stream->synchronize()));
  norm.pointers = pointers;
  EXPECT_EQ(norm.run(), "");
}

TEST(EmulatorDevice, TheReportIsThatOfTheLowestCta) {
  // CTA 4 takes its time, so that another host thread is among the CTAs from 8 on when CTA 5 fails; those fail later.
  EmulatorOptions options;
  options.hostThreads = 4;
  EmulatorHarness harness(options);
  std::string ptx = ptxKernel(0, R"(
    setp.eq.b32 %p1, %r101, 5;
    @%p1 trap;
    setp.lt.u32 %p1, %r101, 4;
    @%p1 ret;
    mov.b32 %r1, 30000;
    setp.gt.u32 %p2, %r101, 7;
    @%p2 mov.b32 %r1, 200000;
LOOP:
    add.s32 %r1, %r1, -1;
    setp.ne.b32 %p1, %r1, 0;
    @%p1 bra LOOP;
    @%p2 trap;)");
  for (int round = 0; round < 4; ++round) {
    std::string error = harness.launch(ptx, {64, 32, 0}, {});
    EXPECT_NE(error.find("CTA 5,"), std::string::npos) << error;
  }
}

TEST(EmulatorDevice, AGraphRecordsAndReplays) {
  EmulatorHarness harness;
  uint64_t count = harness.filled("count", std::vector<uint32_t>{0});
  auto module = harness.device->load(ptxKernel(1, "red.global.add.u32 [%rd100], 1;"));
  ASSERT_TRUE(bool(module));
  Kernel &kernel = **(*module)->kernel("k");
  ASSERT_TRUE(bool(harness.device->beginCapture(*harness.stream)));
  ASSERT_TRUE(bool(harness.stream->launch(kernel, {2, 32, 0}, {{count, 8}})));
  ASSERT_TRUE(bool(harness.stream->launch(kernel, {1, 1, 0}, {{count, 8}})));
  auto graph = harness.device->endCapture(*harness.stream);
  ASSERT_TRUE(bool(graph));
  EXPECT_EQ(harness.read<uint32_t>(count, 1)[0], 0u);
  EXPECT_TRUE(bool((*graph)->replay(*harness.stream)));
  EXPECT_TRUE(bool((*graph)->replay(*harness.stream)));
  EXPECT_EQ(harness.read<uint32_t>(count, 1)[0], 2u * 65);
  EXPECT_FALSE(bool(harness.device->endCapture(*harness.stream)));
}

TEST(EmulatorDevice, CopiesStayWithinOneBuffer) {
  EmulatorHarness harness;
  uint64_t buffer = harness.empty("x", 16);
  uint32_t words[8] = {};
  EXPECT_EQ(harness.device->upload(buffer, words, 20).error(),
            "upload of 20 bytes expects them within one buffer, but starts at byte 0 of argument 'x', which has 16 "
            "bytes");
  EXPECT_FALSE(bool(harness.device->download(words, buffer + 8, 16)));
  EXPECT_FALSE(bool(harness.device->fill(12345, 0, 1)));
  EXPECT_TRUE(bool(harness.device->upload(buffer, words, 0)));
  EXPECT_EQ(buffer % 256, 0u);
}

TEST(EmulatorDevice, RefusesToModelTime) {
  EmulatorHarness harness;
  auto start = harness.device->createEvent(), stop = harness.device->createEvent();
  EXPECT_TRUE(bool((*start)->record(*harness.stream)));
  EXPECT_EQ(harness.device->elapsedMilliseconds(**start, **stop).error(),
            "the emulator does not model time; measure on a GPU");
}

TEST(EmulatorDevice, InitializedVariablesOfAModule) {
  EmulatorHarness harness;
  uint64_t result = harness.empty("result", 4);
  EXPECT_EQ(harness.launch(ptxKernel(1,
                                     "mov.b64 %rd1, table;\nld.global.b32 %r1, [%rd1+4];\nld.const.b32 %r2, [scale];\n"
                                     "add.s32 %r3, %r1, %r2;\nst.global.b32 [%rd100], %r3;",
                                     ".global .align 4 .u32 table[2] = {1, 20}; .const .align 4 .u32 scale = 300;"),
                           {1, 1, 0}, {result}),
            "");
  EXPECT_EQ(harness.read<uint32_t>(result, 1)[0], 320u);
}

} // namespace
