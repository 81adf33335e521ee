//===- BenchTest.cpp - Statistics, sampling, the kernel table -------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "runtime/Bench/Sampler.h"
#include "runtime/Bench/Table.h"

#include <gtest/gtest.h>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

TEST(Statistics, MedianQuartilesAndExtremes) {
  // Sorted 1 2 3 4 10: quartiles 2 and 4, so the noise is 2 / 3.
  Summary summary = summarize({10, 1, 4, 3, 2});
  EXPECT_EQ(summary.count, 5u);
  EXPECT_EQ(summary.median, 3.0);
  EXPECT_EQ(summary.minimum, 1.0);
  EXPECT_EQ(summary.maximum, 10.0);
  EXPECT_DOUBLE_EQ(summary.noise, 2.0 / 3.0);
}

TEST(Statistics, MedianOfAnEvenCountLiesBetween) { EXPECT_EQ(summarize({4, 1, 3, 2}).median, 2.5); }

TEST(Statistics, ConfidenceOfTheMedianByRank) {
  // Of 31 samples ranks 10 and 22 (from 1) enclose the median with 97 %: P(at most 9 of 31 below) = 1.5 %, and P(at
  // most 10) = 3.5 % would be too much on one side.
  std::vector<double> samples;
  for (int sample = 1; sample <= 31; ++sample)
    samples.push_back(sample);
  Summary summary = summarize(samples);
  EXPECT_EQ(summary.medianLow, 10.0);
  EXPECT_EQ(summary.medianHigh, 22.0);
  // All six fall on one side of the median with probability 2^-6 = 1.6 %; of five it is 3.1 %.
  EXPECT_EQ(summarize({1, 2, 3, 4, 5, 6}).medianLow, 1.0);
  EXPECT_EQ(summarize({1, 2, 3, 4, 5}).medianHigh, 5.0);
}

TEST(Statistics, NoSamplesAreAllZero) { EXPECT_EQ(summarize({}).median, 0.0); }

TEST(Statistics, RatiosArePairedByRound) {
  // The clock doubled for the last round, which both took part in.
  Summary ratio = summarizeRatios({10, 11, 20}, {20, 22, 40});
  EXPECT_EQ(ratio.median, 0.5);
  EXPECT_EQ(ratio.noise, 0.0);
}

/// Two kernels on the fake device's clock.
class SamplerTest : public testing::Test {
protected:
  SamplerTest() : loaded(std::move(*device.load(".entry fast() .entry slow()"))) {
    device.state.microseconds = {{"fast", 10.0}, {"slow", 40.0}};
  }

  BenchCandidate candidate(const std::string &kernel, int64_t sets) {
    BenchCandidate made{kernel, {}};
    for (int64_t set = 0; set < sets; ++set)
      made.launches.push_back([this, kernel, set](Stream &stream) {
        return stream.launch(**loaded->kernel(kernel), LaunchShape{}, {KernelArgument{static_cast<uint64_t>(set), 8}});
      });
    return made;
  }

  FakeDevice device;
  std::unique_ptr<Module> loaded;
};

TEST_F(SamplerTest, TimesAreThoseOfOneLaunch) {
  Result<std::vector<BenchResult>> results = sampleInTurns(device, {candidate("fast", 3), candidate("slow", 3)});
  ASSERT_TRUE(results) << results.error();
  ASSERT_EQ(results->size(), 2u);
  EXPECT_EQ((*results)[0].name, "fast");
  EXPECT_NEAR((*results)[0].summary.median, 10.0, 1e-9);
  EXPECT_NEAR((*results)[1].summary.median, 40.0, 1e-9);
  EXPECT_EQ((*results)[0].microseconds.size(), 31u);
}

TEST_F(SamplerTest, ReplaysAreLongEnoughForTheEvents) {
  // 3 sets of 10 us are 30 us a round; 500 us need 17 rounds.
  Result<std::vector<BenchResult>> results = sampleInTurns(device, {candidate("fast", 3)});
  ASSERT_TRUE(results) << results.error();
  EXPECT_EQ((*results)[0].launchesPerReplay, 51);
}

TEST_F(SamplerTest, CandidatesTakeTurnsAndSetsRotate) {
  SamplerOptions options;
  options.samples = 4;
  options.minReplayMicroseconds = 0.0;
  ASSERT_TRUE(sampleInTurns(device, {candidate("fast", 2), candidate("slow", 2)}, options));
  std::vector<FakeLaunch> last(device.state.launches.end() - 8, device.state.launches.end());
  std::string order;
  for (const FakeLaunch &launch : last)
    order += launch.kernel + std::to_string(launch.arguments[0].bits) + " ";
  EXPECT_EQ(order, "fast0 fast1 slow0 slow1 fast0 fast1 slow0 slow1 ");
}

