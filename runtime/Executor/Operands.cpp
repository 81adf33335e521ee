//===- Operands.cpp - What a plan is run on, checked ----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/Operands.h"

#include "fastnorm/Support/HostTensor.h"

#include <algorithm>
#include <optional>

namespace fastnorm {

namespace {

std::string_view name(OperandRole role) { return role == OperandRole::Argument ? "argument" : "result"; }

/// "argument 'residual'".
std::string describe(OperandRole role, const std::string &tensor) {
  return std::string(name(role)) + " '" + tensor + "'";
}

std::string namesOf(const std::vector<TensorSpec> &specs) {
  std::string text;
  for (const TensorSpec &spec : specs)
    text += (text.empty() ? "" : ", ") + spec.name;
  return text.empty() ? "none" : text;
}

/// A tensor's shape as the plan declares it: "rowsx3072xbf16".
std::string describe(const Plan &plan, const TensorSpec &spec) {
  std::string text;
  for (const Extent &extent : spec.shape)
    text += (extent.symbol ? plan.symbols[static_cast<size_t>(*extent.symbol)] : std::to_string(extent.fixed)) + "x";
  return text + std::string(name(spec.dtype));
}

/// Collects the values of symbols and where each was first seen.
class Solver {
public:
  explicit Solver(const Plan &plan) : plan(plan), values(plan.symbols.size()), places(plan.symbols.size()) {}

  Status give(const SymbolValues &given);
  Status add(const TensorSpec &spec, const Operand &operand, OperandRole role);
  Result<std::vector<int64_t>> solve() const;

private:
  Status set(int64_t symbol, int64_t value, const std::string &place);

  const Plan &plan;
  std::vector<std::optional<int64_t>> values;
  std::vector<std::string> places;
};

Status Solver::set(int64_t symbol, int64_t value, const std::string &place) {
  size_t index = static_cast<size_t>(symbol);
  if (!values[index]) {
    values[index] = value;
    places[index] = place;
    return {};
  }
  if (*values[index] == value)
    return {};
  return Error{"expected " + plan.symbols[index] + " to be the same everywhere, but it is " +
               std::to_string(*values[index]) + " in " + places[index] + " and " + std::to_string(value) + " in " +
               place};
}

Status Solver::give(const SymbolValues &given) {
  for (const auto &[symbolName, value] : given) {
    auto found = std::find(plan.symbols.begin(), plan.symbols.end(), symbolName);
    if (found == plan.symbols.end()) {
      std::string known;
      for (const std::string &symbol : plan.symbols)
        known += (known.empty() ? "" : ", ") + symbol;
      return Error{"expected a symbol of '" + plan.function + "' (it has " + (known.empty() ? "none" : known) +
                   "), but got " + symbolName + " = " + std::to_string(value)};
    }
    if (value < 0)
      return Error{"expected " + symbolName + " not to be negative, but got " + std::to_string(value)};
    if (Status status = set(found - plan.symbols.begin(), value, "the value given"); !status)
      return status;
  }
  return {};
}

Status Solver::add(const TensorSpec &spec, const Operand &operand, OperandRole role) {
  bool fits = operand.dtype == spec.dtype && operand.shape.size() == spec.shape.size() &&
              checkedByteCount(operand.dtype, operand.shape).has_value();
  for (size_t dimension = 0; fits && dimension < spec.shape.size(); ++dimension)
    fits = spec.shape[dimension].symbol || spec.shape[dimension].fixed == operand.shape[dimension];
  if (!fits)
    return Error{"expected " + describe(role, spec.name) + " to be " + describe(plan, spec) + ", but got " +
                 fastnorm::describe(operand.dtype, operand.shape)};
  for (size_t dimension = 0; dimension < spec.shape.size(); ++dimension) {
    if (!spec.shape[dimension].symbol)
      continue;
    std::string place = "dimension " + std::to_string(dimension) + " of " + describe(role, spec.name);
    if (Status status = set(*spec.shape[dimension].symbol, operand.shape[dimension], place); !status)
      return status;
  }
  return {};
}

Result<std::vector<int64_t>> Solver::solve() const {
  std::vector<int64_t> solved;
  for (size_t index = 0; index < values.size(); ++index) {
    if (!values[index])
      return Error{"expected a value for " + plan.symbols[index] + ", but no argument of '" + plan.function +
                   "' that was given has it as a dimension; give " + plan.symbols[index] + " = N"};
    solved.push_back(*values[index]);
  }
  return solved;
}

} // namespace

Result<std::vector<Operand>> bindOperands(const std::vector<TensorSpec> &specs, const std::vector<Operand> &operands,
                                          OperandRole role) {
  if (operands.size() != specs.size())
    return Error{"expected " + std::to_string(specs.size()) + " " + std::string(name(role)) + "s (" + namesOf(specs) +
                 "), but got " + std::to_string(operands.size())};
  if (operands.empty() || operands.front().name.empty())
    return operands;
  std::vector<Operand> ordered;
  for (const TensorSpec &spec : specs) {
    auto isNamed = [&](const Operand &operand) { return operand.name == spec.name; };
    auto found = std::find_if(operands.begin(), operands.end(), isNamed);
    if (found == operands.end())
      return Error{"expected " + describe(role, spec.name) + ", but none of the " + std::to_string(operands.size()) +
                   " given has that name; the plan has " + namesOf(specs)};
    ordered.push_back(*found);
  }
  return ordered;
}

Result<std::vector<int64_t>> solveSymbols(const Plan &plan, const std::vector<Operand> &arguments,
                                          const std::vector<Operand> &results, const SymbolValues &given) {
  Solver solver(plan);
  if (Status status = solver.give(given); !status)
    return status.takeError();
  for (size_t index = 0; index < arguments.size(); ++index)
    if (Status status = solver.add(plan.arguments[index], arguments[index], OperandRole::Argument); !status)
      return status.takeError();
  for (size_t index = 0; index < results.size(); ++index)
    if (Status status = solver.add(plan.results[index], results[index], OperandRole::Result); !status)
      return status.takeError();
  return solver.solve();
}

std::vector<int64_t> resolveShape(const TensorSpec &spec, const std::vector<int64_t> &symbolValues) {
  std::vector<int64_t> shape;
  for (const Extent &extent : spec.shape)
    shape.push_back(extent.symbol ? symbolValues[static_cast<size_t>(*extent.symbol)] : extent.fixed);
  return shape;
}

Status checkAlignment(const TensorSpec &spec, const Operand &operand, OperandRole role) {
  bool hasElements = std::find(operand.shape.begin(), operand.shape.end(), 0) == operand.shape.end();
  uint64_t past = operand.address % static_cast<uint64_t>(spec.alignment);
  if (!hasElements || past == 0)
    return {};
  return Error{"expected the address of " + describe(role, spec.name) + " to be a multiple of " +
               std::to_string(spec.alignment) + " bytes, but it is " + std::to_string(past) + " past one"};
}

} // namespace fastnorm
