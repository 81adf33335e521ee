//===- OperandSolver.cpp - Operands checked, symbols solved ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dtypes, shapes and strides. Where operands lie is OperandBuffers.cpp's.
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor/OperandSolver.h"

#include "fastnorm/Support/HostTensor.h"
#include "runtime/Executor/OperandLayout.h"

#include <algorithm>

namespace fastnorm {

namespace {

/// A tensor's shape as the plan declares it: "rowsx3072xbf16".
std::string describeSpec(const Plan &plan, const TensorSpec &spec) {
  std::string text;
  for (const Extent &extent : spec.shape)
    text += (extent.symbol ? plan.symbols[static_cast<size_t>(*extent.symbol)] : std::to_string(extent.fixed)) + "x";
  return text + std::string(name(spec.dtype));
}

/// Whether dtype, rank and fixed extents are the spec's, and the extents those of a tensor.
bool fits(const TensorSpec &spec, const OperandView &operand) {
  if (operand.dtype != spec.dtype || operand.rank != spec.shape.size())
    return false;
  int64_t bytes = operand.elementBytes();
  bool overflows = false;
  for (size_t dimension = 0; dimension < operand.rank; ++dimension) {
    int64_t extent = operand.shape[dimension];
    if (extent < 0 || (!spec.shape[dimension].symbol && spec.shape[dimension].fixed != extent))
      return false;
    // A view with strides may have the same elements many times; its span is checked by itself.
    overflows |= !operand.strides && __builtin_mul_overflow(bytes, extent, &bytes);
  }
  return !overflows || isEmpty(operand);
}

/// The stride that a spec asks for; nothing where any will do.
std::optional<int64_t> wantedStride(const TensorSpec &spec, const OperandView &operand, size_t dimension) {
  if (spec.strides.empty()) {
    OperandView dense = operand;
    dense.strides = nullptr;
    return dense.stride(dimension);
  }
  if (spec.strides[dimension].symbol)
    return std::nullopt;
  return spec.strides[dimension].fixed;
}

} // namespace

OperandSolver::OperandSolver(const Plan &plan)
    : plan(plan), symbolValues(plan.symbols.size()), sources(plan.symbols.size()) {}

void OperandSolver::reset() {
  std::fill(sources.begin(), sources.end(), Source());
  givenSms.reset();
}

void OperandSolver::limitSms(int64_t count) {
  if (tensorSymbolCount(plan) < plan.symbols.size())
    symbolValues.back() = std::min(givenSms.value_or(count), count);
}

const TensorSpec &OperandSolver::specOf(const Source &source) const {
  return (source.role == OperandRole::Argument ? plan.arguments : plan.results)[source.tensor];
}

std::string OperandSolver::describePlace(const Source &source) const {
  if (source.kind == Source::Kind::Given)
    return "the value given";
  return (source.kind == Source::Kind::Extent ? "dimension " : "stride ") + std::to_string(source.dimension) + " of " +
         describe(source.role, specOf(source).name);
}

Status OperandSolver::set(int64_t symbol, int64_t value, const Source &source) {
  size_t index = static_cast<size_t>(symbol);
  if (sources[index].kind == Source::Kind::Unknown) {
    symbolValues[index] = value;
    sources[index] = source;
    return {};
  }
  if (symbolValues[index] == value)
    return {};
  return Error{"expected " + plan.symbols[index] + " to be the same everywhere, but it is " +
               std::to_string(symbolValues[index]) + " in " + describePlace(sources[index]) + " and " +
               std::to_string(value) + " in " + describePlace(source)};
}

Status OperandSolver::give(const SymbolValues &given) {
  for (const auto &[symbolName, value] : given) {
    if (symbolName == kSmLimitSymbol) {
      if (value < 1)
        return Error{"expected " + symbolName + " to be at least 1 SM, but got " + std::to_string(value)};
      givenSms = value;
      continue;
    }
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
    Source source;
    source.kind = Source::Kind::Given;
    if (Status status = set(found - plan.symbols.begin(), value, source); !status)
      return status;
  }
  return {};
}

bool OperandSolver::isWritten(const Source &source) const {
  return source.role == OperandRole::Result || plan.arguments[source.tensor].result;
}

Status OperandSolver::addStrides(const TensorSpec &spec, const OperandView &operand, Source source) {
  source.kind = Source::Kind::Stride;
  bool isFree = isEmpty(operand);
  for (size_t dimension = 0; dimension < operand.rank; ++dimension) {
    int64_t stride = operand.stride(dimension);
    source.dimension = dimension;
    if (operand.strides && stride < 0)
      return Error{"expected " + describePlace(source) + " not to be negative, but it is " + std::to_string(stride)};
    std::optional<int64_t> wanted = wantedStride(spec, operand, dimension);
    if (wanted && *wanted != stride && operand.shape[dimension] > 1 && !isFree)
      return Error{"expected " + describePlace(source) + " to be " + std::to_string(*wanted) +
                   (*wanted == 1 ? " element" : " elements") + (spec.strides.empty() ? ", because it is dense" : "") +
                   ", but it is " + std::to_string(stride)};
    if (wanted)
      continue;
    if (Status status = set(*spec.strides[dimension].symbol, stride, source); !status)
      return status;
  }
  if (!spanBytes(operand))
    return Error{"expected " + describe(source.role, spec.name) + " to fit an address space of 63 bits, but from its " +
                 "first to its last element it does not"};
  if (isWritten(source) && !isFree && !isInjective(operand))
    return Error{"expected the rows of " + describe(source.role, spec.name) +
                 " not to overlap, because it is written, but with its strides they do"};
  return {};
}

Status OperandSolver::add(const TensorSpec &spec, const OperandView &operand, Source source) {
  if (!fits(spec, operand)) {
    std::vector<int64_t> shape(operand.shape, operand.shape + operand.rank);
    return Error{"expected " + describe(source.role, spec.name) + " to be " + describeSpec(plan, spec) + ", but got " +
                 fastnorm::describe(operand.dtype, shape)};
  }
  source.kind = Source::Kind::Extent;
  for (size_t dimension = 0; dimension < spec.shape.size(); ++dimension) {
    source.dimension = dimension;
    if (spec.shape[dimension].symbol)
      if (Status status = set(*spec.shape[dimension].symbol, operand.shape[dimension], source); !status)
        return status;
  }
  return addStrides(spec, operand, source);
}

Status OperandSolver::add(const OperandViews &operands) {
  Source source;
  for (source.tensor = 0; source.tensor < plan.arguments.size(); ++source.tensor)
    if (Status status = add(plan.arguments[source.tensor], operands.arguments[source.tensor], source); !status)
      return status;
  source.role = OperandRole::Result;
  for (source.tensor = 0; operands.results && source.tensor < plan.results.size(); ++source.tensor)
    if (Status status = add(plan.results[source.tensor], operands.results[source.tensor], source); !status)
      return status;
  for (size_t index = 0; index < tensorSymbolCount(plan); ++index)
    if (sources[index].kind == Source::Kind::Unknown)
      return Error{"expected a value for " + plan.symbols[index] + ", but no argument of '" + plan.function +
                   "' that was given has it as a dimension; give " + plan.symbols[index] + " = N"};
  return {};
}

} // namespace fastnorm
