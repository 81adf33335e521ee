//===- Compatibility.h - Whether a plan can run on a device -----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CAPI_COMPATIBILITY_H
#define FASTNORM_RUNTIME_CAPI_COMPATIBILITY_H

#include "fastnorm/Plan/Plan.h"
#include "runtime/Device.h"

namespace fastnorm::capi {

/// An error where the device is older than the chip the plan was compiled for, or another where the plan's code is for
/// one chip alone ("sm_90a").
Status checkChip(const Plan &plan, const DeviceInfo &device);

/// An error where the driver is older than what reads the PTX version of the plan's code.
Status checkDriver(const Plan &plan, const DeviceInfo &device);

} // namespace fastnorm::capi

#endif // FASTNORM_RUNTIME_CAPI_COMPATIBILITY_H
