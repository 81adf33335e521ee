//===- EmulatorModule.h - Loaded PTX and its launches -----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that buffers, modules and streams of one device share, and the
// checks a driver makes before a launch.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_EMULATORMODULE_H
#define FASTNORM_RUNTIME_EMULATOR_EMULATORMODULE_H

#include "Decoder.h"
#include "EmulatorDevice.h"
#include "Launch.h"

#include <memory>
#include <mutex>

namespace fastnorm::emulator {

/// 90 of "sm_90" and "sm_90a"; 0 for other text.
int chipNumber(const std::string &chip);

struct DeviceState {
  DeviceState(const EmulatorOptions &options, const DeviceInfo &info)
      : options(options), info(info), memory(uint64_t(info.memoryBytes)) {}

  const EmulatorOptions options;
  const DeviceInfo info;
  std::mutex mutex; ///< guards what follows, and lets one launch run at a time
  GlobalMemory memory;
  LaunchCounters counters;
  /// The first launch that a dependent one may overlap with; 0 after the host has waited.
  uint32_t overlapsFrom = 0;
};
using SharedState = std::shared_ptr<DeviceState>;

class EmulatorBuffer : public DeviceBuffer {
public:
  EmulatorBuffer(SharedState state, uint64_t start, size_t bytes)
      : state(std::move(state)), start(start), bytes(bytes) {}
  ~EmulatorBuffer() override;
  DeviceAddress address() const override { return start; }
  size_t byteCount() const override { return bytes; }

private:
  SharedState state;
  uint64_t start;
  size_t bytes;
};

class EmulatorKernel : public Kernel {
public:
  EmulatorKernel(KernelProgram program, bool hasClusters) : program(std::move(program)), hasClusters(hasClusters) {}
  Result<KernelFacts> facts(const LaunchShape &shape) const override;

  const KernelProgram program;
  const bool hasClusters; ///< of the device
};

/// A launch as a graph records it.
struct RecordedLaunch {
  EmulatorKernel *kernel = nullptr;
  LaunchShape shape;
  std::vector<KernelArgument> arguments;
};

/// What a driver would refuse: counts and sizes.
Status checkLaunch(const RecordedLaunch &launch);
/// Checks, then runs.
Status execute(DeviceState &state, const RecordedLaunch &launch);

/// Parses, decodes and places variables.
Result<std::unique_ptr<Module>> loadModule(const SharedState &state, std::string_view ptx);

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_EMULATORMODULE_H
