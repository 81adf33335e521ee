//===- Driver.h - The CUDA driver library, loaded at run time ---*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points are members called like functions. Each call returns its result
// together with its name, so that no failure loses where it came from.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CUDA_DRIVER_H
#define FASTNORM_RUNTIME_CUDA_DRIVER_H

#include "fastnorm/Support/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace fastnorm::cuda {

// The driver's types, as its binary interface has them.
using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;

/// One of the properties that cuLaunchKernelEx takes beside the shape. The value has the width of the driver's union.
struct CUlaunchAttribute {
  enum class Id : int { ClusterDimension = 4, ProgrammaticStreamSerialization = 6 };
  Id id;
  alignas(8) unsigned value[16] = {};
};

struct CUlaunchConfig {
  unsigned grid[3] = {1, 1, 1};
  unsigned threads[3] = {1, 1, 1};
  unsigned sharedBytes = 0;
  CUstream stream = nullptr;
  CUlaunchAttribute *attributes = nullptr;
  unsigned attributeCount = 0;
};

enum class DeviceAttribute : int {
  ClockKilohertz = 13,
  MultiprocessorCount = 16,
  MemoryClockKilohertz = 36,
  MemoryBusBits = 37,
  L2Bytes = 38,
  MaxThreadsPerMultiprocessor = 39,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxRegistersPerMultiprocessor = 82,
  PageableMemoryAccess = 88,
  MaxSharedBytesPerCtaOptIn = 97,
  ClusterLaunch = 120,
};

enum class PointerAttribute : int { MemoryType = 2, IsManaged = 8, DeviceOrdinal = 9 };
enum class MemoryType : unsigned { Host = 1, Device = 2, Array = 3, Unified = 4 };

enum class FunctionAttribute : int {
  SharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
  NonPortableClusterSizeAllowed = 14,
};

enum class JitOption : int {
  InfoLogBuffer = 3,
  InfoLogBytes = 4,
  ErrorLogBuffer = 5,
  ErrorLogBytes = 6,
};

enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };

inline constexpr CUresult kNotFound = 500;
/// The stream does not wait for the default stream of other code in the process.
inline constexpr unsigned kStreamNonBlocking = 1;

/// What a call returned, and which call it was.
struct CallResult {
  CUresult code = 0;
  const char *entryPoint = "";

  bool failed() const { return code != 0; }
};

template <typename... Parameters> class EntryPoint {
public:
  explicit EntryPoint(const char *name) : name(name) {}

  bool isPresent() const { return function != nullptr; }
#ifdef __clang__
  // The library is C and has types of its own for handles and enumerations; they agree in binary, not by name.
  __attribute__((no_sanitize("function")))
#endif
  CallResult operator()(Parameters... parameters) const {
    return {function(parameters...), name};
  }

private:
  friend class Driver;
  const char *name;
  CUresult (*function)(Parameters...) = nullptr;
};

class Driver {
public:
  /// Opens the library and finds every entry point. It stays open until the process ends: the driver has threads.
  static Result<std::shared_ptr<const Driver>> load(const std::string &library);

  /// "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY: out of memory (argument 'x', 4096 bytes)".
  Error explain(const CallResult &result, const std::string &context = "") const;

  /// "CUDA_ERROR_OUT_OF_MEMORY: out of memory".
  std::string describe(CUresult code) const;

#define FASTNORM_CUDA(name, symbol, ...) EntryPoint<__VA_ARGS__> name{#name};
#include "runtime/Cuda/Driver.def"

private:
  Driver() = default;
};

} // namespace fastnorm::cuda

#endif // FASTNORM_RUNTIME_CUDA_DRIVER_H
