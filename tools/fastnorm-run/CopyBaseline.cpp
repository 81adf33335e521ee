//===- CopyBaseline.cpp - The copy that kernels are compared with ---------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyBaseline.h"

#include "RunPlan.h"
#include "Source.h"

#include "fastnorm/Compiler/Compiler.h"
#include "runtime/TensorIO/Fill.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace fastnorm;
using namespace fastnorm::tool;

// {0}: threads; {1}: vectors per thread. Four f32 are the 16 bytes that a thread loads at once; a row, 128 KiB, is a
// multiple of every column chunk.
static constexpr char kCopyGraph[] = R"(
func.func @copy(%from: tensor<?x32768xf32>) -> tensor<?x32768xf32> {{
  %to = fastnorm.kernel "copy" (%rows = %from) {{
      schedule = #fastnorm.schedule<kind = per_element, scope = cta, threads_per_row = {0}, vector_width = 4,
                                    vectors_per_thread = {1}, vectors_in_flight = {1}>}
    : (tensor<?x32768xf32>) -> tensor<?x32768xf32> {{
    %copied = fastnorm.map(%rows [row, hidden]) -> [row, hidden] : (tensor<?x32768xf32>) -> tensor<?x32768xf32> {{
    ^bb0(%element: f32):
      fastnorm.yield %element : f32
    }
    fastnorm.yield %copied : tensor<?x32768xf32>
  }
  return %to : tensor<?x32768xf32>
}
)";

static constexpr int64_t kHidden = 32768;
static constexpr int64_t kRowBytes = kHidden * 4;

static Result<Plan> compileCopy(int64_t threads, int64_t vectors, const std::string &target) {
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  Result<mlir::OwningOpRef<mlir::ModuleOp>> graph =
      parseGraph(llvm::formatv(kCopyGraph, threads, vectors).str(), "copy", *context);
  if (!graph)
    return graph.takeError();
  CompileOptions options;
  options.target = target;
  return compile(**graph, options);
}

Result<CopyBaseline> CopyBaseline::create(Device &device, const std::string &target, int64_t byteCount) {
  CopyBaseline baseline;
  baseline.rows = std::max<int64_t>(1, (byteCount / 2 + kRowBytes - 1) / kRowBytes);
  // Real values, not zeros: what the data lines switch is part of what a copy costs.
  Result<HostTensor> from = fillTensor(FillRole(), DType::F32, {baseline.rows, kHidden}, 0, "from");
  if (!from)
    return Error{"the copy to compare with: " + from.error()};
  baseline.inputs.emplace("from", std::move(*from));
  for (int64_t vectors : {1, 2, 4, 8})
    for (int64_t threads : {256, 512, 1024})
      if (Status added = baseline.add(device, target, vectors, threads); !added)
        return Error{"the copy to compare with: " + added.error()};
  if (Status bound = baseline.bind(); !bound)
    return Error{"the copy to compare with: " + bound.error()};
  return baseline;
}

/// Compiles a copy, and runs it once: a wrong one would be a fast one.
Status CopyBaseline::add(Device &device, const std::string &target, int64_t vectors, int64_t threads) {
  std::string name = llvm::formatv("copy, {0} vectors x {1} threads", vectors, threads);
  Result<Plan> plan = compileCopy(threads, vectors, target);
  if (!plan)
    return plan.takeError();
  Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(*plan), device);
  if (!executor)
    return executor.takeError();
  Result<RunResult> run = runPlan(**executor, uploadsOf(inputs), {});
  if (!run)
    return run.takeError();
  Result<NamedTensors> outputs = run->operands.downloadResults();
  if (!outputs)
    return outputs.takeError();
  const HostTensor &from = inputs.at("from");
  if (std::memcmp(outputs->at("to").data(), from.data(), from.byteCount()) != 0)
    return Error{"expected " + name + " to copy its argument, but the result differs"};
  copies.push_back({std::move(name), std::move(*executor), std::nullopt});
  return {};
}

Status CopyBaseline::bind() {
  Result<RotatingSets> rotating = RotatingSets::create(*copies.front().executor, uploadsOf(inputs), {});
  if (!rotating)
    return rotating.takeError();
  sets = std::move(*rotating);
  for (Copy &copy : copies) {
    Result<Rotation> rotation = Rotation::create(*copy.executor, *sets, {});
    if (!rotation)
      return rotation.takeError();
    copy.rotation = std::move(*rotation);
  }
  return {};
}

std::vector<BenchCandidate> CopyBaseline::candidates() const {
  std::vector<BenchCandidate> result;
  for (const Copy &copy : copies)
    result.push_back(copy.rotation->graph(copy.name));
  return result;
}

int64_t CopyBaseline::byteCount() const { return 2 * rows * kRowBytes; }
