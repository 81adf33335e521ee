//===- CudaDevice.h - The device on NVIDIA hardware -------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CUDA_CUDADEVICE_H
#define FASTNORM_RUNTIME_CUDA_CUDADEVICE_H

#include "runtime/Device.h"

#include <memory>
#include <string>

namespace fastnorm {

/// The driver library as the dynamic linker finds it.
inline constexpr const char *kCudaDriverLibrary = "libcuda.so.1";

/// Opens a device in its primary context. A missing library, driver or device is one sentence that says which.
/// Buffers, modules and streams may outlive the device.
Result<std::unique_ptr<Device>> createCudaDevice(int ordinal, const std::string &library = kCudaDriverLibrary);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_CUDA_CUDADEVICE_H
