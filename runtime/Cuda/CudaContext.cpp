//===- CudaContext.cpp - The primary context of a device ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/CudaContext.h"

#include <utility>

namespace fastnorm::cuda {

Result<std::shared_ptr<const CudaContext>> CudaContext::retain(std::shared_ptr<const Driver> driver, CUdevice device,
                                                               bool hasClusters) {
  CUcontext context = nullptr;
  if (CallResult result = driver->cuDevicePrimaryCtxRetain(&context, device); result.failed())
    return driver->explain(result, "device " + std::to_string(device));
  return std::shared_ptr<const CudaContext>(new CudaContext(std::move(driver), device, context, hasClusters));
}

// A failed release can't be helped: the process or the driver is going away.
CudaContext::~CudaContext() { (void)library->cuDevicePrimaryCtxRelease(device); }

ContextScope::ContextScope(const CudaContext &context) : driver(context.driver()) {
  CUcontext current = nullptr;
  result = driver.cuCtxGetCurrent(&current);
  if (result.failed() || current == context.handle())
    return;
  result = driver.cuCtxPushCurrent(context.handle());
  pushed = !result.failed();
}

ContextScope::~ContextScope() {
  CUcontext popped = nullptr;
  if (pushed)
    (void)driver.cuCtxPopCurrent(&popped);
}

Status ContextScope::status() const {
  if (result.failed())
    return driver.explain(result);
  return {};
}

} // namespace fastnorm::cuda
