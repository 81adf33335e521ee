//===- CudaProfileRange.h - What a profiler looks at ------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CUDA_CUDAPROFILERANGE_H
#define FASTNORM_RUNTIME_CUDA_CUDAPROFILERANGE_H

#include "runtime/Cuda/CudaContext.h"
#include "runtime/Device.h"

#include <memory>
#include <string>

namespace fastnorm::cuda {

/// Profiling is on while it lives (cuProfilerStart and cuProfilerStop), inside an NVTX range of its name where NVIDIA's
/// library for them is installed.
class CudaProfileRange : public ProfileRange {
public:
  static Result<std::unique_ptr<ProfileRange>> begin(std::shared_ptr<const CudaContext> context,
                                                     const std::string &name);
  ~CudaProfileRange() override;

private:
  explicit CudaProfileRange(std::shared_ptr<const CudaContext> context) : context(std::move(context)) {}

  std::shared_ptr<const CudaContext> context;
  int (*popRange)() = nullptr; ///< null: there is no NVTX range
};

} // namespace fastnorm::cuda

#endif // FASTNORM_RUNTIME_CUDA_CUDAPROFILERANGE_H
