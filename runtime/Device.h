//===- Device.h - The seam between plans and hardware -----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Device allocates memory, loads PTX and launches kernels. Two drivers
// implement it, Cuda and Emulator, and one conformance suite tests both.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_DEVICE_H
#define FASTNORM_RUNTIME_DEVICE_H

#include "fastnorm/Support/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fastnorm {

/// An address in device memory, as kernels see it.
using DeviceAddress = uint64_t;

/// A stream that other code of the process made: on CUDA a CUstream, where null is the default stream; the emulator has
/// only null.
using StreamHandle = void *;

struct DeviceInfo {
  std::string name; ///< "NVIDIA H200", "emulator"
  std::string chip; ///< "sm_90"; what PTX is compiled for
  bool isEmulator = false;
  int ordinal = 0;                ///< the number of the CUDA device
  bool reachesHostMemory = false; ///< kernels may use the address of any host memory
  int64_t multiprocessors = 0;
  int64_t registersPerMultiprocessor = 0;
  int64_t maxThreadsPerMultiprocessor = 0;
  int64_t maxSharedBytesPerCta = 0;
  bool hasClusters = false; ///< launches clusters and dependent launches: sm_90 and newer
  int64_t l2Bytes = 0;
  int64_t memoryBytes = 0; ///< total global memory
  /// What the memory's clock and bus could move at most, and the highest clock of the multiprocessors; 0: not known.
  double memoryBytesPerSecond = 0.0;
  double clockHertz = 0.0;
  std::string driver; ///< driver version as text; empty on the emulator
  std::string busId;  ///< of a CUDA device, by which other libraries know it: "0000:3b:00.0"
};

/// Owns device memory; frees it when destroyed. Movable.
class DeviceBuffer {
public:
  virtual ~DeviceBuffer() = default;
  virtual DeviceAddress address() const = 0;
  virtual size_t byteCount() const = 0;
};

/// What is known of a loaded kernel; for the kernel table.
struct KernelFacts {
  std::optional<int64_t> registers; ///< per thread; not known on the emulator
  int64_t staticSharedBytes = 0;
  std::optional<int64_t> spillBytes;            ///< local memory per thread; not known on the emulator
  std::optional<int64_t> ctasPerMultiprocessor; ///< resident at the given CTA size; not known on the emulator
  std::optional<int64_t> activeClusters;        ///< resident on the device; only where the shape has a cluster
};

struct LaunchShape {
  int64_t grid = 1;    ///< CTAs, a multiple of `cluster`
  int64_t threads = 1; ///< per CTA
  int64_t dynamicSharedBytes = 0;
  int64_t cluster = 1; ///< CTAs per cluster; more than 1 needs a device that has clusters
  /// The kernel may start before what precedes it on the stream has ended; it waits by itself. A device without
  /// dependent launches runs them in order.
  bool dependent = false;
};

/// A .entry of a loaded module. Lives as long as its Module.
class Kernel {
public:
  virtual ~Kernel() = default;
  /// The grid of the shape is not looked at.
  virtual Result<KernelFacts> facts(const LaunchShape &shape) const = 0;
};

/// Loaded PTX.
class Module {
public:
  virtual ~Module() = default;
  /// An error names the kernels the module has.
  virtual Result<Kernel *> kernel(std::string_view name) = 0;
};

/// The bytes of one kernel argument; its size must be what the kernel's .param says.
struct KernelArgument {
  uint64_t bits = 0;
  int64_t byteCount = 8; ///< 4 or 8
};

/// An order of work. Work on one stream runs in order.
class Stream {
public:
  virtual ~Stream() = default;
  virtual Status launch(Kernel &kernel, const LaunchShape &shape, const std::vector<KernelArgument> &arguments) = 0;
  /// Waits for all work; reports what a kernel did wrong since the last call.
  virtual Status synchronize() = 0;
};

/// A recorded sequence of launches that replays at the lowest host cost.
class Graph {
public:
  virtual ~Graph() = default;
  virtual Status replay(Stream &stream) = 0;
};

/// A point in a stream's order.
class Event {
public:
  virtual ~Event() = default;
  virtual Status record(Stream &stream) = 0;
};

/// While it lives, a profiler records.
class ProfileRange {
public:
  virtual ~ProfileRange() = default;
};

/// What the emulator counts over all launches since the last reset; summed over threads unless said otherwise.
struct LaunchCounters {
  uint64_t warpInstructions = 0; ///< instructions issued, one per warp
  uint64_t globalLoads = 0;      ///< warp-level load instructions
  uint64_t globalStores = 0;
  uint64_t globalLoadBytes = 0; ///< bytes requested by active lanes
  uint64_t globalStoreBytes = 0;
  uint64_t barriers = 0; ///< barrier arrivals, one per warp
};

/// Work after a failed launch or synchronize starts afresh where the hardware allows it: one bad kernel does not
/// poison the next on the emulator; on CUDA a sticky error is reported as such.
class Device {
public:
  virtual ~Device() = default;
  virtual const DeviceInfo &info() const = 0;

  /// `label` names the buffer in messages ("argument 'residual'"). 256-byte aligned. Zero bytes are allowed.
  virtual Result<std::unique_ptr<DeviceBuffer>> allocate(size_t byteCount, std::string label) = 0;
  /// Synchronous copies and fills.
  virtual Status upload(DeviceAddress destination, const void *source, size_t byteCount) = 0;
  virtual Status download(void *destination, DeviceAddress source, size_t byteCount) = 0;
  virtual Status fill(DeviceAddress destination, uint8_t value, size_t byteCount) = 0;

  /// An error carries the JIT log or the parser's message with its PTX line.
  virtual Result<std::unique_ptr<Module>> load(std::string_view ptx) = 0;

  virtual Result<std::unique_ptr<Stream>> createStream() = 0;

  /// An error where the stream is not of this device's context.
  virtual Status checkStream(StreamHandle stream) = 0;
  /// Launches on a stream that other code made, whose errors are for that code to find. May be called from any thread.
  virtual Status launch(StreamHandle stream, Kernel &kernel, const LaunchShape &shape,
                        const std::vector<KernelArgument> &arguments) = 0;
  /// An error where kernels can't use that address.
  virtual Status checkAddress(DeviceAddress address) = 0;

  virtual Result<std::unique_ptr<Event>> createEvent() = 0;
  /// Milliseconds between two recorded events. The emulator refuses: it does not model time.
  virtual Result<double> elapsedMilliseconds(Event &start, Event &stop) = 0;

  /// Launches between begin and end are recorded, not run.
  virtual Status beginCapture(Stream &stream) = 0;
  virtual Result<std::unique_ptr<Graph>> endCapture(Stream &stream) = 0;

  /// Tells a profiler that what follows is what it is for, under a name. An error where nothing can be profiled.
  virtual Result<std::unique_ptr<ProfileRange>> beginProfile(const std::string &name) {
    return Error{"expected a CUDA device to profile '" + name + "' on, but got the " + info().name +
                 ", which does not model time"};
  }

  /// Counts of the emulator; nothing on hardware.
  virtual std::optional<LaunchCounters> takeCounters() { return std::nullopt; }
};

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_DEVICE_H