TEST_F(SamplerTest, CandidateThatDoesNotLaunchIsNamedAndTheStreamRecovers) {
  device.state.launchError = "too many threads";
  EXPECT_EQ(sampleInTurns(device, {candidate("fast", 1)}).error(),
            "candidate 'fast' does not launch: too many threads");
  EXPECT_FALSE(device.state.capturing);
  device.state.launchError = "";
  EXPECT_TRUE(sampleInTurns(device, {candidate("fast", 1)}));
}

TEST_F(SamplerTest, CandidateWithoutLaunchesIsAnError) {
  EXPECT_EQ(sampleInTurns(device, {BenchCandidate{"nothing", {}}}).error(),
            "expected candidate 'nothing' to have a launch to time, but it has none");
}

TEST(RotatingSets, ExceedThreeTimesL2WithinHalfOfMemory) {
  DeviceInfo info;
  info.l2Bytes = 50 << 20;
  info.memoryBytes = int64_t(140) << 30;
  // 150 MiB: 16 sets of 10 MiB, the first count above 15.
  EXPECT_EQ(rotatingSetCount(info, 10 << 20), 16);
  EXPECT_EQ(rotatingSetCount(info, int64_t(1) << 30), 2);
  EXPECT_EQ(rotatingSetCount(info, int64_t(60) << 30), 1);
  EXPECT_EQ(rotatingSetCount(info, 1), 1024);
  EXPECT_EQ(rotatingSetCount(info, 0), 2);
}

KernelRow row() {
  LaunchFacts facts;
  facts.kernel = "norm";
  facts.grid = 132;
  facts.threads = 256;
  facts.readBytes = 3000000;
  facts.writtenBytes = 1000000;
  facts.dynamicSharedBytes = 100;
  facts.facts = KernelFacts{40, 28, 0, 6, std::nullopt};
  return KernelRow{facts, std::nullopt, std::nullopt};
}

KernelTable table(KernelRow row) {
  KernelTable made;
  made.rows = {std::move(row)};
  made.device.maxThreadsPerMultiprocessor = 2048;
  return made;
}

TEST(Table, TimesBandwidthAndShareOfTheCopy) {
  KernelRow timed = row();
  timed.microseconds = 2.0;
  KernelTable made = table(timed);
  made.copyBytesPerSecond = 4e12;
  // 4 MB in 2 us are 2000 GB/s, half of 4 TB/s; 6 CTAs of 256 threads are 75 % of 2048.
  EXPECT_EQ(formatText(made),
            "kernel  grid x CTA  registers  spill bytes  shared bytes  occupancy    us  GB/s  % of copy\n"
            "norm     132 x 256         40            0           128       75 %  2.00  2000       50.0\n");
}

TEST(Table, CountsStandInPlaceOfTimesOnTheEmulator) {
  KernelRow counted = row();
  counted.launch.facts = KernelFacts{std::nullopt, 28, std::nullopt, std::nullopt, std::nullopt};
  counted.counters = LaunchCounters{1000, 20, 10, 3000000, 1000000, 8};
  EXPECT_EQ(formatText(table(counted)),
            "kernel  grid x CTA  registers  spill bytes  shared bytes  occupancy  warp instructions  loads  stores  "
            "loaded bytes  stored bytes  barriers\n"
            "norm     132 x 256          -            -           128          -               1000     20      10  "
            "     3000000       1000000         8\n");
}

TEST(Table, MarkdownAlignsFiguresToTheRight) {
  EXPECT_EQ(formatMarkdown(table(row())),
            "| kernel | grid x CTA | registers | spill bytes | shared bytes | occupancy | us | GB/s | % of copy |\n"
            "|--------|-----------:|----------:|------------:|-------------:|----------:|---:|-----:|----------:|\n"
            "| norm   |  132 x 256 |        40 |           0 |          128 |      75 % |  - |    - |         - |\n");
}

TEST(Table, OccupancyCountsWholeWarps) {
  DeviceInfo info;
  info.maxThreadsPerMultiprocessor = 2048;
  LaunchFacts facts = row().launch;
  facts.threads = 33; // two warps
  facts.facts.ctasPerMultiprocessor = 32;
  EXPECT_EQ(occupancy(info, facts), 1.0);
}

} // namespace
