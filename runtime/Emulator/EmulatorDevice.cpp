//===- EmulatorDevice.cpp - A Device that executes PTX on the CPU ---------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, graphs and copies. Work is done when it is asked for.
//
//===----------------------------------------------------------------------===//

#include "EmulatorDevice.h"

#include "EmulatorModule.h"

#include "fastnorm/Support/HostTensor.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fastnorm {

using namespace emulator;

namespace {

class EmulatorGraph : public Graph {
public:
  explicit EmulatorGraph(std::vector<RecordedLaunch> launches) : launches(std::move(launches)) {}
  Status replay(Stream &stream) override;

private:
  std::vector<RecordedLaunch> launches;
};

class EmulatorStream : public Stream {
public:
  explicit EmulatorStream(SharedState state) : state(std::move(state)) {}
  Status launch(Kernel &kernel, const LaunchShape &shape, const std::vector<KernelArgument> &arguments) override {
    return submit({static_cast<EmulatorKernel *>(&kernel), shape, arguments});
  }
  Status synchronize() override {
    if (capturing)
      return Error{"synchronize of a stream that is capturing is not possible; call endCapture first"};
    std::lock_guard<std::mutex> lock(state->mutex);
    state->overlapsFrom = 0;
    return {};
  }

  Status submit(const RecordedLaunch &launch);
  Status begin();
  Result<std::unique_ptr<Graph>> end();

private:
  SharedState state;
  bool capturing = false;
  std::vector<RecordedLaunch> recorded;
};

Status EmulatorStream::submit(const RecordedLaunch &launch) {
  if (!capturing)
    return execute(*state, launch);
  if (Status status = checkLaunch(launch); !status)
    return status;
  recorded.push_back(launch);
  return {};
}

Status EmulatorStream::begin() {
  if (capturing)
    return Error{"beginCapture expects a stream that is not capturing, but this one is"};
  capturing = true;
  return {};
}

Result<std::unique_ptr<Graph>> EmulatorStream::end() {
  if (!capturing)
    return Error{"endCapture expects a stream that is capturing, but this one is not"};
  capturing = false;
  return std::unique_ptr<Graph>(std::make_unique<EmulatorGraph>(std::exchange(recorded, {})));
}

Status EmulatorGraph::replay(Stream &stream) {
  for (const RecordedLaunch &launch : launches)
    if (Status status = static_cast<EmulatorStream &>(stream).submit(launch); !status)
      return status;
  return {};
}

class EmulatorEvent : public Event {
public:
  Status record(Stream &) override { return {}; }
};

class EmulatorDevice : public Device {
public:
  explicit EmulatorDevice(SharedState state) : state(std::move(state)) {}

  const DeviceInfo &info() const override { return state->info; }
  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t byteCount, std::string label) override;
  Status upload(DeviceAddress destination, const void *source, size_t byteCount) override;
  Status download(void *destination, DeviceAddress source, size_t byteCount) override;
  Status fill(DeviceAddress destination, uint8_t value, size_t byteCount) override;
  Result<std::unique_ptr<Module>> load(std::string_view ptx) override { return loadModule(state, ptx); }
  Result<std::unique_ptr<Stream>> createStream() override {
    return std::unique_ptr<Stream>(std::make_unique<EmulatorStream>(state));
  }
  Status checkStream(StreamHandle stream) override {
    if (stream)
      return Error{"expected no stream, because the emulator has none, but got one"};
    return {};
  }
  Status launch(StreamHandle, Kernel &kernel, const LaunchShape &shape,
                const std::vector<KernelArgument> &arguments) override {
    return execute(*state, {static_cast<EmulatorKernel *>(&kernel), shape, arguments});
  }
  Status checkAddress(DeviceAddress address) override;
  Result<std::unique_ptr<Event>> createEvent() override {
    return std::unique_ptr<Event>(std::make_unique<EmulatorEvent>());
  }
  Result<double> elapsedMilliseconds(Event &, Event &) override {
    return Error{"the emulator does not model time; measure on a GPU"};
  }
  Status beginCapture(Stream &stream) override { return static_cast<EmulatorStream &>(stream).begin(); }
  Result<std::unique_ptr<Graph>> endCapture(Stream &stream) override {
    return static_cast<EmulatorStream &>(stream).end();
  }
  std::optional<LaunchCounters> takeCounters() override;

private:
  SharedState state;
};

