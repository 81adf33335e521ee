//===- Operands.cpp - What a plan is run on -------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/Operands.h"

#include "runtime/Executor/OperandSolver.h"

#include <algorithm>

namespace fastnorm {

namespace {

std::string_view name(OperandRole role) { return role == OperandRole::Argument ? "argument" : "result"; }

std::string namesOf(const std::vector<TensorSpec> &specs) {
  std::string text;
  for (const TensorSpec &spec : specs)
    text += (text.empty() ? "" : ", ") + spec.name;
  return text.empty() ? "none" : text;
}

std::vector<int64_t> resolve(const std::vector<Extent> &extents, const std::vector<int64_t> &symbolValues) {
  std::vector<int64_t> values;
  for (const Extent &extent : extents)
    values.push_back(extent.symbol ? symbolValues[static_cast<size_t>(*extent.symbol)] : extent.fixed);
  return values;
}

} // namespace

int64_t OperandView::stride(size_t dimension) const {
  if (strides)
    return strides[dimension];
  uint64_t product = 1; // may wrap where another extent is 0, and says nothing there
  for (size_t inner = dimension + 1; inner < rank; ++inner)
    product *= static_cast<uint64_t>(shape[inner]);
  return static_cast<int64_t>(product);
}

OperandView viewOf(const Operand &operand) {
  return OperandView{operand.address, operand.dtype, operand.shape.size(), operand.shape.data(),
                     operand.strides.empty() ? nullptr : operand.strides.data()};
}

std::string describe(OperandRole role, const std::string &tensor) {
  return std::string(name(role)) + " '" + tensor + "'";
}

Result<std::vector<Operand>> bindOperands(const std::vector<TensorSpec> &specs, const std::vector<Operand> &operands,
                                          OperandRole role) {
  if (operands.size() != specs.size())
    return Error{"expected " + std::to_string(specs.size()) + " " + std::string(name(role)) + "s (" + namesOf(specs) +
                 "), but got " + std::to_string(operands.size())};
  for (const Operand &operand : operands)
    if (!operand.strides.empty() && operand.strides.size() != operand.shape.size())
      return Error{"expected a stride for each of " + std::to_string(operand.shape.size()) + " dimensions of " +
                   std::string(name(role)) + " '" + operand.name + "', but got " +
                   std::to_string(operand.strides.size())};
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
  std::vector<OperandView> argumentViews, resultViews;
  for (const Operand &operand : arguments)
    argumentViews.push_back(viewOf(operand));
  for (const Operand &operand : results)
    resultViews.push_back(viewOf(operand));
  OperandSolver solver(plan);
  if (Status status = solver.give(given); !status)
    return status.takeError();
  if (Status status = solver.add({argumentViews.data(), results.empty() ? nullptr : resultViews.data()}); !status)
    return status.takeError();
  return solver.values();
}

std::vector<int64_t> resolveShape(const TensorSpec &spec, const std::vector<int64_t> &symbolValues) {
  return resolve(spec.shape, symbolValues);
}

std::vector<int64_t> resolveStrides(const TensorSpec &spec, const std::vector<int64_t> &symbolValues) {
  return resolve(spec.strides, symbolValues);
}

} // namespace fastnorm
