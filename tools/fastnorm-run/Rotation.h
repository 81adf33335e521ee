//===- Rotation.h - A plan on buffers that do not stay in L2 ----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_ROTATION_H
#define FASTNORM_TOOLS_RUN_ROTATION_H

#include "runtime/Bench/Sampler.h"
#include "runtime/Executor/Executor.h"
#include "runtime/Executor/OperandSet.h"

#include <memory>

namespace fastnorm::tool {

/// As many operand sets, all of the same values, as keep each other out of L2.
class RotatingSets {
public:
  static Result<RotatingSets> create(const Executor &executor, const OperandSources &inputs, const SymbolValues &given,
                                     const OperandSetOptions &options = {});

  const std::vector<OperandSet> &all() const { return sets; }

private:
  std::vector<OperandSet> sets;
};

/// A plan bound to each of the sets. Moves keep its candidates valid; the executor and the sets must outlive it.
class Rotation {
public:
  static Result<Rotation> create(const Executor &executor, const RotatingSets &sets, const SymbolValues &given);

  /// All launches of the plan, in order.
  BenchCandidate graph(std::string name) const;
  /// One launch of the plan.
  BenchCandidate kernel(size_t index) const;

private:
  std::shared_ptr<std::vector<Execution>> executions;
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_ROTATION_H
