//===- Nvml.cpp - The management library, loaded at run time --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench/Nvml.h"

#include <algorithm>
#include <array>
#include <utility>

#include <dlfcn.h>

namespace fastnorm {

namespace {

// The library's types, as its binary interface has them.
using NvmlDevice = struct NvmlDeviceHandle *;
enum class NvmlClock : int { Multiprocessors = 1, Memory = 2 };
struct NvmlProcess {
  unsigned pid;
  unsigned long long usedBytes;
  unsigned gpuInstance;
  unsigned computeInstance;
};

/// An entry point that may be missing; then every call fails.
template <typename... Parameters> struct NvmlEntryPoint {
  int (*function)(Parameters...) = nullptr;

#ifdef __clang__
  // The library is C and has types of its own for handles and enumerations; they agree in binary, not by name.
  __attribute__((no_sanitize("function")))
#endif
  bool succeeds(Parameters... parameters) const {
    return function && function(parameters...) == 0;
  }
};

struct Slowdown {
  unsigned long long bit;
  const char *name;
};
/// That the device is idle, 0x1, is no slowdown.
constexpr Slowdown kSlowdowns[] = {
    {0x2, "clocks set by a user"}, {0x4, "power cap"},         {0x8, "hardware slowdown"}, {0x10, "sync boost"},
    {0x20, "software thermal"},    {0x40, "hardware thermal"}, {0x80, "power brake"},      {0x100, "display clocks"},
};

} // namespace

struct Nvml::Library {
#define FASTNORM_NVML(name, symbol, ...) NvmlEntryPoint<__VA_ARGS__> name;
#include "runtime/Bench/Nvml.def"
  NvmlDevice device = nullptr;
  std::string driver;

  std::optional<int64_t> clockOf(NvmlClock which) const { return figure(clock, which); }
  std::optional<int64_t> maxClockOf(NvmlClock which) const { return figure(maxClock, which); }

  template <typename EntryPoint, typename... Which>
  std::optional<int64_t> figure(const EntryPoint &entryPoint, Which... which) const {
    unsigned value = 0;
    if (!entryPoint.succeeds(device, which..., &value))
      return std::nullopt;
    return static_cast<int64_t>(value);
  }
  std::vector<std::string> readSlowdowns() const;
  std::optional<int64_t> countOtherProcesses() const;
};

Nvml::Nvml(std::unique_ptr<Library> library) : library(std::move(library)) {}
Nvml::Nvml(Nvml &&) = default;
Nvml &Nvml::operator=(Nvml &&) = default;

Nvml::~Nvml() {
  if (library)
    (void)library->shutdown.succeeds();
}

Result<Nvml> Nvml::open(const std::string &busId, const std::string &libraryName) {
  if (busId.empty())
    return Error{"the driver does not say where the device is"};
  void *handle = dlopen(libraryName.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return Error{"the management library can't be loaded (" + std::string(reason ? reason : libraryName) + ")"};
  }
  auto library = std::make_unique<Library>();
#define FASTNORM_NVML(name, symbol, ...)                                                                               \
  library->name.function = reinterpret_cast<decltype(library->name.function)>(dlsym(handle, symbol));
#include "runtime/Bench/Nvml.def"
  if (!library->init.succeeds())
    return Error{libraryName + " does not start: nvmlInit_v2 is missing or failed"};
  // From here on, the destructor ends it.
  Nvml nvml(std::move(library));
  if (!nvml.library->handleByBusId.succeeds(busId.c_str(), &nvml.library->device))
    return Error{libraryName + " does not find device " + busId};
  std::array<char, 96> text{};
  if (nvml.library->driverVersion.succeeds(text.data(), static_cast<unsigned>(text.size() - 1)))
    nvml.library->driver = text.data();
  return nvml;
}

std::vector<std::string> Nvml::Library::readSlowdowns() const {
  unsigned long long bits = 0;
  std::vector<std::string> names;
  if (slowdowns.succeeds(device, &bits))
    for (const Slowdown &slowdown : kSlowdowns)
      if (bits & slowdown.bit)
        names.emplace_back(slowdown.name);
  return names;
}

std::optional<int64_t> Nvml::Library::countOtherProcesses() const {
  std::array<NvmlProcess, 64> found{};
  unsigned count = static_cast<unsigned>(found.size());
  if (!processes.succeeds(device, &count, found.data()))
    return std::nullopt;
  // One of those listed is ours, though in a container it may have another number there.
  return std::max<int64_t>(0, static_cast<int64_t>(count) - 1);
}

DeviceReading Nvml::read() const {
  DeviceReading reading;
  reading.driver = library->driver;
  reading.clockMegahertz = library->clockOf(NvmlClock::Multiprocessors);
  reading.maxClockMegahertz = library->maxClockOf(NvmlClock::Multiprocessors);
  reading.memoryClockMegahertz = library->clockOf(NvmlClock::Memory);
  reading.maxMemoryClockMegahertz = library->maxClockOf(NvmlClock::Memory);
  if (std::optional<int64_t> milliwatts = library->figure(library->power))
    reading.watts = static_cast<double>(*milliwatts) / 1000.0;
  if (std::optional<int64_t> milliwatts = library->figure(library->powerLimit))
    reading.limitWatts = static_cast<double>(*milliwatts) / 1000.0;
  constexpr int kOfTheChip = 0;
  reading.celsius = library->figure(library->temperature, kOfTheChip);
  reading.slowdowns = library->readSlowdowns();
  reading.otherProcesses = library->countOtherProcesses();
  return reading;
}

} // namespace fastnorm
