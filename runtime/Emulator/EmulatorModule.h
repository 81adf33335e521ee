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

struct DeviceState {
  DeviceState(const EmulatorOptions &options, const DeviceInfo &info)
      : options(options), info(info), memory(uint64_t(info.memoryBytes)) {}

  const EmulatorOptions options;
  const DeviceInfo info;
  std::mutex mutex; ///< guards what follows, and lets one launch run at a time
  GlobalMemory memory;
  LaunchCounters counters;
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
  explicit EmulatorKernel(KernelProgram program) : program(std::move(program)) {}
  Result<KernelFacts> facts(const LaunchShape &shape) const override;

  const KernelProgram program;
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
