//===- Plan.cpp - Which variant of a plan serves given sizes --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Plan/Plan.h"

namespace fastnorm {

namespace {

/// "rows = 5, expert_rows = 9".
std::string describeSymbols(const Plan &plan, const std::vector<int64_t> &symbolValues) {
  std::string text;
  for (size_t index = 0; index < plan.symbols.size(); ++index) {
    if (index != 0)
      text += ", ";
    text += plan.symbols[index] + " = " + std::to_string(symbolValues[index]);
  }
  return text;
}

} // namespace

size_t tensorSymbolCount(const Plan &plan) {
  bool hasSmLimit = !plan.symbols.empty() && plan.symbols.back() == kSmLimitSymbol;
  return plan.symbols.size() - (hasSmLimit ? 1 : 0);
}

bool serves(const Variant &variant, const std::vector<int64_t> &symbolValues) {
  for (const SymbolRange &range : variant.ranges) {
    if (range.symbol < 0 || range.symbol >= static_cast<int64_t>(symbolValues.size()))
      return false;
    int64_t value = symbolValues[static_cast<size_t>(range.symbol)];
    if (value < range.low || value > range.high)
      return false;
  }
  return true;
}

Result<const Variant *> selectVariant(const Plan &plan, const std::vector<int64_t> &symbolValues, int64_t alignment) {
  if (symbolValues.size() != plan.symbols.size())
    return Error{"expected " + std::to_string(plan.symbols.size()) + " symbol values for plan '" + plan.function +
                 "', but got " + std::to_string(symbolValues.size())};
  for (const Variant &variant : plan.variants)
    if (variant.alignment <= alignment && serves(variant, symbolValues))
      return &variant;
  return Error{"expected a variant of plan '" + plan.function + "' that serves " +
               (plan.symbols.empty() ? std::string("it") : describeSymbols(plan, symbolValues)) +
               " with operands aligned to " + std::to_string(alignment) + " bytes, but none of its " +
               std::to_string(plan.variants.size()) + " does"};
}

} // namespace fastnorm
