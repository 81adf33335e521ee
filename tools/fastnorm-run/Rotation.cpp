//===- Rotation.cpp - A plan on buffers that do not stay in L2 ------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rotation.h"

using namespace fastnorm;
using namespace fastnorm::tool;

Result<RotatingSets> RotatingSets::create(const Executor &executor, const OperandSources &inputs,
                                          const SymbolValues &given, const OperandSetOptions &options) {
  RotatingSets result;
  // The first set tells how large one is.
  int64_t count = 1;
  for (int64_t index = 0; index < count; ++index) {
    Result<OperandSet> set = OperandSet::create(executor.plan(), executor.device(), inputs, given, options);
    if (!set)
      return set.takeError();
    if (index == 0)
      count = rotatingSetCount(executor.device().info(), set->byteCount());
    result.sets.push_back(std::move(*set));
  }
  return result;
}

Result<Rotation> Rotation::create(const Executor &executor, const RotatingSets &sets, const SymbolValues &given) {
  Rotation result;
  result.executions = std::make_shared<std::vector<Execution>>();
  for (const OperandSet &set : sets.all()) {
    Result<Execution> execution = executor.prepare(set.arguments(), set.results(), given);
    if (!execution)
      return execution.takeError();
    result.executions->push_back(std::move(*execution));
  }
  return result;
}

BenchCandidate Rotation::graph(std::string name) const {
  BenchCandidate candidate{std::move(name), {}};
  for (size_t set = 0; set < executions->size(); ++set)
    candidate.launches.push_back([all = executions, set](Stream &stream) { return (*all)[set].launch(stream); });
  return candidate;
}

BenchCandidate Rotation::kernel(size_t index) const {
  BenchCandidate candidate{"kernel " + std::to_string(index), {}};
  for (size_t set = 0; set < executions->size(); ++set)
    candidate.launches.push_back(
        [all = executions, set, index](Stream &stream) { return (*all)[set].launchOne(stream, index); });
  return candidate;
}
