//===- Driver.cpp - The CUDA driver library, loaded at run time -----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/Driver.h"

#include <dlfcn.h>

namespace fastnorm::cuda {

namespace {

/// Errors after which the driver fails every call of the process on that device.
bool isSticky(CUresult code) {
  constexpr CUresult kIllegalAddress = 700;
  constexpr CUresult kLaunchTimeout = 702;
  constexpr CUresult kAssert = 710;
  constexpr CUresult kHardwareStackError = 714;
  constexpr CUresult kLaunchFailed = 719;
  return code == kIllegalAddress || code == kLaunchTimeout || code == kAssert ||
         (code >= kHardwareStackError && code <= kLaunchFailed);
}

} // namespace

Result<std::shared_ptr<const Driver>> Driver::load(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return Error{"no CUDA device: the driver library can't be loaded (" + std::string(reason ? reason : library) +
                 "); install the NVIDIA driver, or run with --device=emulator"};
  }
  std::shared_ptr<Driver> driver(new Driver());
  const char *missing = nullptr;
#define FASTNORM_CUDA(name, symbol, ...)                                                                               \
  driver->name.function = reinterpret_cast<decltype(driver->name.function)>(dlsym(handle, symbol));                    \
  if (!driver->name.isPresent() && !missing)                                                                           \
    missing = symbol;
#define FASTNORM_CUDA_OPTIONAL(name, symbol, ...)                                                                      \
  driver->name.function = reinterpret_cast<decltype(driver->name.function)>(dlsym(handle, symbol));
#include "runtime/Cuda/Driver.def"
  if (missing)
    return Error{"expected a driver of CUDA 11.4 or newer, but " + library + " has no " + missing +
                 "; update the NVIDIA driver, or run with --device=emulator"};
  return std::shared_ptr<const Driver>(std::move(driver));
}

std::string Driver::describe(CUresult code) const {
  const char *errorName = nullptr;
  const char *errorString = nullptr;
  if (cuGetErrorName(code, &errorName).failed() || !errorName)
    return "CUDA error " + std::to_string(code) + ", which the driver does not know";
  if (cuGetErrorString(code, &errorString).failed() || !errorString)
    return errorName;
  return std::string(errorName) + ": " + errorString;
}

Error Driver::explain(const CallResult &result, const std::string &context) const {
  std::string message = std::string(result.entryPoint) + " failed: " + describe(result.code);
  if (!context.empty())
    message += " (" + context + ")";
  if (isSticky(result.code))
    message += "; this device fails every further call of this process, so start it again";
  return Error{std::move(message)};
}

} // namespace fastnorm::cuda
