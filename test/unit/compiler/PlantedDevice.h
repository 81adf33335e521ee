//===- PlantedDevice.h - An emulator with times of our choice ---*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches run on the emulator, so that results are right or wrong for real;
// a clock goes on by what the test says that a launch takes. Replays of graphs
// only take their time.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_COMPILER_PLANTEDDEVICE_H
#define FASTNORM_TEST_UNIT_COMPILER_PLANTEDDEVICE_H

#include "runtime/Emulator/EmulatorDevice.h"

#include <atomic>
#include <functional>
#include <memory>

namespace fastnorm::test {

struct PlantedState {
  /// Microseconds of a launch. Asked once a launch that is run or captured; of noisy ones at each replay, too.
  std::function<double(const LaunchShape &)> cost = [](const LaunchShape &) { return 100.0; };
  /// Whether a launch leaves a wrong first element in its result.
  std::function<bool(const LaunchShape &)> isWrong;
  bool isNoisy = false;
  size_t resultArgument = 0; ///< which kernel argument is the address of the result
  /// Why a launch is refused; empty: it is not.
  std::function<std::string(const LaunchShape &)> refusal;
  /// After so many replays nothing works any more.
  int64_t replaysUntilLost = INT64_MAX;
  int64_t replays = 0;
  double clock = 0;
  std::atomic<int64_t> loads{0};

  Status checkAlive() const {
    if (replays >= replaysUntilLost)
      return Error{"the device was lost"};
    return {};
  }
};

class PlantedEvent : public Event {
public:
  explicit PlantedEvent(PlantedState &state) : state(state) {}
  Status record(Stream &) override {
    microseconds = state.clock;
    return state.checkAlive();
  }
  double microseconds = 0;

private:
  PlantedState &state;
};

class PlantedGraph : public Graph {
public:
  PlantedGraph(PlantedState &state, std::vector<LaunchShape> launches) : state(state), launches(std::move(launches)) {
    for (const LaunchShape &shape : this->launches)
      microseconds += state.cost(shape);
  }
  Status replay(Stream &) override {
    ++state.replays;
    if (state.isNoisy)
      microseconds = static_cast<double>(launches.size()) * state.cost(launches.front());
    state.clock += microseconds;
    return state.checkAlive();
  }

private:
  PlantedState &state;
  std::vector<LaunchShape> launches;
  double microseconds = 0;
};

class PlantedStream : public Stream {
public:
  PlantedStream(PlantedState &state, Device &inner, std::unique_ptr<Stream> stream)
      : state(state), inner(inner), stream(std::move(stream)) {}

  Status launch(Kernel &kernel, const LaunchShape &shape, const std::vector<KernelArgument> &arguments) override {
    if (Status alive = state.checkAlive(); !alive)
      return alive;
    if (std::string refusal = state.refusal ? state.refusal(shape) : ""; !refusal.empty())
      return Error{refusal};
    if (isCapturing) {
      captured.push_back(shape);
      return {};
    }
    state.clock += state.cost(shape);
    if (Status launched = stream->launch(kernel, shape, arguments); !launched)
      return launched;
    const unsigned char garbage[4] = {0x42, 0x42, 0x42, 0x42};
    if (state.isWrong && state.isWrong(shape))
      return inner.upload(arguments[state.resultArgument].bits, garbage, sizeof(garbage));
    return {};
  }
  Status synchronize() override { return state.checkAlive(); }

  bool isCapturing = false;
  std::vector<LaunchShape> captured;

private:
  PlantedState &state;
  Device &inner;
  std::unique_ptr<Stream> stream;
};

class PlantedDevice : public Device {
public:
  PlantedDevice() : emulator(createEmulatorDevice()), facts(emulator->info()) {
    facts.name = "planted";
    facts.isEmulator = false;
    // Two operand sets are enough.
    facts.l2Bytes = 0;
  }

  PlantedState state;

  const DeviceInfo &info() const override { return facts; }
  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t byteCount, std::string label) override {
    return emulator->allocate(byteCount, std::move(label));
  }
  Status upload(DeviceAddress destination, const void *source, size_t byteCount) override {
    return emulator->upload(destination, source, byteCount);
  }
  Status download(void *destination, DeviceAddress source, size_t byteCount) override {
    return emulator->download(destination, source, byteCount);
  }
  Status fill(DeviceAddress destination, uint8_t value, size_t byteCount) override {
    return emulator->fill(destination, value, byteCount);
  }
  Result<std::unique_ptr<Module>> load(std::string_view ptx) override {
    ++state.loads;
    return emulator->load(ptx);
  }
  Result<std::unique_ptr<Stream>> createStream() override {
    Result<std::unique_ptr<Stream>> stream = emulator->createStream();
    if (!stream)
      return stream;
    return std::unique_ptr<Stream>(new PlantedStream(state, *emulator, std::move(*stream)));
  }
  Status checkStream(StreamHandle stream) override { return emulator->checkStream(stream); }
  Status launch(StreamHandle stream, Kernel &kernel, const LaunchShape &shape,
                const std::vector<KernelArgument> &arguments) override {
    return emulator->launch(stream, kernel, shape, arguments);
  }
  Status checkAddress(DeviceAddress address) override { return emulator->checkAddress(address); }
  Result<std::unique_ptr<Event>> createEvent() override { return std::unique_ptr<Event>(new PlantedEvent(state)); }
  Result<double> elapsedMilliseconds(Event &start, Event &stop) override {
    return (static_cast<PlantedEvent &>(stop).microseconds - static_cast<PlantedEvent &>(start).microseconds) / 1000.0;
  }
  Status beginCapture(Stream &stream) override {
    static_cast<PlantedStream &>(stream).isCapturing = true;
    static_cast<PlantedStream &>(stream).captured.clear();
    return {};
  }
  Result<std::unique_ptr<Graph>> endCapture(Stream &stream) override {
    static_cast<PlantedStream &>(stream).isCapturing = false;
    return std::unique_ptr<Graph>(new PlantedGraph(state, static_cast<PlantedStream &>(stream).captured));
  }

private:
  std::unique_ptr<Device> emulator;
  DeviceInfo facts;
};

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_COMPILER_PLANTEDDEVICE_H
