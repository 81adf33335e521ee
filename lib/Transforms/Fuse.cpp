//===- Fuse.cpp - Which kernels become one --------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the grouping of a function's kernels that the cost model says is the
// fastest, for each range of rows, and says with both times why.
//
//===----------------------------------------------------------------------===//

#include "FusionPlans.h"
#include "Variants.h"

#include "fastnorm/Transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"

namespace fastnorm {
#define GEN_PASS_DEF_FUSEPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

static constexpr llvm::StringLiteral kPlanPrefix = "plan:";

namespace {

class FusePass : public fastnorm::impl::FusePassBase<FusePass> {
public:
  using FusePassBase::FusePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (fuse != "auto" && fuse != "always" && fuse != "never" && !StringRef(fuse).starts_with(kPlanPrefix))
      return emitError(UnknownLoc::get(context))
             << "expects fuse to be auto, always, never or plan:A+B,C, but got '" << fuse << "'";
    FailureOr<llvm::StringMap<int64_t>> values = parseKnownSymbols(context, *symbols);
    if (failed(values))
      return failure();
    known = std::move(*values);
    return success();
  }

  void runOnOperation() override {
    for (func::FuncOp function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      FailureOr<TargetAttr> target = requireTarget(function);
      if (failed(target) || (!function.getBody().getOps<KernelOp>().empty() && failed(fuseKernels(function, *target))))
        return signalPassFailure();
    }
  }

private:
  /// The groupings to choose from. Of a word that leaves no choice: single kernels, and what it asks for.
  FailureOr<FusionPlans> plansFor(func::FuncOp function, TargetAttr target) {
    if (fuse == "auto")
      return FusionPlans::of(function, target, rowInvariant);
    std::vector<Grouping> groupings;
    groupings.emplace_back(function);
    StringRef text(fuse);
    if (text != "never") {
      FailureOr<Grouping> wanted =
          text.consume_front(kPlanPrefix) ? parseGrouping(function, target, text) : fuseInOrder(function, target);
      if (failed(wanted))
        return failure();
      groupings.push_back(std::move(*wanted));
    }
    return FusionPlans(std::move(groupings), target, rowInvariant);
  }

  LogicalResult fuseKernels(func::FuncOp function, TargetAttr target) {
    FailureOr<Symbols> functionSymbols = Symbols::of(function);
    if (failed(functionSymbols))
      return failure();
    FailureOr<FusionPlans> plans = plansFor(function, target);
    if (failed(plans))
      return failure();
    std::string symbol = rowsSymbolOf(function, *functionSymbols);
    RangeAttr served = servedRange(function, symbol.empty() ? "rows" : symbol);
    bool isFree = fuse == "auto" && !rowInvariant && !symbol.empty() && !function->hasAttr(kRangesAttr);
    if (!isFree) {
      int64_t rows = rowsFor(served);
      size_t chosen = fuse == "auto" ? plans->bestAt(rows) : plans->all().size() - 1;
      explain(*plans, chosen, rows, symbol, /*isFirst=*/true);
      apply(function, plans->all()[chosen].grouping());
      return success();
    }
    return fusePerRange(function, *plans, served);
  }

  /// A number of rows that stands for a range.
  int64_t rowsFor(RangeAttr range) const {
    auto value = known.find(range.getSymbol());
    if (value != known.end() && !rowInvariant)
      return value->second;
    if (rowInvariant || range.getHigh() == INT64_MAX)
      return std::max(range.getLow(), kTypicalRows);
    return std::max<int64_t>(1, range.getLow());
  }

  LogicalResult fusePerRange(func::FuncOp function, const FusionPlans &plans, RangeAttr served) {
    SmallVector<FusionPlans::Start> starts = plans.starts();
    SmallVector<int64_t> firstRows;
    for (const FusionPlans::Start &start : starts)
      firstRows.push_back(start.rows);
    SmallVector<RangeAttr> ranges = splitRange(served, firstRows, known);
    SmallVector<func::FuncOp> variants{function};
    if (starts.size() > 1)
      variants = standPerRange(getOperation(), function, ranges);
    for (size_t index = 0; index < ranges.size(); ++index) {
      RangeAttr range = ranges[index];
      auto start = llvm::find_if(starts, [&](const auto &other) { return other.rows == range.getLow(); });
      explain(plans, start->grouping, rowsFor(range), range.getSymbol(), index == 0);
      apply(variants[index], plans.all()[start->grouping].grouping());
    }
    return success();
  }

  static void apply(func::FuncOp function, const Grouping &grouping) {
    OwningOpRef<func::FuncOp> copy(grouping.function().clone());
    function.getBody().takeBody(copy->getBody());
  }

  /// A remark for each pair that shares a launch now and for each that could.
  void explain(const FusionPlans &plans, size_t chosen, int64_t rows, StringRef symbol, bool isFirst) {
    const TimedGrouping &taken = plans.all()[chosen];
    const Grouping &apart = plans.all().front().grouping();
    std::string where = symbol.empty() ? "" : llvm::formatv(" at {0} = {1}", symbol, rows).str();
    FailureOr<std::vector<KernelPair>> pairs = apart.pairs();
    for (const KernelPair &pair : *pairs) {
      unsigned first = apart.members(pair.producer).front(), second = apart.members(pair.consumer).front();
      if (!taken.grouping().areTogether(first, second))
        continue;
      InFlightDiagnostic remark = emitRemark(pair.consumer.getLoc());
      remark << "fuse: " << pair.producer.getName() << " into " << pair.consumer.getName();
      if (std::optional<size_t> other = plans.bestWhere(false, first, second, rows))
        remark << llvm::formatv(", {0:F2} us for {1:F2} us apart{2}", taken.timeAt(rows),
                                plans.all()[*other].timeAt(rows), where)
                      .str();
    }
    FailureOr<std::vector<KernelPair>> left = taken.grouping().pairs();
    for (const KernelPair &pair : *left)
      if (isFirst || pair.whyNot.empty())
        emitRemark(pair.consumer.getLoc())
            << "missed fuse: " << pair.producer.getName() << " into " << pair.consumer.getName() << ", "
            << (pair.whyNot.empty() ? whyApart(plans, taken, pair, rows, where) : pair.whyNot);
  }

  /// Why a pair that could share a launch does not.
  std::string whyApart(const FusionPlans &plans, const TimedGrouping &taken, const KernelPair &pair, int64_t rows,
                       StringRef where) {
    if (fuse == "never")
      return "fuse=never";
    if (fuse != "auto" && fuse != "always")
      return "fuse=plan";
    std::optional<size_t> fused = plans.bestWhere(true, taken.grouping().members(pair.producer).back(),
                                                  taken.grouping().members(pair.consumer).front(), rows);
    if (!fused)
      return "no schedule runs both";
    return llvm::formatv("{0:F2} us fused for {1:F2} us apart{2}", plans.all()[*fused].timeAt(rows), taken.timeAt(rows),
                         where)
        .str();
  }

  llvm::StringMap<int64_t> known;
};

} // namespace
