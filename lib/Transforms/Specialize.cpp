//===- Specialize.cpp - A function per row range and alignment class -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Variants.h"

#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/CostModel/BestSchedule.h"
#include "fastnorm/CostModel/ScheduleChooser.h"
#include "fastnorm/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace fastnorm {
#define GEN_PASS_DEF_SPECIALIZEPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

namespace {

/// What the table and the cost model answer for the kernels of one function, row count by row count.
class ScheduleByRows {
public:
  ScheduleByRows(func::FuncOp function, const Symbols &symbols, TargetAttr target, const ScheduleTable *table) {
    for (KernelOp kernel : function.getBody().getOps<KernelOp>()) {
      std::optional<int64_t> rows = symbols.rowsOf(rowOperand(kernel));
      // One range set: that of the rows of the first kernel that reads something.
      if (!rows || kernel.getInputs().empty() || (symbol && *symbol != *rows))
        continue;
      symbol = rows;
      if (!kernel.getSchedule())
        patterns.push_back(std::make_unique<AccessPattern>(kernel));
    }
    for (const std::unique_ptr<AccessPattern> &pattern : patterns)
      choosers.emplace_back(*pattern, target, table);
  }

  /// Which of the function's symbols counts the rows; nothing where they are static.
  std::optional<int64_t> rowsSymbol() const { return symbol; }

  /// The row counts of a range from which on another schedule is best, ascending; the first is where it begins.
  SmallVector<int64_t> startsIn(RangeAttr range) const {
    SmallVector<int64_t> found{range.getLow()};
    int64_t low = std::max<int64_t>(1, range.getLow());
    int64_t last = std::min(kManyRows, range.getHigh());
    if (choosers.empty() || low >= last)
      return found;
    Answer current = at(low);
    // A table may say something for a few rows only, which doubling would step over.
    for (int64_t stop : tableStartsIn(low + 1, last)) {
      addStarts(low, stop - 1, current, found);
      addStarts(stop - 1, stop, current, found);
      low = stop;
    }
    addStarts(low, last, current, found);
    return found;
  }

private:
  using Answer = SmallVector<std::optional<ScheduleAttr>>;

  /// Where the answer changes between two row counts, `current` being that for `low`, and then for `last`.
  void addStarts(int64_t low, int64_t last, Answer &current, SmallVector<int64_t> &found) const {
    forEachChange(
        low, last, [&](int64_t rows) { return at(rows) == current; },
        [&](int64_t rows) {
          found.push_back(rows);
          current = at(rows);
        });
  }

  SmallVector<int64_t> tableStartsIn(int64_t low, int64_t high) const {
    SmallVector<int64_t> starts;
    for (const ScheduleChooser &chooser : choosers)
      for (int64_t start : chooser.tableStarts())
        if (low <= start && start <= high)
          starts.push_back(start);
    llvm::sort(starts);
    starts.erase(llvm::unique(starts), starts.end());
    return starts;
  }

  Answer at(int64_t rows) const {
    Answer answer;
    for (const ScheduleChooser &chooser : choosers)
      answer.push_back(chooser.choose(rows).schedule);
    return answer;
  }

  std::optional<int64_t> symbol;
  /// In places that stay: choosers refer to them.
  std::vector<std::unique_ptr<AccessPattern>> patterns;
  std::vector<ScheduleChooser> choosers;
};

class SpecializePass : public fastnorm::impl::SpecializePassBase<SpecializePass> {
public:
  using SpecializePassBase::SpecializePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    Location loc = UnknownLoc::get(context);
    if (alignment != "aligned" && alignment != "any" && alignment != "both")
      return emitError(loc) << "expects alignment to be aligned, any or both, but got '" << alignment << "'";
    FailureOr<llvm::StringMap<int64_t>> values = parseKnownSymbols(context, *symbols);
    if (failed(values))
      return failure();
    known = std::move(*values);
    Result<TableChoice> opened = TableChoice::open(tuned, *context);
    if (!opened)
      return emitError(loc) << opened.error();
    tables = std::move(*opened);
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
    func::FuncOp any = alone ? function : cloneBehind(getOperation(), function);
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
    FailureOr<Symbols> functionSymbols = Symbols::of(function);
    if (failed(functionSymbols))
      return failure();
    Result<const ScheduleTable *> table = tables.tableFor(target);
    if (!table)
      return emitError(function.getLoc()) << table.error();
    ScheduleByRows schedules(function, *functionSymbols, target, *table);
    if (rowInvariant || !schedules.rowsSymbol())
      return success();
    RangeAttr served = servedRange(function, functionSymbols->names()[*schedules.rowsSymbol()]);
    SmallVector<RangeAttr> ranges = splitRange(served, schedules.startsIn(served), known);
    if (ranges.empty() || (ranges.size() == 1 && ranges.front() == served))
      return success();
    for (RangeAttr range : ranges)
      emitRemark(function.getLoc()) << "specialize: " << function.getName() << describeRange(range);
    standPerRange(getOperation(), function, ranges);
    return success();
  }

  llvm::StringMap<int64_t> known;
  TableChoice tables;
};

} // namespace
