//===- NullDevice.h - A device on which nothing happens ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run costs on it is what a run costs beside the driver.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_NULLDEVICE_H
#define FASTNORM_TEST_UNIT_NULLDEVICE_H

#include "FakeDevice.h"

namespace fastnorm::test {

class NullDevice : public FakeDevice {
public:
  Status launch(StreamHandle, Kernel &, const LaunchShape &, const std::vector<KernelArgument> &) override {
    ++launches;
    return {};
  }
  Status checkAddress(DeviceAddress address) override {
    ++addressChecks;
    if (address == foreignAddress)
      return Error{"expected memory of this device, but got another's"};
    return {};
  }

  int64_t launches = 0;
  int64_t addressChecks = 0;
  DeviceAddress foreignAddress = 0;
};

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_NULLDEVICE_H
