//===- Rotation.h - A plan on buffers in a known state of the L2 *- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_ROTATION_H
#define FASTNORM_TOOLS_RUN_ROTATION_H

#include "L2Flush.h"

#include "runtime/Bench/Measurement.h"
#include "runtime/Bench/Sampler.h"
#include "runtime/Executor/Executor.h"
#include "runtime/Executor/OperandSet.h"

#include <memory>

namespace fastnorm::tool {

/// Operand sets, all of the same values, so many that launches on one after the other find the L2 in a state: cold, as
/// many as keep each other out of it; hot, one; serving, sets that differ in what all rows share.
class RotatingSets {
public:
  static Result<RotatingSets> create(const Executor &executor, const OperandSources &inputs, const SymbolValues &given,
                                     CacheState state, const OperandSetOptions &options = {});

  const std::vector<OperandSet> &all() const { return sets; }
  /// Bytes of one set.
  int64_t setBytes() const { return sets.front().byteCount(); }
  /// Bytes of what a replay goes over that is to be cold, or else of what is to stay in the L2.
  int64_t footprintBytes() const;
  /// Whether there is something to be cold that the sets alone do not keep out of the L2.
  bool needsFlush() const { return isTooSmall; }
  CacheState state() const { return cacheState; }

private:
  std::vector<OperandSet> sets;
  CacheState cacheState = CacheState::Cold;
  bool isTooSmall = false;
};

/// The arguments that all rows share, such as a weight: without a dynamic dimension, or where there is none at all, of
/// the shape of a row.
std::set<std::string> argumentsOfAllRows(const Plan &plan);

/// A plan bound to each of the sets. Moves keep its candidates valid; the executor and the sets must outlive it.
class Rotation {
public:
  /// `flush` flushes the L2 before each replay where the sets need it; then it must be there.
  static Result<Rotation> create(const Executor &executor, const RotatingSets &sets, const SymbolValues &given,
                                 const std::optional<L2Flush> &flush = std::nullopt);

  /// All launches of the plan, in order.
  BenchCandidate graph(std::string name) const;
  /// One launch of the plan.
  BenchCandidate kernel(size_t index) const;

private:
  using LaunchOn = std::function<Status(const Execution &, Stream &)>;
  BenchCandidate candidate(std::string name, const LaunchOn &launch) const;

  std::shared_ptr<std::vector<Execution>> executions;
  std::optional<L2Flush> flush;
  bool touchesFirst = false;
};

/// A plan bound to sets of its own, with what flushes the L2 where they need it. The executor must outlive it.
class PlanOnSets {
public:
  static Result<PlanOnSets> create(const Executor &executor, const OperandSources &inputs, const SymbolValues &given,
                                   CacheState state, const OperandSetOptions &options = {});

  const Rotation &rotation() const { return *bound; }
  /// Writes how many sets there are, and how large.
  void describe(Measurement &measurement) const;

private:
  std::optional<RotatingSets> sets;
  std::optional<Rotation> bound;
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_ROTATION_H
