//===- Rotation.cpp - A plan on buffers in a known state of the L2 --------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rotation.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace fastnorm;
using namespace fastnorm::tool;

static bool isDynamic(const TensorSpec &spec) {
  return llvm::any_of(spec.shape, [](const Extent &extent) { return extent.symbol.has_value(); });
}

std::set<std::string> tool::argumentsOfAllRows(const Plan &plan) {
  const TensorSpec *widest = nullptr;
  bool anyDynamic = false;
  for (const std::vector<TensorSpec> *specs : {&plan.arguments, &plan.results})
    for (const TensorSpec &spec : *specs) {
      anyDynamic |= isDynamic(spec);
      if (!widest || spec.shape.size() > widest->shape.size())
        widest = &spec;
    }
  std::set<std::string> names;
  for (const TensorSpec &spec : plan.arguments) {
    bool isOfARow = spec.shape.size() < widest->shape.size() &&
                    llvm::ArrayRef(widest->shape).take_back(spec.shape.size()) == llvm::ArrayRef(spec.shape);
    if (!spec.result && (anyDynamic ? !isDynamic(spec) : isOfARow))
      names.insert(spec.name);
  }
  return names;
}

static int64_t bytesOf(const OperandSet &set, const std::set<std::string> &arguments) {
  int64_t sum = 0;
  for (const Operand &operand : set.arguments())
    if (arguments.count(operand.name))
      sum += checkedByteCount(operand.dtype, operand.shape).value_or(0);
  return sum;
}

Result<RotatingSets> RotatingSets::create(const Executor &executor, const OperandSources &inputs,
                                          const SymbolValues &given, CacheState state,
                                          const OperandSetOptions &options) {
  RotatingSets result;
  result.cacheState = state;
  const DeviceInfo &info = executor.device().info();
  auto add = [&](const OperandSetOptions &how) -> Status {
    Result<OperandSet> set = OperandSet::create(executor.plan(), executor.device(), inputs, given, how);
    if (!set)
      return set.takeError();
    result.sets.push_back(std::move(*set));
    return {};
  };
  if (Status added = add(options); !added)
    return added.takeError();
  if (state == CacheState::Hot)
    return result;
  // The first set tells how large one is, and lends the others what is to stay hot.
  OperandSetOptions others = options;
  int64_t coldBytes = result.sets.front().byteCount();
  if (state == CacheState::Serving) {
    others.ownArguments = argumentsOfAllRows(executor.plan());
    coldBytes = bytesOf(result.sets.front(), others.ownArguments);
  }
  if (coldBytes == 0)
    return result;
  int64_t count = rotatingSetCount(info, coldBytes);
  // What is lent moves while sets are added.
  result.sets.reserve(static_cast<size_t>(count));
  if (state == CacheState::Serving)
    others.sharesWith = &result.sets.front();
  // Memory may be short; flushing needs less of it.
  while (static_cast<int64_t>(result.sets.size()) < count && add(others)) {
  }
  result.isTooSmall = info.l2Bytes > 0 && static_cast<int64_t>(result.sets.size()) * coldBytes <= 3 * info.l2Bytes;
  return result;
}

int64_t RotatingSets::footprintBytes() const {
  return cacheState == CacheState::Cold ? static_cast<int64_t>(sets.size()) * setBytes() : setBytes();
}

Result<Rotation> Rotation::create(const Executor &executor, const RotatingSets &sets, const SymbolValues &given,
                                  const std::optional<L2Flush> &flush) {
  Rotation result;
  result.executions = std::make_shared<std::vector<Execution>>();
  for (const OperandSet &set : sets.all()) {
    Result<Execution> execution = executor.prepare(set.arguments(), set.results(), given);
    if (!execution)
      return execution.takeError();
    result.executions->push_back(std::move(*execution));
  }
  if (sets.needsFlush())
    result.flush = flush;
  result.touchesFirst = sets.needsFlush() && sets.state() == CacheState::Serving && sets.all().size() > 1;
  return result;
}

BenchCandidate Rotation::candidate(std::string name, const LaunchOn &launch) const {
  BenchCandidate made{std::move(name), {}};
  // Flushed, what is to be hot is made so by a launch on a set that is not timed.
  for (size_t set = touchesFirst ? 1 : 0; set < executions->size(); ++set)
    made.launches.push_back([all = executions, launch, set](Stream &stream) { return launch((*all)[set], stream); });
  if (flush)
    made.prepare = [all = executions, launch, flush = *flush, touches = touchesFirst](Stream &stream) {
      Status flushed = flush.launch(stream);
      return flushed && touches ? launch(all->front(), stream) : std::move(flushed);
    };
  return made;
}

BenchCandidate Rotation::graph(std::string name) const {
  return candidate(std::move(name),
                   [](const Execution &execution, Stream &stream) { return execution.launch(stream); });
}

BenchCandidate Rotation::kernel(size_t index) const {
  return candidate("kernel " + std::to_string(index),
                   [index](const Execution &execution, Stream &stream) { return execution.launchOne(stream, index); });
}

Result<PlanOnSets> PlanOnSets::create(const Executor &executor, const OperandSources &inputs, const SymbolValues &given,
                                      CacheState state, const OperandSetOptions &options) {
  PlanOnSets result;
  Result<RotatingSets> sets = RotatingSets::create(executor, inputs, given, state, options);
  if (!sets)
    return sets.takeError();
  result.sets = std::move(*sets);
  std::optional<L2Flush> flush;
  if (result.sets->needsFlush()) {
    Result<L2Flush> made = L2Flush::create(executor.device(), executor.plan().target);
    if (!made)
      return made.takeError();
    flush = std::move(*made);
  }
  Result<Rotation> bound = Rotation::create(executor, *result.sets, given, flush);
  if (!bound)
    return bound.takeError();
  result.bound = std::move(*bound);
  return result;
}

void PlanOnSets::describe(Measurement &measurement) const {
  measurement.isFlushed = sets->needsFlush();
  measurement.sets = static_cast<int64_t>(sets->all().size());
  measurement.setBytes = sets->setBytes();
  measurement.footprintBytes = sets->footprintBytes();
}
