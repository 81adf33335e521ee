//===- CudaModule.cpp - PTX loaded by the driver --------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/CudaModule.h"

#include "runtime/Cuda/LaunchConfig.h"

#include <array>
#include <cctype>
#include <utility>

namespace fastnorm::cuda {

namespace {

constexpr size_t kLogBytes = 16384;

/// What every kernel may have without opting in, static and dynamic together.
constexpr int64_t kSharedBytesWithoutOptIn = 48 << 10;

/// What every kernel may have on every device with clusters.
constexpr int64_t kClusterWithoutOptIn = 8;

/// The names after ".entry", as "@a, @b".
std::string findEntryNames(std::string_view ptx) {
  constexpr std::string_view kDirective = ".entry";
  std::string names;
  for (size_t found = ptx.find(kDirective); found != std::string_view::npos; found = ptx.find(kDirective, found)) {
    found += kDirective.size();
    while (found < ptx.size() && std::isspace(static_cast<unsigned char>(ptx[found])))
      ++found;
    size_t end = found;
    while (end < ptx.size() && (std::isalnum(static_cast<unsigned char>(ptx[end])) || ptx[end] == '_' ||
                                ptx[end] == '$' || ptx[end] == '%'))
      ++end;
    names += (names.empty() ? "@" : ", @") + std::string(ptx.substr(found, end - found));
    found = end;
  }
  return names.empty() ? "none" : names;
}

/// The log without the space and the NUL bytes at its end.
std::string trimmed(const std::string &log) {
  std::string text = log.c_str();
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.pop_back();
  return text;
}

} // namespace

Status CudaKernel::open() {
  const Driver &driver = context->driver();
  Result<int64_t> staticSharedBytes = attribute(FunctionAttribute::SharedBytes);
  if (!staticSharedBytes)
    return staticSharedBytes.takeError();
  allowedSharedBytes = kSharedBytesWithoutOptIn - *staticSharedBytes;
  if (!driver.cuFuncGetParamInfo.isPresent())
    return {};
  std::vector<int64_t> sizes;
  size_t offset = 0;
  size_t bytes = 0;
  // The driver has no count: it refuses the index past the last parameter.
  while (!driver.cuFuncGetParamInfo(function, sizes.size(), &offset, &bytes).failed())
    sizes.push_back(static_cast<int64_t>(bytes));
  parameterBytes = std::move(sizes);
  return {};
}

Result<int64_t> CudaKernel::attribute(FunctionAttribute attribute) const {
  int value = 0;
  if (CallResult result = context->driver().cuFuncGetAttribute(&value, attribute, function); result.failed())
    return context->driver().explain(result, place());
  return static_cast<int64_t>(value);
}

Status CudaKernel::allowSharedBytes(int64_t dynamicSharedBytes) const {
  if (dynamicSharedBytes <= allowedSharedBytes)
    return {};
  CallResult result = context->driver().cuFuncSetAttribute(function, FunctionAttribute::MaxDynamicSharedBytes,
                                                           static_cast<int>(dynamicSharedBytes));
  if (result.failed())
    return context->driver().explain(result, place() + ", " + std::to_string(dynamicSharedBytes) +
                                                 " bytes of dynamic shared memory");
  allowedSharedBytes = dynamicSharedBytes;
  return {};
}

Status CudaKernel::allowCluster(int64_t cluster) const {
  if (cluster == 1)
    return {};
  const Driver &driver = context->driver();
  std::string wanted = place() + ", cluster " + std::to_string(cluster);
  if (!context->hasClusters())
    return Error{"expected a device that launches clusters, sm_90 or newer, for " + wanted +
                 ", but this one has none; compile the graph for this device"};
  if (!driver.cuLaunchKernelEx.isPresent() || !driver.cuOccupancyMaxActiveClusters.isPresent())
    return Error{"expected a driver of CUDA 11.8 or newer, which launches clusters, for " + wanted +
                 ", but this one is older; update the NVIDIA driver"};
  if (cluster <= kClusterWithoutOptIn || allowsLargeClusters)
    return {};
  CallResult result = driver.cuFuncSetAttribute(function, FunctionAttribute::NonPortableClusterSizeAllowed, 1);
  if (result.failed())
    return driver.explain(result, wanted);
  allowsLargeClusters = true;
  return {};
}

Status CudaKernel::allow(const LaunchShape &shape) const {
  if (Status status = allowSharedBytes(shape.dynamicSharedBytes); !status)
    return status;
  return allowCluster(shape.cluster);
}

Status CudaKernel::checkArguments(const std::vector<KernelArgument> &arguments) const {
  if (!parameterBytes)
    return {};
  if (arguments.size() != parameterBytes->size())
    return Error{"expected " + std::to_string(parameterBytes->size()) + " arguments for " + place() + ", but got " +
                 std::to_string(arguments.size())};
  for (size_t index = 0; index < arguments.size(); ++index)
    if (arguments[index].byteCount != (*parameterBytes)[index])
      return Error{"expected argument " + std::to_string(index) + " of " + place() + " to have " +
                   std::to_string((*parameterBytes)[index]) + " bytes, but got " +
                   std::to_string(arguments[index].byteCount)};
  return {};
}

Result<int64_t> CudaKernel::countActiveClusters(const LaunchShape &shape) const {
  LaunchShape oneCluster = shape;
  oneCluster.grid = shape.cluster;
  LaunchConfig config(oneCluster, nullptr);
  int clusters = 0;
  CallResult result = context->driver().cuOccupancyMaxActiveClusters(&clusters, function, config.get());
  if (result.failed())
    return context->driver().explain(result, describeLaunch(*name, oneCluster));
  return static_cast<int64_t>(clusters);
}

Result<KernelFacts> CudaKernel::facts(const LaunchShape &shape) const {
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status.takeError();
  if (Status status = allow(shape); !status)
    return status.takeError();
  KernelFacts facts;
  Result<int64_t> registers = attribute(FunctionAttribute::Registers);
  if (!registers)
    return registers.takeError();
  Result<int64_t> sharedBytes = attribute(FunctionAttribute::SharedBytes);
  if (!sharedBytes)
    return sharedBytes.takeError();
  Result<int64_t> localBytes = attribute(FunctionAttribute::LocalBytes);
  if (!localBytes)
    return localBytes.takeError();
  int ctas = 0;
  CallResult result = context->driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &ctas, function, static_cast<int>(shape.threads), static_cast<size_t>(shape.dynamicSharedBytes));
  if (result.failed())
    return context->driver().explain(result, place() + ", cta " + std::to_string(shape.threads));
  facts.registers = *registers;
  facts.staticSharedBytes = *sharedBytes;
  facts.spillBytes = *localBytes;
  facts.ctasPerMultiprocessor = ctas;
  if (shape.cluster > 1) {
    Result<int64_t> clusters = countActiveClusters(shape);
    if (!clusters)
      return clusters.takeError();
    facts.activeClusters = *clusters;
  }
  return facts;
}

