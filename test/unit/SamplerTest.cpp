//===- SamplerTest.cpp - Times on the clock of a fake device --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Sampler.h"
#include "FakeDevice.h"

#include <gtest/gtest.h>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

/// Two kernels on the fake device's clock.
class SamplerTest : public testing::Test {
protected:
  SamplerTest() : loaded(std::move(*device.load(".entry fast() .entry slow()"))) {
    device.state.microseconds = {{"fast", 10.0}, {"slow", 40.0}};
    options.stopping.clock = [this] { return device.state.clock / 1e6; };
  }

  BenchCandidate candidate(const std::string &kernel, int64_t sets) {
    BenchCandidate made{kernel, {}};
    for (int64_t set = 0; set < sets; ++set)
      made.launches.push_back([this, kernel, set](Stream &stream) {
        return stream.launch(**loaded->kernel(kernel), LaunchShape{}, {KernelArgument{static_cast<uint64_t>(set), 8}});
      });
    return made;
  }

  /// "fast0 slow1 ": kernels with their sets, in the order they ran.
  std::string lastLaunches(size_t count) const {
    std::string order;
    for (auto launch = device.state.launches.end() - static_cast<std::ptrdiff_t>(count);
         launch != device.state.launches.end(); ++launch)
      order += launch->kernel + std::to_string(launch->arguments[0].bits) + " ";
    return order;
  }

  FakeDevice device;
  std::unique_ptr<Module> loaded;
  SamplerOptions options;
  int64_t slowLaunches = 0;
};

TEST_F(SamplerTest, TimesAreThoseOfOneLaunch) {
  Result<Sampling> sampling = sampleInTurns(device, {candidate("fast", 3), candidate("slow", 3)});
  ASSERT_TRUE(sampling) << sampling.error();
  ASSERT_EQ(sampling->results.size(), 2u);
  EXPECT_EQ(sampling->results[0].name, "fast");
  EXPECT_NEAR(sampling->results[0].summary.median, 10.0, 1e-9);
  EXPECT_NEAR(sampling->results[1].summary.median, 40.0, 1e-9);
}

TEST_F(SamplerTest, EqualTimesArePreciseAfterTheFewestSamples) {
  Result<Sampling> sampling = sampleInTurns(device, {candidate("fast", 3), candidate("slow", 3)});
  ASSERT_TRUE(sampling) << sampling.error();
  EXPECT_EQ(sampling->reason, StopReason::Precise);
  EXPECT_EQ(sampling->results[0].microseconds.size(), 31u);
  EXPECT_EQ(sampling->results[1].microseconds.size(), 31u);
}

TEST_F(SamplerTest, OneCandidateThatIsNoisyKeepsAllOfThemGoing) {
  // Between 40 and 80 us by turns, the median is never known to 1 %; time ends it.
  device.state.bodies["slow"] = [this](const LaunchShape &, const std::vector<KernelArgument> &) {
    device.state.clock += slowLaunches++ % 2 ? 40.0 : 0.0;
  };
  options.minReplayMicroseconds = 0.0;
  options.stopping.seconds = 0.01; // the fake clock's: 100 rounds take 7 ms
  Result<Sampling> sampling = sampleInTurns(device, {candidate("fast", 1), candidate("slow", 1)}, options);
  ASSERT_TRUE(sampling) << sampling.error();
  EXPECT_EQ(sampling->reason, StopReason::OutOfTime);
  EXPECT_GT(sampling->results[0].microseconds.size(), 100u);
  EXPECT_EQ(sampling->results[0].microseconds.size(), sampling->results[1].microseconds.size());
  EXPECT_GE(sampling->seconds, 0.01);
}

TEST_F(SamplerTest, OneRoundIsTakenHoweverLittleTimeThereIs) {
  options.stopping.seconds = 0.0;
  Result<Sampling> sampling = sampleInTurns(device, {candidate("fast", 1), candidate("slow", 1)}, options);
  ASSERT_TRUE(sampling) << sampling.error();
  EXPECT_EQ(sampling->reason, StopReason::OutOfTime);
  EXPECT_EQ(sampling->results[1].microseconds.size(), 1u);
}

