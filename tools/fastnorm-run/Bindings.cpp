//===- Bindings.cpp - Files and symbols for a plan's tensors --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace fastnorm;
using namespace fastnorm::tool;

Status tool::checkKnownName(const std::string &name, const std::string &flag, const std::string &what,
                            const std::vector<std::string> &known, const Plan &plan) {
  if (llvm::is_contained(known, name))
    return {};
  return Error{"expected " + flag + " for " + what + " of '" + plan.function + "' (" +
               (known.empty() ? "it has none" : llvm::join(known, ", ")) + "), but got '" + name + "'"};
}

Status tool::checkKnownName(const std::string &name, const std::string &flag, const std::string &what,
                            const std::vector<TensorSpec> &specs, const Plan &plan) {
  std::vector<std::string> known;
  for (const TensorSpec &spec : specs)
    known.push_back(spec.name);
  return checkKnownName(name, flag, what, known, plan);
}

Status tool::checkNames(const Plan &plan, const Options &options, const InputFiles &files) {
  if (Status known = files.checkNames(plan); !known)
    return known;
  for (const auto &[name, path] : options.outputs)
    if (Status known = checkKnownName(name, "--output", "a result", plan.results, plan); !known)
      return known;
  std::vector<TensorSpec> tensors = plan.arguments;
  llvm::append_range(tensors, plan.results);
  for (const auto &[name, elements] : options.offsets)
    if (Status known = checkKnownName(name, "--offset", "an argument or result", tensors, plan); !known)
      return known;
  // A limit of SMs suits every plan, also one whose grids follow from its rows.
  for (const auto &[name, value] : options.dimensions)
    if (Status known = checkKnownName(name, "--dim", "a symbol", plan.symbols, plan); !known && name != kSmLimitSymbol)
      return known;
  for (const auto &[name, role] : options.fillRoles) {
    if (Status known = checkKnownName(name, "the roles of --fill", "arguments", plan.arguments, plan); !known)
      return known;
    if (std::string place = files.placeOf(name); !place.empty())
      return Error{"expected a file or a role for argument '" + name + "', but it is in '" + place + "' and in --fill"};
  }
  for (const TensorSpec &spec : plan.arguments)
    if (!options.fillSeed && files.placeOf(spec.name).empty())
      return Error{"argument '" + spec.name + "' has no value; pass --input " + spec.name +
                   "=FILE.npy, --inputs FILE.safetensors or --fill=seed:N"};
  return {};
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

Result<SymbolBindings> SymbolBindings::of(const Plan &plan, const Options &options, const InputFiles &files,
                                          const NamedTensors &inputs) {
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
        if (Status bound = result.bind(*extent.symbol, size, files.placeOf(spec.name)); !bound)
          return bound.takeError();
  }
  for (const std::vector<TensorSpec> *specs : {&plan.arguments, &plan.results})
    for (const TensorSpec &spec : *specs)
      result.assumeDense(spec);
  return result;
}

/// Strides that nothing gives: those of dense rows, from the last dimension on, whose own is 1.
void SymbolBindings::assumeDense(const TensorSpec &spec) {
  auto known = [&](const Extent &extent) -> std::optional<int64_t> {
    if (!extent.symbol)
      return extent.fixed;
    const std::optional<Binding> &binding = bindings[*extent.symbol];
    return binding ? std::optional<int64_t>(binding->value) : std::nullopt;
  };
  for (size_t dimension = spec.strides.size(); dimension-- > 1;) {
    std::optional<int64_t> stride = known(spec.strides[dimension]), extent = known(spec.shape[dimension]);
    std::optional<int64_t> symbol = spec.strides[dimension - 1].symbol;
    int64_t dense = 0;
    if (symbol && !bindings[*symbol] && stride && extent && !__builtin_mul_overflow(*stride, *extent, &dense))
      bindings[*symbol] = Binding{dense, "dense rows"};
  }
}

SymbolValues SymbolBindings::given() const {
  SymbolValues values;
  for (auto [name, binding] : llvm::zip(plan->symbols, bindings))
    if (binding)
      values[name] = binding->value;
  return values;
}

Result<std::vector<int64_t>> SymbolBindings::values() const {
  std::vector<int64_t> values;
  for (auto [name, binding] : llvm::zip(plan->symbols, bindings)) {
    if (!binding && name == kSmLimitSymbol) {
      values.push_back(0); // no shape has it
      continue;
    }
    if (!binding)
      return Error{"symbol '" + name + "' has no value; pass --dim " + name + "=N or an --input that has it"};
    values.push_back(binding->value);
  }
  return values;
}
