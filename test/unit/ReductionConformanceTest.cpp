//===- ReductionConformanceTest.cpp - red on vectors, on every device -----===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the conformance suite that adds vectors to global memory.
//
//===----------------------------------------------------------------------===//

#include "DeviceFactories.h"

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

/// k(to): every thread adds {1, 2, 0.5, -1} as f32 to to[0..3], and {1, 2} as bf16 to each of to[4..7].
constexpr const char *kReductionPtx = R"ptx(
.version 8.1
.target sm_90
.address_size 64

.visible .entry k(
  .param .u64 k_to
)
{
  .reg .b32 %r<8>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<4>;

  ld.param.u64 %rd1, [k_to];
  cvta.to.global.u64 %rd2, %rd1;
  mov.f32 %f1, 0f3F800000;
  mov.f32 %f2, 0f40000000;
  mov.f32 %f3, 0f3F000000;
  mov.f32 %f4, 0fBF800000;
  mov.b32 %r1, 0x40003F80;
  red.global.add.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};
  red.global.add.noftz.v4.bf16x2 [%rd2+16], {%r1, %r1, %r1, %r1};
  ret;
}
)ptx";

class ReductionConformance : public DeviceTest {};

TEST_P(ReductionConformance, VectorsAreAdded) {
  if (!device->info().hasClusters)
    GTEST_SKIP() << device->info().name << " adds no vectors";
  Result<std::unique_ptr<Module>> module = device->load(kReductionPtx);
  ASSERT_TRUE(module) << module.error();
  std::unique_ptr<DeviceBuffer> to = std::move(*device->allocate(32, "argument 'to'"));
  ASSERT_TRUE(device->fill(to->address(), 0, 32));
  Status status = stream->launch(**(*module)->kernel("k"), LaunchShape{2, 32, 0}, {{to->address(), 8}});
  if (status)
    status = stream->synchronize();
  ASSERT_TRUE(status) << status.error();
  std::vector<uint32_t> words(8);
  ASSERT_TRUE(device->download(words.data(), to->address(), 32));
  // 64, 128, 32 and -64; 64 and 128 as bf16.
  EXPECT_EQ(words, (std::vector<uint32_t>{0x42800000, 0x43000000, 0x42000000, 0xC2800000, 0x43004280, 0x43004280,
                                          0x43004280, 0x43004280}));
}

INSTANTIATE_TEST_SUITE_P(, ReductionConformance, testing::ValuesIn(deviceFactories()), factoryName);

} // namespace
