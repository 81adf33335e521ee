//===- Bindings.cpp - Files and symbols for a plan's tensors --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include "runtime/TensorIO/Fill.h"
#include "runtime/TensorIO/Npy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace fastnorm;
using namespace fastnorm::tool;

static std::vector<std::string> namesOf(const std::vector<TensorSpec> &specs) {
  std::vector<std::string> names;
  for (const TensorSpec &spec : specs)
    names.push_back(spec.name);
  return names;
}

/// Whether the names of a flag are among those that the plan has.
template <typename T>
static Status checkKnown(const std::map<std::string, T> &flags, const std::string &flag, const std::string &what,
                         const std::vector<std::string> &known, const Plan &plan) {
  for (const auto &[name, value] : flags)
    if (!llvm::is_contained(known, name))
      return Error{"expected " + flag + " for " + what + " of '" + plan.function + "' (" +
                   (known.empty() ? "it has none" : llvm::join(known, ", ")) + "), but got '" + name + "'"};
  return {};
}

Status tool::checkNames(const Plan &plan, const Options &options) {
  std::vector<std::string> arguments = namesOf(plan.arguments);
  Status checks[] = {checkKnown(options.inputs, "--input", "an argument", arguments, plan),
                     checkKnown(options.outputs, "--output", "a result", namesOf(plan.results), plan),
                     checkKnown(options.dimensions, "--dim", "a symbol", plan.symbols, plan)};
  for (Status &check : checks)
    if (!check)
      return std::move(check);
  for (const std::string &name : arguments)
    if (!options.fillSeed && !options.inputs.count(name))
      return Error{"argument '" + name + "' has no value; pass --input " + name + "=FILE.npy or --fill=seed:N"};
  return {};
}

/// "rowsx3072xbf16"
static std::string describeSpec(const Plan &plan, const TensorSpec &spec) {
  std::string text;
  for (const Extent &extent : spec.shape)
    text += (extent.symbol ? plan.symbols[*extent.symbol] : std::to_string(extent.fixed)) + "x";
  return text + std::string(name(spec.dtype));
}

static bool fits(const TensorSpec &spec, const HostTensor &tensor) {
  if (tensor.dtype() != spec.dtype || tensor.shape().size() != spec.shape.size())
    return false;
  return llvm::all_of(llvm::zip(spec.shape, tensor.shape()), [](auto pair) {
    return std::get<0>(pair).symbol || std::get<0>(pair).fixed == std::get<1>(pair);
  });
}

Result<NamedTensors> tool::readInputs(const Plan &plan, const Options &options) {
  NamedTensors inputs;
  for (const TensorSpec &spec : plan.arguments) {
    auto flag = options.inputs.find(spec.name);
    if (flag == options.inputs.end())
      continue;
    Result<HostTensor> tensor = readNpy(flag->second);
    if (!tensor)
      return tensor.takeError();
    if (!fits(spec, *tensor))
      return Error{"expected '" + flag->second + "' to hold " + describeSpec(plan, spec) + " for argument '" +
                   spec.name + "', but got " + describe(tensor->dtype(), tensor->shape())};
    inputs.emplace(spec.name, std::move(*tensor));
  }
  return inputs;
}

Status SymbolBindings::bind(int64_t symbol, int64_t value, const std::string &place) {
  std::optional<Binding> &binding = bindings[symbol];
  if (binding && binding->value != value)
    return Error{"expected symbol '" + plan->symbols[symbol] + "' to have one value, but it is " +
                 std::to_string(binding->value) + " by " + binding->place + " and " + std::to_string(value) + " by " +
                 place};
  if (!binding)
    binding = Binding{value, place};
  return {};
}

Result<SymbolBindings> SymbolBindings::of(const Plan &plan, const Options &options, const NamedTensors &inputs) {
  SymbolBindings result(plan);
  for (auto [symbol, name] : llvm::enumerate(plan.symbols))
    if (auto flag = options.dimensions.find(name); flag != options.dimensions.end())
      if (Status bound = result.bind(symbol, flag->second, "--dim"); !bound)
        return bound.takeError();
  for (const TensorSpec &spec : plan.arguments) {
    auto input = inputs.find(spec.name);
    if (input == inputs.end())
      continue;
    for (auto [extent, size] : llvm::zip(spec.shape, input->second.shape()))
      if (extent.symbol)
        if (Status bound = result.bind(*extent.symbol, size, options.inputs.at(spec.name)); !bound)
          return bound.takeError();
  }
  return result;
}

Result<std::vector<int64_t>> SymbolBindings::values() const {
  std::vector<int64_t> values;
  for (auto [name, binding] : llvm::zip(plan->symbols, bindings)) {
    if (!binding)
      return Error{"symbol '" + name + "' has no value; pass --dim " + name + "=N or an --input that has it"};
    values.push_back(binding->value);
  }
  return values;
}

Status tool::fillInputs(const Plan &plan, uint64_t seed, const std::vector<int64_t> &symbolValues,
                        NamedTensors &inputs) {
  for (const TensorSpec &spec : plan.arguments) {
    if (inputs.count(spec.name))
      continue;
    Result<HostTensor> tensor = fillArgument(spec, symbolValues, seed);
    if (!tensor)
      return tensor.takeError();
    inputs.emplace(spec.name, std::move(*tensor));
  }
  return {};
}