TEST_F(SamplerTest, InterruptedSamplingKeepsWhatThereIs) {
  int64_t asked = 0;
  options.isInterrupted = [&] { return ++asked > 5; };
  Result<Sampling> sampling = sampleInTurns(device, {candidate("fast", 1), candidate("slow", 1)}, options);
  ASSERT_TRUE(sampling) << sampling.error();
  EXPECT_EQ(sampling->reason, StopReason::Interrupted);
  EXPECT_EQ(sampling->results[0].microseconds.size(), 3u);
  EXPECT_EQ(sampling->results[1].microseconds.size(), 2u);
  EXPECT_NEAR(sampling->results[1].summary.median, 40.0, 1e-9);
}

TEST_F(SamplerTest, DeviceThatIsTakenAwayLeavesTheSamplesBefore) {
  options.afterRound = [&](int64_t rounds, double) {
    if (rounds == 4)
      device.state.synchronizeError = "the device is lost";
  };
  Result<Sampling> sampling = sampleInTurns(device, {candidate("fast", 1)}, options);
  ASSERT_TRUE(sampling) << sampling.error();
  EXPECT_EQ(sampling->reason, StopReason::Failed);
  EXPECT_EQ(sampling->failure, "the device is lost");
  EXPECT_EQ(sampling->results[0].microseconds.size(), 4u);
}

TEST_F(SamplerTest, ReplaysAreLongEnoughForTheEvents) {
  // 3 sets of 10 us are 30 us a round; 500 us need 17 rounds.
  Result<Sampling> sampling = sampleInTurns(device, {candidate("fast", 3)});
  ASSERT_TRUE(sampling) << sampling.error();
  EXPECT_EQ(sampling->results[0].launchesPerReplay, 51);
}

TEST_F(SamplerTest, PreparationStandsOutsideTheTimeAndSetsAreUsedOnce) {
  BenchCandidate prepared = candidate("fast", 2);
  prepared.prepare = candidate("slow", 1).launches.front();
  Result<Sampling> sampling = sampleInTurns(device, {prepared}, options);
  ASSERT_TRUE(sampling) << sampling.error();
  EXPECT_NEAR(sampling->results[0].summary.median, 10.0, 1e-9);
  EXPECT_EQ(sampling->results[0].launchesPerReplay, 2);
  EXPECT_EQ(lastLaunches(6), "slow0 fast0 fast1 slow0 fast0 fast1 ");
}

TEST_F(SamplerTest, HostTimeIsTakenWhereItIsAskedFor) {
  BenchCandidate timed = candidate("fast", 1);
  timed.timesHost = true;
  Result<Sampling> sampling = sampleInTurns(device, {timed, candidate("slow", 1)});
  ASSERT_TRUE(sampling) << sampling.error();
  EXPECT_EQ(sampling->results[0].hostMicroseconds.size(), 31u);
  EXPECT_GT(sampling->results[0].hostSummary.median, 0.0);
  EXPECT_TRUE(sampling->results[1].hostMicroseconds.empty());
}

TEST_F(SamplerTest, HostTimeTakesLittleOfTheTimeForSamples) {
  // 40 us a launch: 32 launches for the host, 13 of them for a sample. 1000 us: 2, and 1.
  options.stopping.minSamples = 1;
  for (auto [microseconds, launches] : {std::pair(40.0, 32 + 13), std::pair(1000.0, 2 + 1)}) {
    device.state.microseconds["slow"] = microseconds;
    BenchCandidate timed = candidate("slow", 1);
    int64_t before = 0;
    options.isInterrupted = [&] { return before = static_cast<int64_t>(device.state.launches.size()), false; };
    timed.timesHost = true;
    ASSERT_TRUE(sampleInTurns(device, {timed}, options));
    EXPECT_EQ(static_cast<int64_t>(device.state.launches.size()) - before, launches) << microseconds;
  }
}

TEST_F(SamplerTest, CandidatesTakeTurnsAndSetsRotate) {
  options.minReplayMicroseconds = 0.0;
  ASSERT_TRUE(sampleInTurns(device, {candidate("fast", 2), candidate("slow", 2)}, options));
  EXPECT_EQ(lastLaunches(8), "fast0 fast1 slow0 slow1 fast0 fast1 slow0 slow1 ");
}

TEST_F(SamplerTest, EverySecondRoundMayGoBackward) {
  options.minReplayMicroseconds = 0.0;
  options.stopping.minSamples = 32;
  options.turnsRound = true;
  ASSERT_TRUE(sampleInTurns(device, {candidate("fast", 1), candidate("slow", 1)}, options));
  EXPECT_EQ(lastLaunches(8), "fast0 slow0 slow0 fast0 fast0 slow0 slow0 fast0 ");
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

} // namespace
