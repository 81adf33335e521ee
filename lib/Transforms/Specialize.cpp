//===- Specialize.cpp - A function per row range and alignment class -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/CostModel/BestSchedule.h"
#include "fastnorm/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace fastnorm {
#define GEN_PASS_DEF_SPECIALIZEPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

/// Schedules do not change beyond this many rows.
static constexpr int64_t kManyRows = int64_t(1) << 20;

namespace {

/// What the cost model answers for the kernels of one function, row count by row count.
class ScheduleByRows {
public:
  ScheduleByRows(func::FuncOp function, const Symbols &symbols, TargetAttr target) : target(target) {
    for (KernelOp kernel : function.getBody().getOps<KernelOp>()) {
      std::optional<int64_t> rows = symbols.rowsOf(rowOperand(kernel));
      // One range set: that of the first kernel's rows.
      if (!rows || (symbol && *symbol != *rows))
        continue;
      symbol = rows;
      if (!kernel.getSchedule())
        patterns.emplace_back(kernel);
    }
  }

  /// Which of the function's symbols counts the rows; nothing where they are static.
  std::optional<int64_t> rowsSymbol() const { return symbol; }

  /// The row counts from which on another schedule is best, ascending; the first is 0.
  SmallVector<int64_t> starts() const {
    SmallVector<int64_t> found{0};
    Answer current = at(1);
    for (int64_t low = 1; low < kManyRows && !patterns.empty();) {
      int64_t high = 2 * low;
      // Up to `low` the answer is `current`; looks for the first other one up to `high`.
      if (at(high) == current) {
        low = high;
        continue;
      }
      while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        (at(middle) == current ? low : high) = middle;
      }
      found.push_back(high);
      current = at(high);
      low = high;
    }
    return found;
  }

private:
  using Answer = SmallVector<std::optional<ScheduleAttr>>;

  Answer at(int64_t rows) const {
    Answer answer;
    for (const AccessPattern &pattern : patterns)
      answer.push_back(bestSchedule(pattern, target, rows));
    return answer;
  }

  TargetAttr target;
  std::optional<int64_t> symbol;
  std::vector<AccessPattern> patterns;
};

class SpecializePass : public fastnorm::impl::SpecializePassBase<SpecializePass> {
public:
  using SpecializePassBase::SpecializePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    Location loc = UnknownLoc::get(context);
    if (alignment != "aligned" && alignment != "any" && alignment != "both")
      return emitError(loc) << "expects alignment to be aligned, any or both, but got '" << alignment << "'";
    for (StringRef text : symbols) {
      auto [name, value] = text.split('=');
      int64_t number = 0;
      if (name.empty() || value.getAsInteger(10, number) || number < 0)
        return emitError(loc) << "expects symbols as name=value with a value from 0, but got '" << text << "'";
      known[name] = number;
    }
    return success();
  }

  void runOnOperation() override {
    FailureOr<TargetAttr> target = requireTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (func::FuncOp function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!function.getBody().getOps<KernelOp>().empty() && failed(specialize(function, *target)))
        return signalPassFailure();
  }

private:
  LogicalResult specialize(func::FuncOp function, TargetAttr target) {
    if (alignment == "aligned" || function->hasAttr(kAlignmentAttr))
      return splitByRows(function, target);
    // The runtime takes the first function that serves its operands: aligned ones come first.
    bool alone = alignment == "any" || accessesSingleElements(function, target);
    func::FuncOp any = alone ? function : cloneBehind(function);
    any->setAttr(kAlignmentAttr, Builder(&getContext()).getI64IntegerAttr(1));
    if (!alone && failed(splitByRows(function, target)))
      return failure();
    return splitByRows(any, target);
  }

  static bool accessesSingleElements(func::FuncOp function, TargetAttr target) {
    return llvm::all_of(function.getBody().getOps<KernelOp>(), [&](KernelOp kernel) {
      std::optional<ScheduleAttr> schedule =
          kernel.getSchedule() ? kernel.getSchedule() : bestSchedule(AccessPattern(kernel), target);
      return schedule && schedule->getVectorWidth() == 1;
    });
  }

  /// Leaves `function` serving the first range it is asked for and adds clones for the others behind it.
  LogicalResult splitByRows(func::FuncOp function, TargetAttr target) {
    SmallVector<func::FuncOp> variants{function};
    FailureOr<Symbols> functionSymbols = Symbols::of(function);
    if (failed(functionSymbols))
      return failure();
    ScheduleByRows schedules(function, *functionSymbols, target);
    if (rowInvariant || !schedules.rowsSymbol() || function->hasAttr(kRangesAttr))
      return success();
    StringRef symbol = functionSymbols->names()[*schedules.rowsSymbol()];
    SmallVector<RangeAttr> ranges = rangesOf(symbol, schedules.starts());
    if (ranges.size() == 1 && ranges.front().getLow() == 0 && ranges.front().getHigh() == INT64_MAX)
      return success();
    for (RangeAttr range : ranges) {
      if (range != ranges.front())
        variants.push_back(cloneBehind(variants.back()));
      emitRemark(function.getLoc()) << "specialize: " << function.getName() << " for " << symbol << " from "
                                    << range.getLow() << (range.getHigh() == INT64_MAX ? " on" : " to ")
                                    << (range.getHigh() == INT64_MAX ? "" : std::to_string(range.getHigh()));
    }
    Builder builder(&getContext());
    for (auto [variant, range] : llvm::zip(variants, ranges))
      variant->setAttr(kRangesAttr, builder.getArrayAttr(Attribute(range)));
    return success();
  }

  /// The ranges that begin at `starts`; only the one that holds the symbol's value where that is known.
  SmallVector<RangeAttr> rangesOf(StringRef symbol, ArrayRef<int64_t> starts) {
    auto value = known.find(symbol);
    SmallVector<RangeAttr> ranges;
    for (auto [index, low] : llvm::enumerate(starts)) {
      int64_t high = index + 1 < starts.size() ? starts[index + 1] - 1 : INT64_MAX;
      auto range = RangeAttr::get(&getContext(), symbol, low, high);
      if (value == known.end() || range.contains(value->second))
        ranges.push_back(range);
    }
    return ranges;
  }

  func::FuncOp cloneBehind(func::FuncOp function) {
    func::FuncOp copy = function.clone();
    if (!copy->hasAttr(kVariantOfAttr))
      copy->setAttr(kVariantOfAttr, StringAttr::get(&getContext(), function.getName()));
    SymbolTable(getOperation()).insert(copy, std::next(Block::iterator(function)));
    return copy;
  }

  llvm::StringMap<int64_t> known;
};

} // namespace
