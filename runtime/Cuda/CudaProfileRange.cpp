//===- CudaProfileRange.cpp - What a profiler looks at --------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/CudaProfileRange.h"

#include <dlfcn.h>

namespace fastnorm::cuda {

Result<std::unique_ptr<ProfileRange>> CudaProfileRange::begin(std::shared_ptr<const CudaContext> context,
                                                              const std::string &name) {
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status.takeError();
  const Driver &driver = context->driver();
  if (!driver.cuProfilerStart.isPresent() || !driver.cuProfilerStop.isPresent())
    return Error{"expected a driver with cuProfilerStart to profile '" + name + "', but this one has none; update it"};
  if (CallResult started = driver.cuProfilerStart(); started.failed())
    return driver.explain(started, name);
  std::unique_ptr<CudaProfileRange> range(new CudaProfileRange(std::move(context)));
  // The library stays open: a profiler may hold on to it.
  if (void *nvtx = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_LOCAL)) {
    auto push = reinterpret_cast<int (*)(const char *)>(dlsym(nvtx, "nvtxRangePushA"));
    auto pop = reinterpret_cast<int (*)()>(dlsym(nvtx, "nvtxRangePop"));
    if (push && pop) {
      push(name.c_str());
      range->popRange = pop;
    }
  }
  return std::unique_ptr<ProfileRange>(std::move(range));
}

CudaProfileRange::~CudaProfileRange() {
  if (popRange)
    popRange();
  ContextScope scope(*context);
  (void)context->driver().cuProfilerStop();
}

} // namespace fastnorm::cuda
