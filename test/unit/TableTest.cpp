//===- TableTest.cpp - The kernel table -----------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Table.h"

#include <gtest/gtest.h>

using namespace fastnorm;

namespace {

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
