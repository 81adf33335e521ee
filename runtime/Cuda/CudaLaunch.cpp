//===- CudaLaunch.cpp - One kernel onto one stream ------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/CudaLaunch.h"

#include "runtime/Cuda/LaunchConfig.h"

#include <array>
#include <limits>

namespace fastnorm::cuda {

namespace {

/// PTX allows 4352 bytes of parameters on older chips; no kernel here comes near this count.
constexpr size_t kMaxArguments = 512;

/// Whether the numbers fit the driver's types; whether the device takes them is the driver's to say.
bool isLaunchable(const LaunchShape &shape) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  return shape.grid >= 1 && shape.grid <= kMost && shape.threads >= 1 && shape.threads <= kMost &&
         shape.dynamicSharedBytes >= 0 && shape.dynamicSharedBytes <= kMost && shape.cluster >= 1 &&
         shape.grid % shape.cluster == 0;
}

CallResult submit(const CudaContext &context, CUstream stream, CUfunction function, const LaunchShape &shape,
                  void **arguments) {
  const Driver &driver = context.driver();
  LaunchShape possible = shape;
  // In order is a right way to run a dependent launch, and the only one of older devices and drivers.
  possible.dependent &= context.hasClusters() && driver.cuLaunchKernelEx.isPresent();
  if (possible.cluster > 1 || possible.dependent)
    return driver.cuLaunchKernelEx(LaunchConfig(possible, stream).get(), function, arguments, nullptr);
  return driver.cuLaunchKernel(function, static_cast<unsigned>(shape.grid), 1, 1, static_cast<unsigned>(shape.threads),
                               1, 1, static_cast<unsigned>(shape.dynamicSharedBytes), stream, arguments, nullptr);
}

/// Handles up to this one mean a default stream: null, the legacy one, the one of each thread.
constexpr uintptr_t kLastDefaultStream = 2;

} // namespace

Status launchKernel(const CudaContext &context, CUstream stream, const CudaKernel &kernel, const LaunchShape &shape,
                    const std::vector<KernelArgument> &arguments) {
  if (!isLaunchable(shape) || arguments.size() > kMaxArguments)
    return Error{"expected a grid and a CTA of 1 to 2147483647, whole clusters, and at most " +
                 std::to_string(kMaxArguments) + " arguments, but got " + describeLaunch(*kernel.sharedName(), shape) +
                 ", " + std::to_string(arguments.size()) + " arguments"};
  if (Status status = kernel.checkArguments(arguments); !status)
    return status;
  ContextScope scope(context);
  if (Status status = scope.status(); !status)
    return status;
  if (Status status = kernel.allow(shape); !status)
    return status;
  // The driver reads as many bytes as the parameter has from where each pointer points: little-endian, the low ones.
  std::array<void *, kMaxArguments> pointers;
  for (size_t index = 0; index < arguments.size(); ++index)
    pointers[index] = const_cast<uint64_t *>(&arguments[index].bits);
  CallResult result = submit(context, stream, kernel.handle(), shape, pointers.data());
  if (result.failed())
    return context.driver().explain(result, describeLaunch(*kernel.sharedName(), shape));
  return {};
}

Status checkStreamContext(const CudaContext &context, CUstream stream) {
  if (reinterpret_cast<uintptr_t>(stream) <= kLastDefaultStream)
    return {};
  CUcontext owner = nullptr;
  if (CallResult result = context.driver().cuStreamGetCtx(stream, &owner); result.failed())
    return context.driver().explain(result, "the stream that was given");
  if (owner == context.handle())
    return {};
  return Error{"expected a stream of the primary context of the device that the plan was prepared on, but got one of "
               "another context"};
}

Status checkKernelAddress(const CudaContext &context, const DeviceInfo &device, DeviceAddress address) {
  const Driver &driver = context.driver();
  unsigned memoryType = 0;
  int owner = device.ordinal, isManaged = 0;
  if (driver.cuPointerGetAttribute(&memoryType, PointerAttribute::MemoryType, address).failed()) {
    if (device.reachesHostMemory)
      return {};
    return Error{"expected device memory, or host memory that the CUDA driver knows, but got an address that it does "
                 "not know"};
  }
  if (static_cast<MemoryType>(memoryType) == MemoryType::Host)
    return {};
  CallResult result = driver.cuPointerGetAttribute(&owner, PointerAttribute::DeviceOrdinal, address);
  if (!result.failed() && owner != device.ordinal)
    result = driver.cuPointerGetAttribute(&isManaged, PointerAttribute::IsManaged, address);
  if (result.failed())
    return driver.explain(result);
  if (owner == device.ordinal || isManaged)
    return {};
  return Error{"expected memory of CUDA device " + std::to_string(device.ordinal) +
               ", which the plan was prepared on, but got memory of device " + std::to_string(owner)};
}

} // namespace fastnorm::cuda
