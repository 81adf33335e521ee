//===- CudaModule.h - PTX loaded by the driver ------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CUDA_CUDAMODULE_H
#define FASTNORM_RUNTIME_CUDA_CUDAMODULE_H

#include "runtime/Cuda/CudaContext.h"
#include "runtime/Device.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string_view>

namespace fastnorm::cuda {

class CudaKernel : public Kernel {
public:
  CudaKernel(std::shared_ptr<const CudaContext> context, CUfunction function, std::string name)
      : context(std::move(context)), function(function), name(std::make_shared<const std::string>(std::move(name))) {}

  /// Asks the driver what launches need to know.
  Status open();

  Result<KernelFacts> facts(const LaunchShape &shape) const override;

  CUfunction handle() const { return function; }
  /// Shared, so that a stream may name the kernel after its module is gone.
  const std::shared_ptr<const std::string> &sharedName() const { return name; }

  /// An error where number or sizes of the arguments are not the kernel's. Drivers before CUDA 12.4 can't tell.
  Status checkArguments(const std::vector<KernelArgument> &arguments) const;

  /// Opts in to more dynamic shared memory, and to larger clusters, than every kernel may have.
  Status allow(const LaunchShape &shape) const;

private:
  Status allowSharedBytes(int64_t dynamicSharedBytes) const;
  Status allowCluster(int64_t cluster) const;
  Result<int64_t> countActiveClusters(const LaunchShape &shape) const;
  Result<int64_t> attribute(FunctionAttribute attribute) const;
  std::string place() const { return "kernel @" + *name; }

  std::shared_ptr<const CudaContext> context;
  CUfunction function;
  std::shared_ptr<const std::string> name;
  std::optional<std::vector<int64_t>> parameterBytes;
  mutable std::atomic<int64_t> allowedSharedBytes{0};
  mutable std::atomic<bool> allowsLargeClusters{false};
};

class CudaModule : public Module {
public:
  static Result<std::unique_ptr<Module>> load(std::shared_ptr<const CudaContext> context, std::string_view ptx);
  ~CudaModule() override;

  Result<Kernel *> kernel(std::string_view name) override;

private:
  CudaModule(std::shared_ptr<const CudaContext> context, CUmodule module, std::string entryNames)
      : context(std::move(context)), module(module), entryNames(std::move(entryNames)) {}

  std::shared_ptr<const CudaContext> context;
  CUmodule module;
  std::string entryNames; ///< "@norm, @finalize", for messages
  std::mutex mutex;       ///< guards kernels
  std::map<std::string, std::unique_ptr<CudaKernel>, std::less<>> kernels;
};

} // namespace fastnorm::cuda

#endif // FASTNORM_RUNTIME_CUDA_CUDAMODULE_H
