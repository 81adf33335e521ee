//===- KernelTrial.cpp - Where schedules of one kernel are tried ----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTrial.h"

#include "CompareInParallel.h"
#include "ScheduleSearch.h"

#include "fastnorm/Reference/Interpreter.h"
#include "fastnorm/Reference/Roundings.h"
#include "runtime/Executor/StridedTensor.h"
#include "runtime/TensorIO/Fill.h"

using namespace mlir;
using namespace fastnorm;

static constexpr uint64_t kSeed = 1;
/// Elements of the largest operand that the reference evaluates: some 10 ms.
static constexpr int64_t kFewElements = int64_t(1) << 18;
/// Elements from which on a device fills its buffers by itself.
static constexpr int64_t kManyElements = int64_t(1) << 20;
/// Sets to launch on in turn; of tiny operands as many are made that the L2 may hold them.
static constexpr int64_t kMostSets = 256;

static int64_t elementsOf(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

Result<std::unique_ptr<KernelTrial>> KernelTrial::create(const IsolatedKernel &kernel, const CompileOptions &options,
                                                         Contestant &first, Device &device) {
  std::unique_ptr<KernelTrial> trial(new KernelTrial(kernel, device));
  const Plan &plan = first.executor->plan();
  if (Status read = trial->readGraph(options); !read)
    return read.takeError();
  if (Status solved = trial->solveSizes(plan); !solved)
    return solved.takeError();
  if (Status evaluated = trial->evaluateFewRows(plan); !evaluated)
    return evaluated.takeError();
  if (Status right = trial->checkFewRows(first); !right)
    return right.takeError();
  if (Status made = trial->makeSets(plan); !made)
    return made.takeError();
  Result<NamedTensors> references = trial->run(first, trial->operandSets.front(), trial->all);
  if (!references)
    return references.takeError();
  trial->allReferences = std::move(*references);
  return trial;
}

Status KernelTrial::readGraph(const CompileOptions &options) {
  context = createTuningContext();
  Result<OwningOpRef<ModuleOp>> parsed = parseGraph(kernel.graph, kernel.name, *context);
  if (!parsed)
    return parsed.takeError();
  module = std::move(*parsed);
  function = *module->getOps<func::FuncOp>().begin();
  return {};
}

/// Every dynamic extent is a symbol of the plan; that of few rows is as much smaller as the rows are.
Status KernelTrial::solveSizes(const Plan &plan) {
  std::map<int64_t, int64_t> values;
  int64_t most = 1;
  auto learn = [&](const std::vector<TensorSpec> &specs, const std::vector<std::vector<int64_t>> &shapes) {
    for (size_t index = 0; index < specs.size(); ++index) {
      most = std::max(most, elementsOf(shapes[index]) / std::max<int64_t>(1, shapes[index].front()));
      for (size_t dimension = 0; dimension < specs[index].shape.size(); ++dimension)
        if (std::optional<int64_t> symbol = specs[index].shape[dimension].symbol)
          values[*symbol] = shapes[index][dimension];
    }
  };
  learn(plan.arguments, kernel.argumentShapes);
  learn(plan.results, kernel.resultShapes);
  int64_t fewRows = std::min(kernel.rows, std::max<int64_t>(1, kFewElements / most));
  for (size_t symbol = 0; symbol < plan.symbols.size(); ++symbol) {
    auto value = values.find(static_cast<int64_t>(symbol));
    int64_t known = value == values.end() ? 0 : value->second;
    all.symbols.push_back(known);
    few.symbols.push_back((known * fewRows + kernel.rows - 1) / kernel.rows);
    if (value == values.end())
      continue;
    all.given[plan.symbols[symbol]] = all.symbols.back();
    few.given[plan.symbols[symbol]] = few.symbols.back();
  }
  return {};
}

Result<HostTensor> KernelTrial::argument(const TensorSpec &spec, size_t index, const Sizes &sizes) const {
  FillRole role = kernel.roles[index];
  // Rows of a static table, of which few rows of a permutation can name some only.
  Result<HostTensor> tensor = fillArgument(spec, sizes.symbols, kSeed, role);
  if (tensor && !spec.strides.empty())
    return throughMemory(StridedTensor::of(spec, sizes.symbols), *tensor);
  return tensor;
}

Status KernelTrial::evaluateFewRows(const Plan &plan) {
  std::vector<HostTensor> arguments;
  for (size_t index = 0; index < plan.arguments.size(); ++index) {
    Result<HostTensor> tensor = argument(plan.arguments[index], index, few);
    if (!tensor)
      return tensor.takeError();
    fewArguments.emplace(plan.arguments[index].name, *tensor);
    arguments.push_back(std::move(*tensor));
  }
  std::vector<int64_t> rows;
  for (const TensorSpec &spec : plan.results)
    rows.push_back(resolveShape(spec, few.symbols).front());
  Result<std::vector<HostTensor>> references = interpret(function, arguments, rows);
  if (!references)
    return Error{"the reference could not evaluate it: " + references.error()};
  for (size_t index = 0; index < plan.results.size(); ++index)
    fewReferences.emplace(plan.results[index].name, std::move((*references)[index]));
  return {};
}

Result<OperandSources> KernelTrial::sourcesOf(const Plan &plan) {
  OperandSources made;
  for (size_t index = 0; index < plan.arguments.size(); ++index) {
    const TensorSpec &spec = plan.arguments[index];
    const FillRole &role = kernel.roles[index];
    int64_t elements = elementsOf(kernel.argumentShapes[index]);
    if (device.info().isEmulator || elements < kManyElements || !spec.strides.empty() ||
        !DeviceFill::canFill(role, spec.dtype)) {
      Result<HostTensor> tensor = argument(spec, index, all);
      if (!tensor)
        return tensor.takeError();
      held.emplace(spec.name, std::move(*tensor));
      continue;
    }
    if (!fill) {
      Result<DeviceFill> filler = DeviceFill::create(device);
      if (!filler)
        return filler.takeError();
      fill = std::move(*filler);
    }
    made.emplace(spec.name, OperandSource{spec.dtype, kernel.argumentShapes[index],
                                          [this, &spec, &role, elements](Device &, DeviceAddress address) {
                                            return fill->fill(address, elements, role, spec.dtype, kSeed, spec.name);
                                          }});
  }
  for (auto &[name, source] : uploadsOf(held))
    made.emplace(name, source);
  return made;
}

Status KernelTrial::makeSets(const Plan &plan) {
  Result<OperandSources> made = sourcesOf(plan);
  if (!made)
    return made.takeError();
  sources = std::move(*made);
  for (int64_t index = 0, count = 1; index < count; ++index) {
    Result<OperandSet> set = OperandSet::create(plan, device, sources, all.given);
    if (!set)
      return set.takeError();
    if (index == 0)
      count = std::min(kMostSets, rotatingSetCount(device.info(), set->byteCount()));
    operandSets.push_back(std::move(*set));
  }
  return {};
}

/// Launches once and waits.
static Status launchOnce(const Contestant &contestant, const OperandSet &operands, const SymbolValues &given,
                         Device &device) {
  Result<Execution> execution = contestant.executor->prepare(operands.arguments(), operands.results(), given);
  if (!execution)
    return execution.takeError();
  Result<std::unique_ptr<Stream>> stream = device.createStream();
  if (!stream)
    return stream.takeError();
  if (Status launched = execution->launch(**stream); !launched)
    return launched;
  return (*stream)->synchronize();
}

Result<NamedTensors> KernelTrial::run(const Contestant &contestant, const OperandSet &operands,
                                      const Sizes &sizes) const {
  if (Status poisoned = operands.poisonResults(); !poisoned)
    return poisoned.takeError();
  if (Status launched = launchOnce(contestant, operands, sizes.given, device); !launched)
    return launched.takeError();
  if (Status intact = operands.checkGuards(); !intact)
    return intact.takeError();
  return operands.downloadResults();
}

Status KernelTrial::compareAll(const Plan &plan, const NamedTensors &results, const NamedTensors &references,
                               const std::string &with) const {
  for (size_t index = 0; index < plan.results.size(); ++index) {
    const std::string &name = plan.results[index].name;
    Result<Comparison> comparison = compareInParallel(results.at(name), references.at(name), "result '" + name + "'",
                                                      roundedOnTheWay(function, static_cast<unsigned>(index)));
    if (!comparison)
      return comparison.takeError();
    if (!comparison->matches)
      return Error{"wrong beside " + with + ": " + comparison->sentence};
  }
  return {};
}

Status KernelTrial::checkFewRows(const Contestant &contestant) const {
  const Plan &plan = contestant.executor->plan();
  Result<OperandSet> operands = OperandSet::create(plan, device, fewArguments, few.given);
  if (!operands)
    return operands.takeError();
  Result<NamedTensors> results = run(contestant, *operands, few);
  if (!results)
    return results.takeError();
  return compareAll(plan, *results, fewReferences, "the reference");
}

Status KernelTrial::checkAllRows(const Contestant &contestant) const {
  const Plan &plan = contestant.executor->plan();
  bool isTied = llvm::any_of(plan.arguments, [](const TensorSpec &spec) { return spec.result.has_value(); });
  if (!isTied) {
    Result<NamedTensors> results = run(contestant, operandSets.front(), all);
    return results ? compareAll(plan, *results, allReferences, "the cost model's choice") : results.takeError();
  }
  // What is computed in place has overwritten what it is computed from.
  Result<OperandSet> fresh = OperandSet::create(plan, device, sources, all.given);
  if (!fresh)
    return fresh.takeError();
  Result<NamedTensors> results = run(contestant, *fresh, all);
  return results ? compareAll(plan, *results, allReferences, "the cost model's choice") : results.takeError();
}
