//===- EmulatorDevice.h - A Device that executes PTX on the CPU -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the very PTX that hardware would load, and reports what hardware lets
// pass: out-of-bounds and uninitialized accesses, races between barriers,
// divergent barriers. It does not model time.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_EMULATORDEVICE_H
#define FASTNORM_RUNTIME_EMULATOR_EMULATORDEVICE_H

#include "runtime/Device.h"

#include <cstdint>
#include <memory>
#include <string>

namespace fastnorm {

struct EmulatorOptions {
  /// Orders the warps of a CTA and the CTAs of a cluster: 0 is the natural order, any other seed gives each a random
  /// priority.
  uint64_t seed = 0;
  /// Clusters run on this many host threads; 0 for all cores.
  unsigned hostThreads = 0;
  /// PTX for later chips is refused, as a driver would.
  std::string chip = "sm_90";
  /// Report accesses that no barrier orders, in shared memory between warps and in global memory between CTAs.
  bool checkRaces = true;
  /// A warp that runs longer is taken to be in an endless loop.
  uint64_t maxWarpInstructions = uint64_t(1) << 30;
};

/// Launches run before launch() returns, which therefore reports what the kernel did wrong; synchronize() has nothing
/// left to wait for. Safe to use from several threads, one launch at a time.
std::unique_ptr<Device> createEmulatorDevice(const EmulatorOptions &options = {});

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_EMULATOR_EMULATORDEVICE_H
