//===- ClusterConformanceTest.cpp - Clusters and dependent launches -------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the conformance suite that needs a device with clusters.
//
//===----------------------------------------------------------------------===//

#include "ClusterPtx.h"
#include "DeviceFactories.h"

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

class ClusterConformance : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!device)
      return;
    if (!device->info().hasClusters)
      GTEST_SKIP() << device->info().name << " has no clusters";
    Result<std::unique_ptr<Module>> loaded = device->load(kClusterPtx);
    ASSERT_TRUE(loaded) << loaded.error();
    module = std::move(*loaded);
  }

  std::unique_ptr<DeviceBuffer> zeros(size_t count) {
    std::unique_ptr<DeviceBuffer> buffer = std::move(*device->allocate(count * 4, "argument 'to'"));
    EXPECT_TRUE(device->fill(buffer->address(), 0, count * 4));
    return buffer;
  }
  std::vector<uint32_t> download(const DeviceBuffer &buffer) {
    std::vector<uint32_t> values(buffer.byteCount() / 4);
    Status status = device->download(values.data(), buffer.address(), buffer.byteCount());
    EXPECT_TRUE(status) << status.error();
    return values;
  }
  Kernel &kernel(const char *name) { return **module->kernel(name); }

  /// The error of a launch and what it did, or nothing.
  std::string run(const char *name, const LaunchShape &shape, const std::vector<KernelArgument> &arguments) {
    Status status = stream->launch(kernel(name), shape, arguments);
    if (status)
      status = stream->synchronize();
    return status ? "" : status.error();
  }

  std::unique_ptr<Module> module;
};

TEST_P(ClusterConformance, SharedMemoryOfOtherCtasIsRead) {
  for (int64_t cluster : {1, 2, 4, 8}) {
    std::unique_ptr<DeviceBuffer> to = zeros(16 * 32);
    ASSERT_EQ(run("rotate", LaunchShape{16, 32, 0, cluster}, {{to->address(), 8}}), "");
    std::vector<uint32_t> values = download(*to);
    for (int64_t cta = 0; cta < 16; ++cta) {
      int64_t next = cta / cluster * cluster + (cta + 1) % cluster;
      ASSERT_EQ(values[static_cast<size_t>(32 * cta + 5)], 1000 * next + 5) << cluster;
    }
  }
}

TEST_P(ClusterConformance, ClustersOfSixteen) {
  std::unique_ptr<DeviceBuffer> to = zeros(32 * 32);
  ASSERT_EQ(run("rotate", LaunchShape{32, 32, 0, 16}, {{to->address(), 8}}), "");
  EXPECT_EQ(download(*to)[15 * 32], 0u);
  EXPECT_EQ(download(*to)[31 * 32], 16000u);
}

TEST_P(ClusterConformance, AsyncStoresArriveAtTheirMBarrier) {
  for (int64_t cluster : {2, 4, 8}) {
    std::unique_ptr<DeviceBuffer> to = zeros(64);
    ASSERT_EQ(run("sum_ranks", LaunchShape{64, 32, 0, cluster}, {{to->address(), 8}}), "");
    std::vector<uint32_t> values = download(*to);
    for (int64_t cta = 0; cta < 64; ++cta) {
      int64_t first = cta / cluster * cluster;
      ASSERT_EQ(values[static_cast<size_t>(cta)], cluster * first + cluster * (cluster - 1) / 2) << cluster;
    }
  }
}

TEST_P(ClusterConformance, ADependentLaunchSeesWhatItWaitedFor) {
  constexpr uint32_t count = 100000;
  std::unique_ptr<DeviceBuffer> between = zeros(count), to = zeros(count);
  LaunchShape shape{(count + 255) / 256, 256, 0};
  LaunchShape dependent = shape;
  dependent.dependent = true;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(device->fill(between->address(), 0, count * 4));
    ASSERT_TRUE(stream->launch(kernel("early"), shape, {{between->address(), 8}, {count, 4}}));
    ASSERT_EQ(run("late", dependent, {{between->address(), 8}, {to->address(), 8}, {count, 4}}), "");
    std::vector<uint32_t> values = download(*to);
    for (uint32_t index = 0; index < count; ++index)
      ASSERT_EQ(values[index], 2 * (index + 1));
  }
}

TEST_P(ClusterConformance, ClustersAndDependentLaunchesAreCaptured) {
  constexpr uint32_t count = 4096;
  std::unique_ptr<DeviceBuffer> between = zeros(count), to = zeros(count), rotated = zeros(16 * 32);
  LaunchShape dependent{16, 256, 0, 1, true};
  // What a capture must not do first is done by asking for facts.
  ASSERT_TRUE(kernel("rotate").facts(LaunchShape{16, 32, 0, 16}));
  ASSERT_TRUE(device->beginCapture(*stream));
  EXPECT_TRUE(stream->launch(kernel("early"), LaunchShape{16, 256, 0}, {{between->address(), 8}, {count, 4}}));
  EXPECT_TRUE(stream->launch(kernel("late"), dependent, {{between->address(), 8}, {to->address(), 8}, {count, 4}}));
  EXPECT_TRUE(stream->launch(kernel("rotate"), LaunchShape{16, 32, 0, 16}, {{rotated->address(), 8}}));
  Result<std::unique_ptr<Graph>> graph = device->endCapture(*stream);
  ASSERT_TRUE(graph) << graph.error();
  ASSERT_TRUE((*graph)->replay(*stream));
  ASSERT_TRUE((*graph)->replay(*stream));
  Status status = stream->synchronize();
  ASSERT_TRUE(status) << status.error();
  EXPECT_EQ(download(*to)[count - 1], 2 * count);
  EXPECT_EQ(download(*rotated)[0], 1000u);
}

TEST_P(ClusterConformance, ClustersThatCanNotBeAreRefusedAndTheDeviceStaysUsable) {
  std::unique_ptr<DeviceBuffer> to = zeros(1024 * 32);
  EXPECT_NE(run("rotate", LaunchShape{6, 32, 0, 4}, {{to->address(), 8}}), "");
  EXPECT_NE(run("rotate", LaunchShape{1024, 32, 0, 1024}, {{to->address(), 8}}), "");
  EXPECT_NE(run("rotate", LaunchShape{4, 32, 0, 0}, {{to->address(), 8}}), "");
  EXPECT_EQ(run("rotate", LaunchShape{4, 32, 0, 4}, {{to->address(), 8}}), "");
}

TEST_P(ClusterConformance, HardwareCountsActiveClusters) {
  Result<KernelFacts> facts = kernel("rotate").facts(LaunchShape{8, 32, 0, 8});
  ASSERT_TRUE(facts) << facts.error();
  EXPECT_EQ(facts->activeClusters.has_value(), !device->info().isEmulator);
  if (facts->activeClusters) {
    EXPECT_GE(*facts->activeClusters, device->info().multiprocessors / 16);
  }
  EXPECT_FALSE(kernel("rotate").facts(LaunchShape{8, 32, 0})->activeClusters);
}

INSTANTIATE_TEST_SUITE_P(, ClusterConformance, testing::ValuesIn(deviceFactories()), factoryName);

} // namespace
