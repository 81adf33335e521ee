//===- Executor.h - Runs a plan on a device ---------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three steps, from dear to cheap: Executor::create loads every module and
// finds every kernel; prepare checks operands, picks the variant and makes
// workspace and kernel arguments; Execution::launch only launches, so that it
// may be captured into a graph.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EXECUTOR_EXECUTOR_H
#define FASTNORM_RUNTIME_EXECUTOR_EXECUTOR_H

#include "fastnorm/Plan/Plan.h"
#include "runtime/Device.h"
#include "runtime/Executor/BoundRun.h"

#include <memory>
#include <string>
#include <vector>

namespace fastnorm {

/// One launch of an Execution, for the kernel table.
struct LaunchFacts {
  std::string kernel;
  int64_t grid = 0; ///< 0: nothing is launched
  int64_t threads = 0;
  int64_t cluster = 1;
  int64_t dynamicSharedBytes = 0;
  int64_t readBytes = 0;
  int64_t writtenBytes = 0;
  std::string schedule;
  KernelFacts facts;
  int64_t workspaceBytes = 0; ///< of the workspaces among its arguments
};

/// A plan bound to operands: launches ready to go. Uses the Executor that made it, which must outlive it.
class Execution {
public:
  /// Launches in order. Neither allocates, nor waits, nor checks: that was done.
  Status launch(Stream &stream) const;
  /// The one launch at `index`; for timing kernels apart.
  Status launchOne(Stream &stream, size_t index) const;

  size_t launchCount() const { return run.launchCount(); }
  const std::vector<int64_t> &symbolValues() const { return run.symbolValues(); }
  int64_t workspaceBytes() const;
  Result<std::vector<LaunchFacts>> facts() const;

private:
  friend class Executor;
  explicit Execution(const Plan &plan) : run(plan) {}
  int64_t workspaceBytesOf(const Launch &launch) const;

  BoundRun run;
  std::vector<std::unique_ptr<DeviceBuffer>> workspaces;
};

/// A plan loaded on a device. The device must outlive it.
class Executor {
public:
  /// Verifies the plan, loads the PTX of every variant and finds every kernel: nothing is loaded later.
  static Result<std::unique_ptr<Executor>> create(Plan plan, Device &device);

  /// Checks the operands (bound by name or by order), solves the symbols, picks the variant and allocates workspace.
  /// `given` holds symbols that no argument has as a dimension, or repeats others; sm_limit, too, where persistent
  /// kernels are to fill fewer SMs than the device has.
  Result<Execution> prepare(const std::vector<Operand> &arguments, const std::vector<Operand> &results,
                            const SymbolValues &given = {}) const;

  /// Of a run that has chosen its variant and placed its workspaces: computes grids and kernel arguments, with the
  /// kernels loaded here. For callers who bring their own workspace and keep the BoundRun; allocates nothing.
  Status bind(const OperandViews &operands, BoundRun &run) const;

  /// The kernel of a launch of a variant.
  Kernel &kernel(size_t variant, size_t launch) const { return *variants[variant].kernels[launch]; }

  const Plan &plan() const { return compiled; }
  Device &device() const { return *where; }

private:
  struct LoadedVariant {
    std::unique_ptr<Module> module;
    std::vector<Kernel *> kernels; ///< one a launch
  };

  Executor(Plan plan, Device &device) : compiled(std::move(plan)), where(&device) {}
  Status load(const Variant &variant);
  Status allocateWorkspaces(Execution &execution) const;

  Plan compiled;
  Device *where;
  std::vector<LoadedVariant> variants;
};

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_EXECUTOR_EXECUTOR_H
