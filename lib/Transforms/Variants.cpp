//===- Variants.cpp - A function once per row range -----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Variants.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace fastnorm;

void fastnorm::forEachChange(int64_t low, int64_t last, llvm::function_ref<bool(int64_t)> isKept,
                             llvm::function_ref<void(int64_t)> change) {
  while (low < last) {
    int64_t high = std::min(2 * low, last);
    if (isKept(high)) {
      low = high;
      continue;
    }
    while (high - low > 1) {
      int64_t middle = low + (high - low) / 2;
      (isKept(middle) ? low : high) = middle;
    }
    change(high);
    low = high;
  }
}

FailureOr<llvm::StringMap<int64_t>> fastnorm::parseKnownSymbols(MLIRContext *context, ArrayRef<std::string> texts) {
  llvm::StringMap<int64_t> known;
  for (StringRef text : texts) {
    auto [name, value] = text.split('=');
    int64_t number = 0;
    if (name.empty() || value.getAsInteger(10, number) || number < 0) {
      emitError(UnknownLoc::get(context))
          << "expects symbols as name=value with a value from 0, but got '" << text << "'";
      return failure();
    }
    known[name] = number;
  }
  return known;
}

std::string fastnorm::rowsSymbolOf(func::FuncOp function, const Symbols &symbols) {
  // What fills rows for another kernel is quick with any number of them.
  for (bool mayFill : {false, true})
    for (KernelOp kernel : function.getBody().getOps<KernelOp>())
      if (std::optional<int64_t> rows = symbols.rowsOf(rowOperand(kernel));
          rows && (mayFill || kernel.getNumOperands()))
        return symbols.names()[*rows];
  return "";
}

RangeAttr fastnorm::servedRange(func::FuncOp function, StringRef symbol) {
  if (auto ranges = function->getAttrOfType<ArrayAttr>(kRangesAttr))
    for (RangeAttr range : ranges.getAsRange<RangeAttr>())
      if (range.getSymbol() == symbol)
        return range;
  return RangeAttr::get(function.getContext(), symbol, 0, INT64_MAX);
}

SmallVector<RangeAttr> fastnorm::splitRange(RangeAttr range, ArrayRef<int64_t> starts,
                                            const llvm::StringMap<int64_t> &known) {
  auto value = known.find(range.getSymbol());
  SmallVector<RangeAttr> parts;
  for (auto [index, low] : llvm::enumerate(starts)) {
    int64_t high = index + 1 < starts.size() ? starts[index + 1] - 1 : range.getHigh();
    auto part = RangeAttr::get(range.getContext(), range.getSymbol(), low, high);
    if (value == known.end() || part.contains(value->second))
      parts.push_back(part);
  }
  return parts;
}

func::FuncOp fastnorm::cloneBehind(ModuleOp module, func::FuncOp function) {
  func::FuncOp copy = function.clone();
  if (!copy->hasAttr(kVariantOfAttr))
    copy->setAttr(kVariantOfAttr, StringAttr::get(module.getContext(), function.getName()));
  SymbolTable(module).insert(copy, std::next(Block::iterator(function)));
  return copy;
}

SmallVector<func::FuncOp> fastnorm::standPerRange(ModuleOp module, func::FuncOp function, ArrayRef<RangeAttr> ranges) {
  SmallVector<func::FuncOp> variants{function};
  while (variants.size() < ranges.size())
    variants.push_back(cloneBehind(module, variants.back()));
  Builder builder(module.getContext());
  for (auto [variant, range] : llvm::zip(variants, ranges))
    variant->setAttr(kRangesAttr, builder.getArrayAttr(Attribute(range)));
  return variants;
}

std::string fastnorm::describeRange(RangeAttr range) {
  std::string text = " for " + range.getSymbol().str() + " from " + std::to_string(range.getLow());
  return text + (range.getHigh() == INT64_MAX ? " on" : " to " + std::to_string(range.getHigh()));
}
