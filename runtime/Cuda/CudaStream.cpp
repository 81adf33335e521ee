//===- CudaStream.cpp - Streams, events and graphs ------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Cuda/CudaStream.h"

#include "runtime/Cuda/CudaLaunch.h"
#include "runtime/Cuda/LaunchConfig.h"

#include <utility>

namespace fastnorm::cuda {

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
  if (Status status = launchKernel(*context, stream, cudaKernel, shape, arguments); !status)
    return status;
  lastKernel = cudaKernel.sharedName();
  lastShape = shape;
  return {};
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
