//===- BoundRun.cpp - A plan bound to operands ----------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/BoundRun.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fastnorm {

namespace {

constexpr int64_t kMaxGrid = std::numeric_limits<int32_t>::max();

KernelArgument addressArgument(DeviceAddress address) { return KernelArgument{address, 8}; }

Result<int64_t> evaluateGrid(const Launch &launch, const std::vector<int64_t> &symbols) {
  Result<int64_t> grid = launch.grid.evaluate(symbols);
  if (grid && (*grid < 0 || *grid > kMaxGrid))
    return Error{"expected a grid of 0 to " + std::to_string(kMaxGrid) + " CTAs, but got " + std::to_string(*grid)};
  if (grid && *grid % launch.cluster != 0)
    return Error{"expected a grid of whole clusters of " + std::to_string(launch.cluster) + " CTAs, but got " +
                 std::to_string(*grid) + " CTAs"};
  return grid;
}

/// The same, filled up to where the next may begin.
Result<int64_t> paddedBytes(const Variant &variant, size_t index, const std::vector<int64_t> &symbols) {
  Result<int64_t> bytes = workspaceBytes(variant, index, symbols);
  if (!bytes)
    return bytes;
  return (*bytes + BoundRun::kWorkspaceAlignment - 1) / BoundRun::kWorkspaceAlignment * BoundRun::kWorkspaceAlignment;
}

} // namespace

Error inContext(const std::string &context, Error error) { return Error{context + ": " + std::move(error.message)}; }

Result<int64_t> workspaceBytes(const Variant &variant, size_t index, const std::vector<int64_t> &symbolValues) {
  Result<int64_t> bytes = variant.workspaces[index].bytes.evaluate(symbolValues);
  if (!bytes)
    return inContext("the size of workspace " + std::to_string(index), bytes.takeError());
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() - BoundRun::kWorkspaceAlignment;
  if (*bytes < 0 || *bytes > kMost)
    return Error{"expected workspace " + std::to_string(index) + " to have 0 to " + std::to_string(kMost) +
                 " bytes, but got " + std::to_string(*bytes)};
  return bytes;
}

Result<int64_t> totalWorkspaceBytes(const Variant &variant, const std::vector<int64_t> &symbolValues) {
  int64_t total = 0;
  for (size_t index = 0; index < variant.workspaces.size(); ++index) {
    Result<int64_t> bytes = paddedBytes(variant, index, symbolValues);
    if (!bytes)
      return bytes;
    if (__builtin_add_overflow(total, *bytes, &total))
      return Error{"expected the workspaces to fit an address space of 63 bits together, but they do not"};
  }
  return total;
}

Result<int64_t> largestWorkspaceBytes(const Plan &plan, const std::vector<int64_t> &symbolValues) {
  int64_t most = -1;
  for (const Variant &variant : plan.variants) {
    if (!serves(variant, symbolValues))
      continue;
    Result<int64_t> bytes = totalWorkspaceBytes(variant, symbolValues);
    if (!bytes)
      return bytes;
    most = std::max(most, *bytes);
  }
  if (most >= 0)
    return most;
  return selectVariant(plan, symbolValues, Variant::kMaxAlignment).takeError();
}

BoundRun::BoundRun(const Plan &plan) : operandSolver(plan) {
  size_t launchCount = 0, argumentCount = 0, workspaceCount = 0;
  for (const Variant &variant : plan.variants) {
    launchCount = std::max(launchCount, variant.launches.size());
    workspaceCount = std::max(workspaceCount, variant.workspaces.size());
    for (const Launch &launch : variant.launches)
      argumentCount = std::max(argumentCount, launch.arguments.size());
  }
  workspaces.resize(workspaceCount);
  boundLaunches.resize(launchCount);
  for (BoundLaunch &bound : boundLaunches)
    bound.arguments.reserve(argumentCount);
}

Status BoundRun::choose(const OperandViews &operands) {
  if (Status status = operandSolver.add(operands); !status)
    return status;
  if (Status status = operandSolver.checkBuffers(operands); !status)
    return status;
  Result<const Variant *> variant = operandSolver.select(operands);
  if (!variant)
    return variant.takeError();
  chosen = *variant;
  return {};
}

Status BoundRun::placeWorkspaces(DeviceAddress base) {
  for (size_t index = 0; index < chosen->workspaces.size(); ++index) {
    Result<int64_t> bytes = paddedBytes(*chosen, index, symbolValues());
    if (!bytes)
      return bytes.takeError();
    workspaces[index] = base;
    base += static_cast<DeviceAddress>(*bytes);
  }
  return {};
}

Result<KernelArgument> BoundRun::bindArgument(const LaunchArgument &argument, const OperandViews &operands) const {
  size_t index = static_cast<size_t>(argument.index);
  switch (argument.kind) {
  case LaunchArgument::Kind::Argument: return addressArgument(operands.arguments[index].address);
  case LaunchArgument::Kind::Result: return addressArgument(operands.results[index].address);
  case LaunchArgument::Kind::Workspace: return addressArgument(workspaces[index]);
  case LaunchArgument::Kind::I32:
  case LaunchArgument::Kind::I64: break;
  }
  Result<int64_t> value = argument.value.evaluate(symbolValues());
  if (!value)
    return value.takeError();
  if (argument.kind == LaunchArgument::Kind::I64)
    return KernelArgument{static_cast<uint64_t>(*value), 8};
  if (*value < std::numeric_limits<int32_t>::min() || *value > std::numeric_limits<int32_t>::max())
    return Error{"expected a value of 32 bits, but got " + std::to_string(*value)};
  return KernelArgument{static_cast<uint32_t>(*value), 4};
}

Status BoundRun::bindLaunch(const Launch &launch, const OperandViews &operands, BoundLaunch &bound) const {
  bound.launch = &launch;
  Result<int64_t> grid = evaluateGrid(launch, symbolValues());
  if (!grid)
    return inContext("kernel @" + launch.kernel, grid.takeError());
  bound.shape = LaunchShape{*grid, launch.threads, launch.dynamicSharedBytes, launch.cluster, launch.dependent};
  bound.arguments.clear();
  for (size_t position = 0; position < launch.arguments.size(); ++position) {
    Result<KernelArgument> argument = bindArgument(launch.arguments[position], operands);
    if (!argument)
      return inContext("kernel @" + launch.kernel + ", argument " + std::to_string(position), argument.takeError());
    bound.arguments.push_back(*argument);
  }
  return {};
}

Status BoundRun::bind(const OperandViews &operands, const std::vector<Kernel *> &kernels) {
  for (size_t index = 0; index < chosen->launches.size(); ++index) {
    boundLaunches[index].kernel = kernels[index];
    if (Status status = bindLaunch(chosen->launches[index], operands, boundLaunches[index]); !status)
      return status;
  }
  return {};
}

} // namespace fastnorm
