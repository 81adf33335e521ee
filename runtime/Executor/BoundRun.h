//===- BoundRun.h - A plan bound to operands --------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that a run needs beside the loaded plan. It has room for the largest
// variant from the start and is filled anew by every run, which therefore
// allocates nothing.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EXECUTOR_BOUNDRUN_H
#define FASTNORM_RUNTIME_EXECUTOR_BOUNDRUN_H

#include "runtime/Executor/OperandSolver.h"

namespace fastnorm {

/// A launch with its shape and arguments.
struct BoundLaunch {
  const Launch *launch = nullptr;
  Kernel *kernel = nullptr;
  LaunchShape shape;
  std::vector<KernelArgument> arguments;
};

class BoundRun {
public:
  /// The plan verifies, and outlives this.
  explicit BoundRun(const Plan &plan);

  OperandSolver &solver() { return operandSolver; }

  /// Checks the operands, solves the symbols and picks the variant.
  Status choose(const OperandViews &operands);

  /// The variant that serves the operands. After choose, as is what follows.
  const Variant &variant() const { return *chosen; }
  const std::vector<int64_t> &symbolValues() const { return operandSolver.values(); }

  /// Puts one of the variant's workspaces there.
  void placeWorkspace(size_t index, DeviceAddress address) { workspaces[index] = address; }
  /// Puts all of them there, one behind the other.
  Status placeWorkspaces(DeviceAddress base);

  /// Computes grids and kernel arguments. `kernels` holds one for each launch of the variant.
  Status bind(const OperandViews &operands, const std::vector<Kernel *> &kernels);

  /// As many as the variant has; after bind.
  const std::vector<BoundLaunch> &launches() const { return boundLaunches; }
  size_t launchCount() const { return chosen->launches.size(); }

  static constexpr int64_t kWorkspaceAlignment = 256;

private:
  Status bindLaunch(const Launch &launch, const OperandViews &operands, BoundLaunch &bound) const;
  Result<KernelArgument> bindArgument(const LaunchArgument &argument, const OperandViews &operands) const;

  OperandSolver operandSolver;
  const Variant *chosen = nullptr;
  std::vector<DeviceAddress> workspaces;
  std::vector<BoundLaunch> boundLaunches; ///< as many as the largest variant has
};

/// Bytes of one workspace of a variant.
Result<int64_t> workspaceBytes(const Variant &variant, size_t index, const std::vector<int64_t> &symbolValues);
/// Bytes of all its workspaces, one behind the other, each aligned to BoundRun::kWorkspaceAlignment.
Result<int64_t> totalWorkspaceBytes(const Variant &variant, const std::vector<int64_t> &symbolValues);

/// The most bytes of workspace that a run with these symbol values needs, whatever the alignment of its operands.
Result<int64_t> largestWorkspaceBytes(const Plan &plan, const std::vector<int64_t> &symbolValues);

/// The same error, with what it is about in front.
Error inContext(const std::string &context, Error error);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_EXECUTOR_BOUNDRUN_H
