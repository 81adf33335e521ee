//===- CudaLaunch.h - One kernel onto one stream ----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CUDA_CUDALAUNCH_H
#define FASTNORM_RUNTIME_CUDA_CUDALAUNCH_H

#include "runtime/Cuda/CudaModule.h"

namespace fastnorm::cuda {

/// Checks the shape and the arguments, then launches: by cuLaunchKernelEx where the shape asks for what only that can.
Status launchKernel(const CudaContext &context, CUstream stream, const CudaKernel &kernel, const LaunchShape &shape,
                    const std::vector<KernelArgument> &arguments);

/// An error where the stream is another context's. The default streams are everyone's.
Status checkStreamContext(const CudaContext &context, CUstream stream);

/// An error where the address is not memory that kernels of the device can use: that device's, managed, or host memory
/// which the driver knows (all host memory, where the device reaches it by itself).
Status checkKernelAddress(const CudaContext &context, const DeviceInfo &device, DeviceAddress address);

} // namespace fastnorm::cuda

#endif // FASTNORM_RUNTIME_CUDA_CUDALAUNCH_H
