//===- CudaContext.h - The primary context of a device ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that lives in the context shares its ownership, so buffers,
// modules and streams may outlive the CudaDevice that made them.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CUDA_CUDACONTEXT_H
#define FASTNORM_RUNTIME_CUDA_CUDACONTEXT_H

#include "runtime/Cuda/Driver.h"

#include <memory>

namespace fastnorm::cuda {

/// Retains the primary context, which other code of the process uses, too.
class CudaContext {
public:
  static Result<std::shared_ptr<const CudaContext>> retain(std::shared_ptr<const Driver> driver, CUdevice device,
                                                           bool hasClusters);
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;
  ~CudaContext();

  const Driver &driver() const { return *library; }
  CUcontext handle() const { return context; }
  /// Whether the device launches clusters, and kernels that start before the one ahead has ended.
  bool hasClusters() const { return clusters; }

private:
  CudaContext(std::shared_ptr<const Driver> driver, CUdevice device, CUcontext context, bool clusters)
      : library(std::move(driver)), device(device), context(context), clusters(clusters) {}

  std::shared_ptr<const Driver> library;
  CUdevice device;
  CUcontext context;
  bool clusters;
};

/// Makes the context current on this thread, and leaves the thread as it was.
class ContextScope {
public:
  explicit ContextScope(const CudaContext &context);
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  ~ContextScope();

  /// An error where the driver refused.
  Status status() const;

private:
  const Driver &driver;
  CallResult result;
  bool pushed = false;
};

} // namespace fastnorm::cuda

#endif // FASTNORM_RUNTIME_CUDA_CUDACONTEXT_H
