//===- CudaStream.h - Streams, events and graphs ----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_CUDA_CUDASTREAM_H
#define FASTNORM_RUNTIME_CUDA_CUDASTREAM_H

#include "runtime/Cuda/CudaContext.h"
#include "runtime/Device.h"

namespace fastnorm::cuda {

class CudaStream : public Stream {
public:
  static Result<std::unique_ptr<CudaStream>> create(std::shared_ptr<const CudaContext> context);
  ~CudaStream() override;

  Status launch(Kernel &kernel, const LaunchShape &shape, const std::vector<KernelArgument> &arguments) override;
  Status synchronize() override;

  CUstream handle() const { return stream; }

private:
  CudaStream(std::shared_ptr<const CudaContext> context, CUstream stream)
      : context(std::move(context)), stream(stream) {}

  std::shared_ptr<const CudaContext> context;
  CUstream stream;
  /// The last kernel launched and its shape: where to look when synchronize fails.
  std::shared_ptr<const std::string> lastKernel;
  LaunchShape lastShape;
};

class CudaEvent : public Event {
public:
  static Result<std::unique_ptr<CudaEvent>> create(std::shared_ptr<const CudaContext> context);
  ~CudaEvent() override;

  Status record(Stream &stream) override;

  CUevent handle() const { return event; }

private:
  CudaEvent(std::shared_ptr<const CudaContext> context, CUevent event) : context(std::move(context)), event(event) {}

  std::shared_ptr<const CudaContext> context;
  CUevent event;
};

class CudaGraph : public Graph {
public:
  /// Takes the graph over.
  static Result<std::unique_ptr<Graph>> instantiate(std::shared_ptr<const CudaContext> context, CUgraph graph);
  ~CudaGraph() override;

  Status replay(Stream &stream) override;

private:
  CudaGraph(std::shared_ptr<const CudaContext> context, CUgraphExec executable)
      : context(std::move(context)), executable(executable) {}

  std::shared_ptr<const CudaContext> context;
  CUgraphExec executable;
};

} // namespace fastnorm::cuda

#endif // FASTNORM_RUNTIME_CUDA_CUDASTREAM_H
