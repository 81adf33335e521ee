//===- NvmlTest.cpp - Readings of a stand-in management library -----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Nvml.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

using namespace fastnorm;

namespace {

/// The folder of the build: this binary stands in its bin.
std::string libraryPath() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../fake-nvml/libnvidia-ml.so.1").string();
}

class NvmlTest : public testing::Test {
protected:
  ~NvmlTest() override {
    for (const char *name : {"FAKE_NVML_SLOWDOWNS", "FAKE_NVML_PROCESSES", "FAKE_NVML_FAIL"})
      unsetenv(name);
  }
  DeviceReading read() {
    Result<Nvml> nvml = Nvml::open("0000:00:00.0", libraryPath());
    EXPECT_TRUE(nvml) << nvml.error();
    return nvml ? nvml->read() : DeviceReading();
  }
};

TEST_F(NvmlTest, ReadsClocksPowerAndUsers) {
  DeviceReading reading = read();
  EXPECT_EQ(reading.driver, "580.159.03");
  EXPECT_EQ(reading.clockMegahertz, 1980);
  EXPECT_EQ(reading.maxClockMegahertz, 1980);
  EXPECT_EQ(reading.memoryClockMegahertz, 3201);
  EXPECT_EQ(reading.watts, 412.5);
  EXPECT_EQ(reading.limitWatts, 700.0);
  EXPECT_EQ(reading.celsius, 41);
  EXPECT_EQ(reading.otherProcesses, 0);
  // That it is idle is no slowdown.
  EXPECT_TRUE(reading.slowdowns.empty());
}

TEST_F(NvmlTest, SlowdownsHaveNamesAndOneProcessIsOurs) {
  setenv("FAKE_NVML_SLOWDOWNS", "37", 1); // idle, power cap, software thermal
  setenv("FAKE_NVML_PROCESSES", "3", 1);
  DeviceReading reading = read();
  EXPECT_EQ(reading.slowdowns, (std::vector<std::string>{"power cap", "software thermal"}));
  EXPECT_EQ(reading.otherProcesses, 2);
}

TEST_F(NvmlTest, FiguresThatItDoesNotGiveAreLeftOut) {
  setenv("FAKE_NVML_FAIL", "1", 1);
  DeviceReading reading = read();
  EXPECT_EQ(reading.driver, "");
  EXPECT_EQ(reading.clockMegahertz, std::nullopt);
  EXPECT_EQ(reading.watts, std::nullopt);
  EXPECT_EQ(reading.otherProcesses, std::nullopt);
}

TEST_F(NvmlTest, WhatIsMissingIsSaid) {
  EXPECT_NE(Nvml::open("0000:00:00.0", "no-such-library.so").error().find("can't be loaded"), std::string::npos);
  EXPECT_NE(Nvml::open("0000:01:00.0", libraryPath()).error().find("does not find device 0000:01:00.0"),
            std::string::npos);
  EXPECT_EQ(Nvml::open("", libraryPath()).error(), "the driver does not say where the device is");
}

} // namespace
