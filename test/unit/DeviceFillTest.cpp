//===- DeviceFillTest.cpp - Seeded data made on a device ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/DeviceFill.h"
#include "DeviceFactories.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace fastnorm;
using namespace fastnorm::test;

namespace {

class DeviceFillTest : public DeviceTest {
protected:
  /// What the device makes, and what stands behind it.
  std::vector<uint8_t> filled(const FillRole &role, DType dtype, int64_t count, size_t moreBytes) {
    Result<DeviceFill> fill = DeviceFill::create(*device);
    EXPECT_TRUE(fill) << (fill ? "" : fill.error());
    std::vector<uint8_t> bytes(static_cast<size_t>(count * byteWidth(dtype)) + moreBytes);
    auto buffer = device->allocate(bytes.size(), "x");
    if (!fill || !buffer)
      return {};
    EXPECT_TRUE(device->fill((*buffer)->address(), 0x5a, bytes.size()));
    Status status = fill->fill((*buffer)->address(), count, role, dtype, 7, "x");
    EXPECT_TRUE(status) << (status ? "" : status.error());
    EXPECT_TRUE(device->download(bytes.data(), (*buffer)->address(), bytes.size()));
    return bytes;
  }
};

TEST_P(DeviceFillTest, MakesTheBytesOfTheHost) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (const FillRole &role : {FillRole(), FillRole::normal(100, 0.01), FillRole::weight(0)}) {
      ASSERT_TRUE(DeviceFill::canFill(role, dtype));
      HostTensor host = *fillTensor(role, dtype, {1000}, 7, "x");
      std::vector<uint8_t> bytes = filled(role, dtype, 1000, 4);
      ASSERT_EQ(bytes.size(), host.byteCount() + 4);
      EXPECT_EQ(std::memcmp(bytes.data(), host.data(), host.byteCount()), 0) << name(dtype);
      // The last CTA stops at the last element.
      EXPECT_EQ(bytes[host.byteCount()], 0x5a);
    }
}

TEST_P(DeviceFillTest, ConstantsMayBeAnyValue) {
  for (double value : {-2.5, std::nan(""), HUGE_VAL}) {
    FillRole role{FillRole::Kind::Constant, value, 0.0, 0.0, std::nullopt};
    std::vector<uint8_t> bytes = filled(role, DType::F32, 3, 0);
    float last;
    ASSERT_EQ(bytes.size(), 12u);
    std::memcpy(&last, bytes.data() + 8, 4);
    EXPECT_TRUE(std::isnan(value) ? std::isnan(last) : last == static_cast<float>(value)) << value;
  }
}

TEST_P(DeviceFillTest, IndicesAndGatesAreTheHosts) {
  EXPECT_FALSE(DeviceFill::canFill(FillRole::indices(), DType::I64));
  EXPECT_FALSE(DeviceFill::canFill(FillRole::gate(), DType::F32));
  EXPECT_FALSE(DeviceFill::canFill(FillRole(), DType::I8));
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceFillTest, testing::ValuesIn(deviceFactories()), factoryName);

} // namespace