Result<std::unique_ptr<DeviceBuffer>> EmulatorDevice::allocate(size_t byteCount, std::string label) {
  std::lock_guard<std::mutex> lock(state->mutex);
  Result<uint64_t> address = state->memory.allocate(byteCount, std::move(label));
  if (!address)
    return address.takeError();
  return std::unique_ptr<DeviceBuffer>(std::make_unique<EmulatorBuffer>(state, *address, byteCount));
}

Status EmulatorDevice::checkAddress(DeviceAddress address) {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (state->memory.find(address))
    return {};
  return Error{"expected memory of the emulator, but got an address that it does not know"};
}

Status EmulatorDevice::upload(DeviceAddress destination, const void *source, size_t byteCount) {
  if (byteCount == 0)
    return {};
  std::lock_guard<std::mutex> lock(state->mutex);
  state->overlapsFrom = 0;
  Result<Allocation *> buffer = state->memory.checkHostRange(destination, byteCount, "upload");
  if (!buffer)
    return buffer.takeError();
  std::memcpy((*buffer)->at(destination), source, byteCount);
  (*buffer)->markWritten(destination - (*buffer)->address, byteCount);
  return {};
}

Status EmulatorDevice::download(void *destination, DeviceAddress source, size_t byteCount) {
  if (byteCount == 0)
    return {};
  std::lock_guard<std::mutex> lock(state->mutex);
  state->overlapsFrom = 0;
  Result<Allocation *> buffer = state->memory.checkHostRange(source, byteCount, "download");
  if (!buffer)
    return buffer.takeError();
  std::memcpy(destination, (*buffer)->at(source), byteCount);
  return {};
}

Status EmulatorDevice::fill(DeviceAddress destination, uint8_t value, size_t byteCount) {
  if (byteCount == 0)
    return {};
  std::lock_guard<std::mutex> lock(state->mutex);
  state->overlapsFrom = 0;
  Result<Allocation *> buffer = state->memory.checkHostRange(destination, byteCount, "fill");
  if (!buffer)
    return buffer.takeError();
  std::memset((*buffer)->at(destination), value, byteCount);
  (*buffer)->markWritten(destination - (*buffer)->address, byteCount);
  return {};
}

std::optional<LaunchCounters> EmulatorDevice::takeCounters() {
  std::lock_guard<std::mutex> lock(state->mutex);
  return std::exchange(state->counters, {});
}

} // namespace

std::unique_ptr<Device> createEmulatorDevice(const EmulatorOptions &options) {
  // The sizes of an H200, so that schedules chosen for one run here; of memory, no more than the host has: a byte takes
  // up to 3.2 bytes with what is known of it, and one more where the host reads or writes it.
  DeviceInfo info;
  info.name = "emulator";
  info.chip = options.chip;
  info.isEmulator = true;
  info.multiprocessors = 132;
  info.registersPerMultiprocessor = 65536;
  info.maxThreadsPerMultiprocessor = 2048;
  info.maxSharedBytesPerCta = int64_t(maxSharedBytesPerCta);
  info.hasClusters = chipNumber(options.chip) >= 90;
  info.l2Bytes = int64_t(60) << 20;
  info.memoryBytes = std::min(int64_t(141) << 30, availableMemoryBytes() / 5);
  return std::make_unique<EmulatorDevice>(std::make_shared<DeviceState>(options, info));
}

} // namespace fastnorm
