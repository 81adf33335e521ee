//===- AsyncCopyConformanceTest.cpp - Rings on every device ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the conformance suite that copies asynchronously.
//
//===----------------------------------------------------------------------===//

#include "AsyncCopyPtx.h"
#include "DeviceFactories.h"
#include "RingPtx.h"

#include <numeric>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

class AsyncCopyConformance : public DeviceTest {
protected:
  /// What kernel @k makes of 6 rows of 64 words for each CTA, which count up.
  std::vector<uint32_t> run(const char *ptx, int64_t grid, int64_t cluster = 1) {
    Result<std::unique_ptr<Module>> module = device->load(ptx);
    EXPECT_TRUE(module) << (module ? "" : module.error());
    if (!module)
      return {};
    std::vector<uint32_t> values(size_t(grid) * 6 * 64);
    std::iota(values.begin(), values.end(), 0u);
    const size_t bytes = values.size() * 4;
    std::unique_ptr<DeviceBuffer> from = std::move(*device->allocate(bytes, "argument 'from'"));
    std::unique_ptr<DeviceBuffer> to = std::move(*device->allocate(bytes, "argument 'to'"));
    EXPECT_TRUE(device->upload(from->address(), values.data(), bytes));
    Status status = stream->launch(**(*module)->kernel("k"), LaunchShape{grid, 64, 0, cluster},
                                   {{from->address(), 8}, {to->address(), 8}});
    if (status)
      status = stream->synchronize();
    EXPECT_TRUE(status) << (status ? "" : status.error());
    EXPECT_TRUE(device->download(values.data(), to->address(), bytes));
    return values;
  }
};

TEST_P(AsyncCopyConformance, CpAsyncInTwoStages) {
  std::vector<uint32_t> words = run(kCpAsyncPtx, 1);
  for (uint32_t i = 0; i < words.size(); ++i)
    ASSERT_EQ(words[i], i / 64 * 128 + i % 64 + (i + 1) % 64) << i;
}

class BulkCopyConformance : public AsyncCopyConformance {
protected:
  void SetUp() override {
    AsyncCopyConformance::SetUp();
    if (device && !device->info().hasClusters)
      GTEST_SKIP() << device->info().name << " has no bulk copies";
  }
};

TEST_P(BulkCopyConformance, ARingInAndOut) {
  std::vector<uint32_t> words = run(kRingPtx, 64);
  // CTA c of 64 has the rows c, c + 64, …
  for (uint32_t i = 0; i < words.size(); ++i)
    ASSERT_EQ(words[i], i / 64 * 128 + i % 64 + (i + 1) % 64) << i;
}

TEST_P(BulkCopyConformance, ARingRefilledAfterABarrierOrAnMBarrier) {
  for (const char *ptx : {kReadRingPtx, kEmptyRingPtx}) {
    std::vector<uint32_t> words = run(ptx, 1);
    for (uint32_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(words[i], i);
  }
}

TEST_P(BulkCopyConformance, ARingOverACluster) {
  // 4 rows of 128 words, by one cluster; the rest is not written.
  std::vector<uint32_t> words = run(kClusterRingPtx, 2, 2);
  for (uint32_t i = 0; i < 4 * 128; ++i)
    ASSERT_EQ(words[i], i + i / 128 * 128 * 128 + 127 * 64) << i;
}

INSTANTIATE_TEST_SUITE_P(, AsyncCopyConformance, testing::ValuesIn(deviceFactories()), factoryName);
INSTANTIATE_TEST_SUITE_P(, BulkCopyConformance, testing::ValuesIn(deviceFactories()), factoryName);

} // namespace
