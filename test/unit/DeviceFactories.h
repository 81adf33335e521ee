//===- DeviceFactories.h - The devices that conformance tests --*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_DEVICEFACTORIES_H
#define FASTNORM_TEST_UNIT_DEVICEFACTORIES_H

#include "runtime/Cuda/CudaDevice.h"
#include "runtime/Device.h"
#include "runtime/Emulator/EmulatorDevice.h"

#include <gtest/gtest.h>

namespace fastnorm::test {

/// How to open a device; an error skips its tests with that reason.
struct DeviceFactory {
  const char *name;
  Result<std::unique_ptr<Device>> (*create)();
};

inline Result<std::unique_ptr<Device>> createHardware() { return createCudaDevice(0); }

inline std::vector<DeviceFactory> deviceFactories() {
  std::vector<DeviceFactory> factories;
  factories.push_back(
      {"Emulator", [] { return Result<std::unique_ptr<Device>>(createEmulatorDevice(EmulatorOptions())); }});
  factories.push_back({"Cuda", createHardware});
  return factories;
}

/// Opens the device of the parameter, or skips.
class DeviceTest : public testing::TestWithParam<DeviceFactory> {
protected:
  void SetUp() override {
    Result<std::unique_ptr<Device>> created = GetParam().create();
    if (!created)
      GTEST_SKIP() << created.error();
    device = std::move(*created);
    Result<std::unique_ptr<Stream>> newStream = device->createStream();
    ASSERT_TRUE(newStream) << newStream.error();
    stream = std::move(*newStream);
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
};

inline std::string factoryName(const testing::TestParamInfo<DeviceFactory> &info) { return info.param.name; }

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_DEVICEFACTORIES_H