Result<std::unique_ptr<Module>> CudaModule::load(std::shared_ptr<const CudaContext> context, std::string_view ptx) {
  const Driver &driver = context->driver();
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status.takeError();
  std::string image(ptx); // ends in NUL, as the driver wants it
  std::string infoLog(kLogBytes, '\0');
  std::string errorLog(kLogBytes, '\0');
  std::array<JitOption, 4> options{JitOption::InfoLogBuffer, JitOption::InfoLogBytes, JitOption::ErrorLogBuffer,
                                   JitOption::ErrorLogBytes};
  // Sizes travel in the pointers themselves.
  std::array<void *, 4> values{infoLog.data(), reinterpret_cast<void *>(kLogBytes), errorLog.data(),
                               reinterpret_cast<void *>(kLogBytes)};
  CUmodule module = nullptr;
  CallResult result = driver.cuModuleLoadDataEx(&module, image.c_str(), static_cast<unsigned>(options.size()),
                                                options.data(), values.data());
  if (!result.failed())
    return std::unique_ptr<Module>(new CudaModule(std::move(context), module, findEntryNames(ptx)));
  Error error = driver.explain(result);
  if (std::string log = trimmed(errorLog); !log.empty())
    error.message += "; the JIT compiler says: " + log;
  if (std::string log = trimmed(infoLog); !log.empty())
    error.message += "; it notes: " + log;
  return error;
}

CudaModule::~CudaModule() {
  ContextScope scope(*context);
  (void)context->driver().cuModuleUnload(module);
}

Result<Kernel *> CudaModule::kernel(std::string_view name) {
  const Driver &driver = context->driver();
  std::lock_guard<std::mutex> lock(mutex);
  if (auto found = kernels.find(name); found != kernels.end())
    return found->second.get();
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status.takeError();
  std::string key(name);
  CUfunction function = nullptr;
  CallResult result = driver.cuModuleGetFunction(&function, module, key.c_str());
  if (result.code == kNotFound)
    return Error{"expected a kernel @" + key + " in the PTX, but it has " + entryNames};
  if (result.failed())
    return driver.explain(result, "kernel @" + key);
  std::unique_ptr<CudaKernel> kernel = std::make_unique<CudaKernel>(context, function, key);
  if (Status status = kernel->open(); !status)
    return status.takeError();
  return kernels.emplace(std::move(key), std::move(kernel)).first->second.get();
}

} // namespace fastnorm::cuda
