//===- Executor.cpp - Runs a plan on a device -----------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/Executor.h"

#include <set>
#include <utility>

namespace fastnorm {

namespace {

std::vector<OperandView> viewsOf(const std::vector<Operand> &operands) {
  std::vector<OperandView> views;
  for (const Operand &operand : operands)
    views.push_back(viewOf(operand));
  return views;
}

} // namespace

Status Execution::launchOne(Stream &stream, size_t index) const {
  const BoundLaunch &bound = run.launches()[index];
  // No rows, no work: hardware refuses an empty grid.
  if (bound.shape.grid == 0)
    return {};
  return stream.launch(*bound.kernel, bound.shape, bound.arguments);
}

Status Execution::launch(Stream &stream) const {
  for (size_t index = 0; index < launchCount(); ++index)
    if (Status status = launchOne(stream, index); !status)
      return status;
  return {};
}

int64_t Execution::workspaceBytes() const {
  int64_t byteCount = 0;
  for (const std::unique_ptr<DeviceBuffer> &workspace : workspaces)
    byteCount += static_cast<int64_t>(workspace->byteCount());
  return byteCount;
}

int64_t Execution::workspaceBytesOf(const Launch &launch) const {
  std::set<int64_t> used;
  for (const LaunchArgument &argument : launch.arguments)
    if (argument.kind == LaunchArgument::Kind::Workspace)
      used.insert(argument.index);
  int64_t byteCount = 0;
  for (int64_t index : used)
    byteCount += static_cast<int64_t>(workspaces[static_cast<size_t>(index)]->byteCount());
  return byteCount;
}

Result<std::vector<LaunchFacts>> Execution::facts() const {
  std::vector<LaunchFacts> all;
  for (size_t index = 0; index < launchCount(); ++index) {
    const BoundLaunch &bound = run.launches()[index];
    const Launch &launch = *bound.launch;
    Result<KernelFacts> facts = bound.kernel->facts(bound.shape);
    if (!facts)
      return facts.takeError();
    Result<int64_t> readBytes = launch.readBytes.evaluate(symbolValues());
    if (!readBytes)
      return inContext("kernel @" + launch.kernel + ", read bytes", readBytes.takeError());
    Result<int64_t> writtenBytes = launch.writtenBytes.evaluate(symbolValues());
    if (!writtenBytes)
      return inContext("kernel @" + launch.kernel + ", written bytes", writtenBytes.takeError());
    all.push_back(LaunchFacts{launch.kernel, bound.shape.grid, bound.shape.threads, bound.shape.cluster,
                              bound.shape.dynamicSharedBytes, *readBytes, *writtenBytes, launch.schedule, *facts,
                              workspaceBytesOf(launch)});
  }
  return all;
}

Status Executor::load(const Variant &variant) {
  LoadedVariant loaded;
  if (!variant.launches.empty()) {
    Result<std::unique_ptr<Module>> module = where->load(variant.ptx);
    if (!module)
      return inContext("the PTX of '" + compiled.function + "' does not load", module.takeError());
    loaded.module = std::move(*module);
  }
  for (const Launch &launch : variant.launches) {
    Result<Kernel *> kernel = loaded.module->kernel(launch.kernel);
    if (!kernel)
      return kernel.takeError();
    loaded.kernels.push_back(*kernel);
  }
  variants.push_back(std::move(loaded));
  return {};
}

Result<std::unique_ptr<Executor>> Executor::create(Plan plan, Device &device) {
  if (Status status = verify(plan); !status)
    return inContext("the plan is broken", status.takeError());
  std::unique_ptr<Executor> executor(new Executor(std::move(plan), device));
  for (const Variant &variant : executor->compiled.variants)
    if (Status status = executor->load(variant); !status)
      return status.takeError();
  return executor;
}

Status Executor::bind(const OperandViews &operands, BoundRun &run) const {
  size_t index = static_cast<size_t>(&run.variant() - compiled.variants.data());
  return run.bind(operands, variants[index].kernels);
}

Status Executor::allocateWorkspaces(Execution &execution) const {
  BoundRun &run = execution.run;
  for (size_t index = 0; index < run.variant().workspaces.size(); ++index) {
    Result<int64_t> byteCount = workspaceBytes(run.variant(), index, run.symbolValues());
    if (!byteCount)
      return byteCount.takeError();
    Result<std::unique_ptr<DeviceBuffer>> buffer =
        where->allocate(static_cast<size_t>(*byteCount), "workspace " + std::to_string(index));
    if (!buffer)
      return buffer.takeError();
    run.placeWorkspace(index, (*buffer)->address());
    execution.workspaces.push_back(std::move(*buffer));
  }
  return {};
}

Result<Execution> Executor::prepare(const std::vector<Operand> &arguments, const std::vector<Operand> &results,
                                    const SymbolValues &given) const {
  Result<std::vector<Operand>> boundArguments = bindOperands(compiled.arguments, arguments, OperandRole::Argument);
  if (!boundArguments)
    return boundArguments.takeError();
  Result<std::vector<Operand>> boundResults = bindOperands(compiled.results, results, OperandRole::Result);
  if (!boundResults)
    return boundResults.takeError();
  std::vector<OperandView> argumentViews = viewsOf(*boundArguments), resultViews = viewsOf(*boundResults);
  OperandViews operands{argumentViews.data(), resultViews.data()};
  Execution execution(compiled);
  BoundRun &run = execution.run;
  if (Status status = run.solver().give(given); !status)
    return status.takeError();
  run.solver().limitSms(where->info().multiprocessors);
  if (Status status = run.choose(operands); !status)
    return status.takeError();
  if (Status status = allocateWorkspaces(execution); !status)
    return status.takeError();
  if (Status status = bind(operands, run); !status)
    return status.takeError();
  return execution;
}

} // namespace fastnorm
