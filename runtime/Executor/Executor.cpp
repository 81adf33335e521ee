//===- Executor.cpp - Runs a plan on a device -----------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/Executor.h"

#include <limits>
#include <utility>

namespace fastnorm {

namespace {

constexpr int64_t kMaxGrid = std::numeric_limits<int32_t>::max();

/// The same error, with what it is about in front.
Error inContext(const std::string &context, Error error) { return Error{context + ": " + std::move(error.message)}; }

/// The addresses and symbol values that kernel arguments are made of.
struct Bindings {
  const std::vector<Operand> &arguments;
  const std::vector<Operand> &results;
  const std::vector<std::unique_ptr<DeviceBuffer>> &workspaces;
  const std::vector<int64_t> &symbols;
};

KernelArgument addressArgument(DeviceAddress address) { return KernelArgument{address, 8}; }

Result<KernelArgument> bindArgument(const LaunchArgument &argument, const Bindings &bindings) {
  size_t index = static_cast<size_t>(argument.index);
  switch (argument.kind) {
  case LaunchArgument::Kind::Argument: return addressArgument(bindings.arguments[index].address);
  case LaunchArgument::Kind::Result: return addressArgument(bindings.results[index].address);
  case LaunchArgument::Kind::Workspace: return addressArgument(bindings.workspaces[index]->address());
  case LaunchArgument::Kind::I32:
  case LaunchArgument::Kind::I64: break;
  }
  Result<int64_t> value = argument.value.evaluate(bindings.symbols);
  if (!value)
    return value.takeError();
  if (argument.kind == LaunchArgument::Kind::I64)
    return KernelArgument{static_cast<uint64_t>(*value), 8};
  if (*value < std::numeric_limits<int32_t>::min() || *value > std::numeric_limits<int32_t>::max())
    return Error{"expected a value of 32 bits, but got " + std::to_string(*value)};
  return KernelArgument{static_cast<uint32_t>(*value), 4};
}

Result<int64_t> evaluateGrid(const Launch &launch, const std::vector<int64_t> &symbols) {
  Result<int64_t> grid = launch.grid.evaluate(symbols);
  if (grid && (*grid < 0 || *grid > kMaxGrid))
    return Error{"expected a grid of 0 to " + std::to_string(kMaxGrid) + " CTAs, but got " + std::to_string(*grid)};
  if (grid && *grid % launch.cluster != 0)
    return Error{"expected a grid of whole clusters of " + std::to_string(launch.cluster) + " CTAs, but got " +
                 std::to_string(*grid) + " CTAs"};
  return grid;
}

} // namespace

Status Execution::launchOne(Stream &stream, size_t index) const {
  const BoundLaunch &bound = launches[index];
  // No rows, no work: hardware refuses an empty grid.
  if (bound.shape.grid == 0)
    return {};
  return stream.launch(*bound.kernel, bound.shape, bound.arguments);
}

Status Execution::launch(Stream &stream) const {
  for (size_t index = 0; index < launches.size(); ++index)
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

Result<std::vector<LaunchFacts>> Execution::facts() const {
  std::vector<LaunchFacts> all;
  for (const BoundLaunch &bound : launches) {
    Result<KernelFacts> facts = bound.kernel->facts(bound.shape);
    if (!facts)
      return facts.takeError();
    all.push_back(LaunchFacts{bound.launch->kernel, bound.shape.grid, bound.shape.threads, bound.shape.cluster,
                              bound.shape.dynamicSharedBytes, bound.readBytes, bound.writtenBytes,
                              bound.launch->schedule, *facts});
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

Status Executor::allocateWorkspaces(const Variant &variant, Execution &execution) const {
  for (size_t index = 0; index < variant.workspaces.size(); ++index) {
    std::string label = "workspace " + std::to_string(index);
    Result<int64_t> byteCount = variant.workspaces[index].bytes.evaluate(execution.symbols);
    if (!byteCount)
      return inContext("the size of " + label, byteCount.takeError());
    if (*byteCount < 0)
      return Error{"expected " + label + " to have 0 or more bytes, but got " + std::to_string(*byteCount)};
    Result<std::unique_ptr<DeviceBuffer>> buffer = where->allocate(static_cast<size_t>(*byteCount), label);
    if (!buffer)
      return buffer.takeError();
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
  Result<std::vector<int64_t>> symbols = solveSymbols(compiled, *boundArguments, *boundResults, given);
  if (!symbols)
    return symbols.takeError();
  for (size_t index = 0; index < compiled.arguments.size(); ++index)
    if (Status status = checkAlignment(compiled.arguments[index], (*boundArguments)[index], OperandRole::Argument);
        !status)
      return status.takeError();
  for (size_t index = 0; index < compiled.results.size(); ++index)
    if (Status status = checkAlignment(compiled.results[index], (*boundResults)[index], OperandRole::Result); !status)
      return status.takeError();

  Result<const Variant *> variant = selectVariant(compiled, *symbols, Variant::kMaxAlignment);
  if (!variant)
    return variant.takeError();
  const LoadedVariant &loaded = variants[static_cast<size_t>(*variant - compiled.variants.data())];
  Execution execution;
  execution.symbols = std::move(*symbols);
  if (Status status = allocateWorkspaces(**variant, execution); !status)
    return status.takeError();

  Bindings bindings{*boundArguments, *boundResults, execution.workspaces, execution.symbols};
  for (size_t index = 0; index < (*variant)->launches.size(); ++index) {
    const Launch &launch = (*variant)->launches[index];
    std::string context = "kernel @" + launch.kernel;
    Execution::BoundLaunch bound;
    bound.launch = &launch;
    bound.kernel = loaded.kernels[index];
    Result<int64_t> grid = evaluateGrid(launch, execution.symbols);
    if (!grid)
      return inContext(context, grid.takeError());
    bound.shape = LaunchShape{*grid, launch.threads, launch.dynamicSharedBytes, launch.cluster, launch.dependent};
    for (size_t position = 0; position < launch.arguments.size(); ++position) {
      Result<KernelArgument> argument = bindArgument(launch.arguments[position], bindings);
      if (!argument)
        return inContext(context + ", argument " + std::to_string(position), argument.takeError());
      bound.arguments.push_back(*argument);
    }
    Result<int64_t> readBytes = launch.readBytes.evaluate(execution.symbols);
    if (!readBytes)
      return inContext(context + ", read bytes", readBytes.takeError());
    Result<int64_t> writtenBytes = launch.writtenBytes.evaluate(execution.symbols);
    if (!writtenBytes)
      return inContext(context + ", written bytes", writtenBytes.takeError());
    bound.readBytes = *readBytes;
    bound.writtenBytes = *writtenBytes;
    execution.launches.push_back(std::move(bound));
  }
  return execution;
}

} // namespace fastnorm
