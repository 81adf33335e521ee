//===- MeasurementTest.cpp - What is refused, and what is warned of -------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Warnings.h"

#include <gtest/gtest.h>

using namespace fastnorm;

namespace {

Timed timed(int64_t byteCount, double microseconds) {
  Timed made;
  made.name = "graph";
  made.readBytes = byteCount;
  made.memoryBytes = byteCount;
  made.samples.microseconds.assign(9, microseconds);
  made.samples.summary = summarize(made.samples.microseconds);
  made.samples.launchesPerReplay = 100;
  return made;
}

DeviceInfo device() {
  DeviceInfo info;
  info.memoryBytesPerSecond = 4e12;
  info.multiprocessors = 100;
  info.clockHertz = 1e9;
  info.l2Bytes = 1 << 20;
  return info;
}

TEST(Refusal, MemoryMovesNoMoreThanItsClockAllows) {
  // 8 MB at 4 TB/s take 2 us.
  Timed possible = timed(8000000, 2.0);
  refuseImpossible(possible, device(), CacheState::Cold);
  EXPECT_EQ(possible.refusal, "");
  EXPECT_EQ(possible.bytesPerSecond(), 4e12);
  Timed impossible = timed(8000000, 1.99);
  refuseImpossible(impossible, device(), CacheState::Cold);
  EXPECT_EQ(impossible.refusal, "8.00 MB in 1.99 us are 4020 GB/s, but the memory moves 4000 at most: not all of these "
                                "bytes were moved (row indices that repeat or drop rows?)");
  EXPECT_EQ(impossible.bytesPerSecond(), std::nullopt);
}

TEST(Refusal, WhatComesOutOfTheL2IsNotLimitedByTheMemory) {
  Timed hot = timed(8000000, 1.0);
  refuseImpossible(hot, device(), CacheState::Hot);
  EXPECT_EQ(hot.refusal, "");
  hot.memoryBytes = 0;
  refuseImpossible(hot, device(), CacheState::Cold);
  EXPECT_EQ(hot.refusal, "");
}

TEST(Refusal, MultiprocessorsTakeNoMoreThanTheirClockAllows) {
  // 100 multiprocessors take 128 bytes each of 10^9 clocks a second: 12.8 TB/s.
  Timed hot = timed(12800000, 1.0);
  refuseImpossible(hot, device(), CacheState::Hot);
  EXPECT_EQ(hot.refusal, "");
  hot = timed(12900000, 1.0);
  refuseImpossible(hot, device(), CacheState::Hot);
  EXPECT_NE(hot.refusal.find("the multiprocessors move 12800 at most"), std::string::npos) << hot.refusal;
}

TEST(Refusal, NoTimeIsNoRate) {
  Timed nothing = timed(8, 0.0);
  refuseImpossible(nothing, DeviceInfo(), CacheState::Hot);
  EXPECT_NE(nothing.refusal.find("took 0.00 us"), std::string::npos) << nothing.refusal;
  EXPECT_EQ(nothing.bytesPerSecond(), std::nullopt);
}

TEST(Refusal, UnknownLimitsRefuseNothing) {
  Timed fast = timed(1 << 30, 0.1);
  refuseImpossible(fast, DeviceInfo(), CacheState::Cold);
  EXPECT_EQ(fast.refusal, "");
}

/// A measurement that there is nothing to warn of.
Measurement good() {
  Measurement measurement;
  measurement.device = device();
  measurement.graph = timed(8000000, 4.0);
  measurement.footprintBytes = 4 << 20;
  DeviceReading reading;
  reading.clockMegahertz = 1950;
  reading.maxClockMegahertz = 1980;
  reading.memoryClockMegahertz = reading.maxMemoryClockMegahertz = 3201;
  reading.otherProcesses = 0;
  measurement.readings = {reading, reading};
  return measurement;
}

/// The one warning, as "what; remedy".
std::string only(const Measurement &measurement) {
  std::vector<Warning> warnings = findWarnings(measurement);
  EXPECT_EQ(warnings.size(), 1u) << formatWarnings(warnings);
  return formatWarnings(warnings);
}

TEST(Warnings, NoneWhereAllIsWell) { EXPECT_EQ(formatWarnings(findWarnings(good())), ""); }

TEST(Warnings, LowClocksOfTheLastReading) {
  Measurement measurement = good();
  measurement.readings.front().clockMegahertz = 345; // it was idle
  EXPECT_TRUE(findWarnings(measurement).empty());
  measurement.readings.back().clockMegahertz = 1200;
  EXPECT_EQ(only(measurement), "warning: the multiprocessors run at 1200 of 1980 MHz; measure for longer, cool the "
                               "device, or ask for its application clocks (nvidia-smi -q -d CLOCK)\n");
  measurement = good();
  measurement.readings.back().memoryClockMegahertz = 1600;
  EXPECT_NE(only(measurement).find("the memory runs at 1600 of 3201 MHz"), std::string::npos);
}

TEST(Warnings, SlowdownsAreNamed) {
  Measurement measurement = good();
  measurement.readings.back().slowdowns = {"power cap", "software thermal"};
  EXPECT_NE(only(measurement).find("holds the clocks down: power cap, software thermal"), std::string::npos);
}

TEST(Warnings, OtherProcessesOfAnyReading) {
  Measurement measurement = good();
  measurement.readings.front().otherProcesses = 2;
  EXPECT_NE(only(measurement).find("2 other processes have the device open"), std::string::npos);
}

TEST(Warnings, FootprintUnderThreeTimesTheL2UnlessItIsFlushed) {
  Measurement measurement = good();
  measurement.footprintBytes = 2 << 20;
  EXPECT_NE(only(measurement).find("2.0 times the L2, too little"), std::string::npos);
  measurement.isFlushed = true;
  EXPECT_TRUE(findWarnings(measurement).empty());
}

TEST(Warnings, HotFootprintOverTheL2) {
  Measurement measurement = good();
  measurement.state = CacheState::Hot;
  EXPECT_NE(only(measurement).find("do not stay in it; measure fewer rows, or without --hot"), std::string::npos);
}

TEST(Warnings, HowSamplingEnded) {
  Measurement measurement = good();
  measurement.seconds = 5.0;
  measurement.reason = StopReason::OutOfTime;
  EXPECT_NE(only(measurement).find("time ran out after 5.0 s"), std::string::npos);
  measurement.reason = StopReason::Interrupted;
  EXPECT_NE(only(measurement).find("interrupted after 5.0 s"), std::string::npos);
  measurement.reason = StopReason::Failed;
  measurement.failure = "the device is lost";
  EXPECT_NE(only(measurement).find("did not go on after 5.0 s: the device is lost"), std::string::npos);
}

TEST(Warnings, NoiseAndShortReplays) {
  Measurement measurement = good();
  measurement.graph->samples.summary.noise = 0.06;
  EXPECT_NE(only(measurement).find("graph is noisy: half of its samples lie 6 % apart"), std::string::npos);
  measurement = good();
  measurement.graph->samples.launchesPerReplay = 2;
  EXPECT_NE(only(measurement).find("a sample of graph takes 8.0 us"), std::string::npos);
}

TEST(Warnings, RefusedRatesComeFirst) {
  Measurement measurement = good();
  measurement.graph->refusal = "too fast";
  measurement.reason = StopReason::OutOfTime;
  EXPECT_EQ(findWarnings(measurement)[0].what, "no rate is given for graph: too fast");
}

} // namespace
