//===- CudaStream.cpp - Streams, events and graphs ------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/CudaStream.h"

#include "runtime/Cuda/CudaModule.h"
#include "runtime/Cuda/LaunchConfig.h"

#include <array>
#include <limits>
#include <utility>

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

} // namespace

Result<std::unique_ptr<CudaStream>> CudaStream::create(std::shared_ptr<const CudaContext> context) {
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status.takeError();
  CUstream stream = nullptr;
  if (CallResult result = context->driver().cuStreamCreate(&stream, kStreamNonBlocking); result.failed())
    return context->driver().explain(result);
  return std::unique_ptr<CudaStream>(new CudaStream(std::move(context), stream));
}

CudaStream::~CudaStream() {
  ContextScope scope(*context);
  (void)context->driver().cuStreamDestroy(stream);
}

Status CudaStream::launch(Kernel &kernel, const LaunchShape &shape, const std::vector<KernelArgument> &arguments) {
  const CudaKernel &cudaKernel = static_cast<const CudaKernel &>(kernel);
  if (!isLaunchable(shape) || arguments.size() > kMaxArguments)
    return Error{"expected a grid and a CTA of 1 to 2147483647, whole clusters, and at most " +
                 std::to_string(kMaxArguments) + " arguments, but got " +
                 describeLaunch(*cudaKernel.sharedName(), shape) + ", " + std::to_string(arguments.size()) +
                 " arguments"};
  if (Status status = cudaKernel.checkArguments(arguments); !status)
    return status;
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status;
  if (Status status = cudaKernel.allow(shape); !status)
    return status;
  // The driver reads as many bytes as the parameter has from where each pointer points: little-endian, the low ones.
  std::array<void *, kMaxArguments> pointers;
  for (size_t index = 0; index < arguments.size(); ++index)
    pointers[index] = const_cast<uint64_t *>(&arguments[index].bits);
  CallResult result = submit(cudaKernel.handle(), shape, pointers.data());
  if (result.failed())
    return context->driver().explain(result, describeLaunch(*cudaKernel.sharedName(), shape));
  lastKernel = cudaKernel.sharedName();
  lastShape = shape;
  return {};
}

CallResult CudaStream::submit(CUfunction function, const LaunchShape &shape, void **arguments) const {
  const Driver &driver = context->driver();
  LaunchShape possible = shape;
  // In order is a right way to run a dependent launch, and the only one of older devices and drivers.
  possible.dependent &= context->hasClusters() && driver.cuLaunchKernelEx.isPresent();
  if (possible.cluster > 1 || possible.dependent)
    return driver.cuLaunchKernelEx(LaunchConfig(possible, stream).get(), function, arguments, nullptr);
  return driver.cuLaunchKernel(function, static_cast<unsigned>(shape.grid), 1, 1, static_cast<unsigned>(shape.threads),
                               1, 1, static_cast<unsigned>(shape.dynamicSharedBytes), stream, arguments, nullptr);
}

Status CudaStream::synchronize() {
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status;
  CallResult result = context->driver().cuStreamSynchronize(stream);
  std::shared_ptr<const std::string> kernel = std::move(lastKernel);
  lastKernel = nullptr;
  if (!result.failed())
    return {};
  return context->driver().explain(result, kernel ? "the last launch was " + describeLaunch(*kernel, lastShape) : "");
}

Result<std::unique_ptr<CudaEvent>> CudaEvent::create(std::shared_ptr<const CudaContext> context) {
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status.takeError();
  CUevent event = nullptr;
  if (CallResult result = context->driver().cuEventCreate(&event, 0); result.failed())
    return context->driver().explain(result);
  return std::unique_ptr<CudaEvent>(new CudaEvent(std::move(context), event));
}

CudaEvent::~CudaEvent() {
  ContextScope scope(*context);
  (void)context->driver().cuEventDestroy(event);
}

Status CudaEvent::record(Stream &stream) {
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status;
  if (CallResult result = context->driver().cuEventRecord(event, static_cast<CudaStream &>(stream).handle());
      result.failed())
    return context->driver().explain(result);
  return {};
}

Result<std::unique_ptr<Graph>> CudaGraph::instantiate(std::shared_ptr<const CudaContext> context, CUgraph graph) {
  CUgraphExec executable = nullptr;
  CallResult result = context->driver().cuGraphInstantiateWithFlags(&executable, graph, 0);
  (void)context->driver().cuGraphDestroy(graph);
  if (result.failed())
    return context->driver().explain(result);
  return std::unique_ptr<Graph>(new CudaGraph(std::move(context), executable));
}

CudaGraph::~CudaGraph() {
  ContextScope scope(*context);
  (void)context->driver().cuGraphExecDestroy(executable);
}

Status CudaGraph::replay(Stream &stream) {
  ContextScope scope(*context);
  if (Status status = scope.status(); !status)
    return status;
  if (CallResult result = context->driver().cuGraphLaunch(executable, static_cast<CudaStream &>(stream).handle());
      result.failed())
    return context->driver().explain(result);
  return {};
}

} // namespace fastnorm::cuda
