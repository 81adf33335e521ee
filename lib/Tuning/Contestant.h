//===- Contestant.h - A kernel with one schedule, on a device ---*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TUNING_CONTESTANT_H
#define FASTNORM_LIB_TUNING_CONTESTANT_H

#include "fastnorm/Tuning/IsolatedKernel.h"
#include "runtime/Bench/Sampler.h"
#include "runtime/Executor/Executor.h"
#include "runtime/Executor/OperandSet.h"

#include <memory>

namespace fastnorm {

/// A schedule of a kernel, compiled and loaded; later bound to operands.
struct Contestant {
  std::string schedule;
  std::unique_ptr<Executor> executor;
  std::shared_ptr<std::vector<Execution>> executions = {};

  /// Prepares a run on each of the sets.
  Status bind(const std::vector<OperandSet> &sets, const SymbolValues &given);
  // After bind.
  /// Launches on the first of the sets and waits.
  Status launchOnce(Device &device) const;
  BenchCandidate candidate() const;
};

/// Compiles and loads the kernel once for each schedule, on several threads; an error in the place of one that fails,
/// nothing in that of one that was not begun when `isStopped` said so.
std::vector<std::optional<Result<Contestant>>>
buildContestants(const IsolatedKernel &kernel, const std::vector<std::string> &schedules, const CompileOptions &options,
                 Device &device, unsigned threads, const std::function<bool()> &isStopped);

} // namespace fastnorm

#endif // FASTNORM_LIB_TUNING_CONTESTANT_H
