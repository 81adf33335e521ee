//===- FakeDevice.h - A device whose kernels are C++ functions --*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory is host memory and kernels are lambdas, so the Executor and
// the Sampler are tested apart from any driver. Launches are recorded.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_FAKEDEVICE_H
#define FASTNORM_TEST_UNIT_FAKEDEVICE_H

#include "runtime/Device.h"

#include <cstring>
#include <functional>
#include <map>

namespace fastnorm::test {

using KernelBody = std::function<void(const LaunchShape &, const std::vector<KernelArgument> &)>;

struct FakeLaunch {
  std::string kernel;
  LaunchShape shape;
  std::vector<KernelArgument> arguments;
};

/// What all objects of a fake device share.
struct FakeState {
  std::map<std::string, KernelBody> bodies;
  std::map<std::string, double> microseconds; ///< how long a kernel takes on the fake clock; 1 by default
  std::vector<FakeLaunch> launches;           ///< run, not captured
  std::vector<std::string> allocations;       ///< labels, in order
  int64_t liveBytes = 0;
  int64_t modulesLoaded = 0;
  double clock = 0.0; ///< microseconds
  bool capturing = false;
  std::vector<FakeLaunch> captured;
  std::string launchError;      ///< a launch fails with it
  std::string synchronizeError; ///< synchronize fails with it

  void run(const FakeLaunch &launch) {
    launches.push_back(launch);
    auto time = microseconds.find(launch.kernel);
    clock += time == microseconds.end() ? 1.0 : time->second;
    if (auto body = bodies.find(launch.kernel); body != bodies.end())
      body->second(launch.shape, launch.arguments);
  }
};

class FakeBuffer : public DeviceBuffer {
public:
  FakeBuffer(FakeState &state, size_t bytes) : state(state), bytes(bytes), storage(bytes + 256) {
    state.liveBytes += static_cast<int64_t>(bytes);
  }
  ~FakeBuffer() override { state.liveBytes -= static_cast<int64_t>(bytes); }
  DeviceAddress address() const override { return (reinterpret_cast<DeviceAddress>(storage.data()) + 255) / 256 * 256; }
  size_t byteCount() const override { return bytes; }

private:
  FakeState &state;
  size_t bytes;
  std::vector<std::byte> storage;
};

class FakeKernel : public Kernel {
public:
  explicit FakeKernel(std::string name) : name(std::move(name)) {}
  Result<KernelFacts> facts(const LaunchShape &shape) const override {
    return KernelFacts{40, 16, 0, 2048 / shape.threads, std::nullopt};
  }
  const std::string name;
};

/// "Loads" text: the word after each ".entry" is a kernel.
class FakeModule : public Module {
public:
  explicit FakeModule(std::string_view ptx) {
    for (size_t at = ptx.find(".entry "); at != std::string_view::npos; at = ptx.find(".entry ", at + 1)) {
      std::string_view rest = ptx.substr(at + 7);
      std::string name(rest.substr(0, rest.find('(')));
      kernels.emplace(name, std::make_unique<FakeKernel>(name));
    }
  }
  Result<Kernel *> kernel(std::string_view name) override {
    auto found = kernels.find(std::string(name));
    if (found == kernels.end())
      return Error{"no kernel @" + std::string(name)};
    return found->second.get();
  }

private:
  std::map<std::string, std::unique_ptr<FakeKernel>> kernels;
};

class FakeStream : public Stream {
public:
  explicit FakeStream(FakeState &state) : state(state) {}
  Status launch(Kernel &kernel, const LaunchShape &shape, const std::vector<KernelArgument> &arguments) override {
    if (!state.launchError.empty())
      return Error{state.launchError};
    FakeLaunch launch{static_cast<FakeKernel &>(kernel).name, shape, arguments};
    if (state.capturing)
      state.captured.push_back(launch);
    else
      state.run(launch);
    return {};
  }
  Status synchronize() override {
    if (!state.synchronizeError.empty())
      return Error{state.synchronizeError};
    return {};
  }

private:
  FakeState &state;
};

class FakeGraph : public Graph {
public:
  FakeGraph(FakeState &state, std::vector<FakeLaunch> launches) : state(state), launches(std::move(launches)) {}
  Status replay(Stream &) override {
    for (const FakeLaunch &launch : launches)
      state.run(launch);
    return {};
  }

private:
  FakeState &state;
  std::vector<FakeLaunch> launches;
};

class FakeEvent : public Event {
public:
  explicit FakeEvent(FakeState &state) : state(state) {}
  Status record(Stream &) override {
    microseconds = state.clock;
    return {};
  }
  double microseconds = 0.0;

private:
  FakeState &state;
};

class FakeDevice : public Device {
public:
  FakeDevice() {
    facts.name = "fake";
    facts.chip = "sm_90";
    facts.maxThreadsPerMultiprocessor = 2048;
    facts.l2Bytes = 1000;
  }

  FakeState state;
  DeviceInfo facts;

  const DeviceInfo &info() const override { return facts; }
  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t byteCount, std::string label) override {
    state.allocations.push_back(std::move(label));
    return std::unique_ptr<DeviceBuffer>(new FakeBuffer(state, byteCount));
  }
  Status upload(DeviceAddress destination, const void *source, size_t byteCount) override {
    std::memcpy(reinterpret_cast<void *>(destination), source, byteCount);
    return {};
  }
  Status download(void *destination, DeviceAddress source, size_t byteCount) override {
    std::memcpy(destination, reinterpret_cast<const void *>(source), byteCount);
    return {};
  }
  Status fill(DeviceAddress destination, uint8_t value, size_t byteCount) override {
    std::memset(reinterpret_cast<void *>(destination), value, byteCount);
    return {};
  }
  Result<std::unique_ptr<Module>> load(std::string_view ptx) override {
    if (ptx.find(".entry") == std::string_view::npos)
      return Error{"the text has no kernel"};
    ++state.modulesLoaded;
    return std::unique_ptr<Module>(new FakeModule(ptx));
  }
  Result<std::unique_ptr<Stream>> createStream() override { return std::unique_ptr<Stream>(new FakeStream(state)); }
  Status checkStream(StreamHandle stream) override {
    if (stream == &foreignStream)
      return Error{"expected a stream of the fake, but got another"};
    return {};
  }
  Status launch(StreamHandle, Kernel &kernel, const LaunchShape &shape,
                const std::vector<KernelArgument> &arguments) override {
    return FakeStream(state).launch(kernel, shape, arguments);
  }
  Status checkAddress(DeviceAddress) override { return {}; }
  int foreignStream = 0; ///< its address is a stream that checkStream refuses
  Result<std::unique_ptr<Event>> createEvent() override { return std::unique_ptr<Event>(new FakeEvent(state)); }
  Result<double> elapsedMilliseconds(Event &start, Event &stop) override {
    return (static_cast<FakeEvent &>(stop).microseconds - static_cast<FakeEvent &>(start).microseconds) / 1000.0;
  }
  Status beginCapture(Stream &) override {
    state.capturing = true;
    state.captured.clear();
    return {};
  }
  Result<std::unique_ptr<Graph>> endCapture(Stream &) override {
    state.capturing = false;
    return std::unique_ptr<Graph>(new FakeGraph(state, std::move(state.captured)));
  }
};

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_FAKEDEVICE_H
