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

Measurement table(KernelRow row) {
  Measurement made;
  made.kernels = {std::move(row)};
  made.device.maxThreadsPerMultiprocessor = 2048;
  return made;
}

Timed timed(const std::string &name, int64_t byteCount, double microseconds) {
  Timed made;
  made.name = name;
  made.readBytes = byteCount;
  made.samples.microseconds = {microseconds};
  made.samples.summary = summarize(made.samples.microseconds);
  return made;
}

TEST(Table, TimesBandwidthAndShareOfTheCopy) {
  KernelRow line = row();
  line.time = timed("norm", 4000000, 2.0);
  Measurement made = table(line);
  made.copy = timed("copy", 8000000, 2.0);
  // 4 MB in 2 us are 2000 GB/s, half of 4 TB/s; 6 CTAs of 256 threads are 75 % of 2048.
  EXPECT_EQ(formatTable(made),
            "kernel  grid x CTA  registers  spill bytes  shared bytes  occupancy    us  GB/s  % of copy\n"
            "norm     132 x 256         40            0           128       75 %  2.00  2000       50.0\n");
}

TEST(Table, RivalsHaveAColumnEach) {
  KernelRow line = row();
  line.time = timed("norm", 4000000, 2.0);
  Measurement made = table(line);
  made.rivals = {{"apex", 8.0}};
  EXPECT_EQ(formatTable(made),
            "kernel  grid x CTA  registers  spill bytes  shared bytes  occupancy    us  GB/s  % of copy  % of apex\n"
            "norm     132 x 256         40            0           128       75 %  2.00  2000          -       25.0\n");
}

TEST(Table, RefusedRatesAreNotShown) {
  KernelRow line = row();
  line.time = timed("norm", 4000000, 2.0);
  line.time->refusal = "too fast";
  EXPECT_NE(formatTable(table(line)).find("2.00     -          -\n"), std::string::npos);
}

TEST(Table, CountsStandInPlaceOfTimesOnTheEmulator) {
  KernelRow counted = row();
  counted.launch.facts = KernelFacts{std::nullopt, 28, std::nullopt, std::nullopt, std::nullopt};
  counted.counters = LaunchCounters{1000, 20, 10, 3000000, 1000000, 8};
  EXPECT_EQ(formatTable(table(counted)),
            "kernel  grid x CTA  registers  spill bytes  shared bytes  occupancy  warp instructions  loads  stores  "
            "loaded bytes  stored bytes  barriers\n"
            "norm     132 x 256          -            -           128          -               1000     20      10  "
            "     3000000       1000000         8\n");
}

TEST(Table, SummaryHasALineForEachThingTimed) {
  Measurement made = table(row());
  EXPECT_EQ(formatSummary(made), "");
  made.graph = timed("graph", 4000000, 2.0);
  made.graph->samples.hostSummary = summarize({0.5});
  made.copy = timed("copy", 8000000, 2.0);
  made.stream = timed("stream", 5000000, 2.0);
  made.rivals = {{"apex", 8.0}};
  made.sets = 3;
  made.setBytes = 4 << 20;
  made.footprintBytes = 12 << 20;
  made.device.l2Bytes = 4 << 20;
  made.seconds = 0.25;
  EXPECT_EQ(formatSummary(made),
            "graph: 2.00 us, 2000 GB/s (median of 1 samples, 2.00 to 2.00 at 95 %, noise 0.0 %), 50.0 % of the copy, "
            "80.0 % of the same-mix stream\n"
            "copy: 2.00 us, 4000 GB/s (median of 1 samples, 2.00 to 2.00 at 95 %, noise 0.0 %)\n"
            "stream: 2.00 us, 2500 GB/s (median of 1 samples, 2.00 to 2.00 at 95 %, noise 0.0 %)\n"
            "host: 0.50 us to launch the graph (median of 1 samples, 0.50 to 0.50 at 95 %, noise 0.0 %)\n"
            "apex: 8.00 us, 4.00 times the graph's\n"
            "cold: 3 sets of 4.00 MiB, 3.0 times the L2; every median is known to 1 % after 0.2 s\n");
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
