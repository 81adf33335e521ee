//===- SelectSchedule.cpp - Write each kernel's schedule -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/CostModel/ScheduleChooser.h"
#include "fastnorm/Transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"

namespace fastnorm {
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

namespace {

class SelectSchedulePass : public fastnorm::impl::SelectSchedulePassBase<SelectSchedulePass> {
public:
  using SelectSchedulePassBase::SelectSchedulePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    Result<TableChoice> opened = TableChoice::open(tuned, *context);
    if (!opened)
      return emitError(UnknownLoc::get(context)) << opened.error();
    tables = std::move(*opened);
    return success();
  }

  void runOnOperation() override {
    FailureOr<TargetAttr> target = requireTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    FailureOr<Symbols> symbols = Symbols::of(getOperation());
    if (failed(symbols))
      return signalPassFailure();
    Result<const ScheduleTable *> table = tables.tableFor(*target);
    if (!table) {
      emitError(getOperation().getLoc()) << table.error();
      return signalPassFailure();
    }
    getOperation().walk([&](KernelOp kernel) {
      if (failed(select(kernel, *target, *table, rowsOf(kernel, *symbols))))
        signalPassFailure();
    });
  }

private:
  /// A number of rows that stands for those the kernel is asked for; nothing where it is not known.
  std::optional<int64_t> rowsOf(KernelOp kernel, const Symbols &symbols) {
    if (rowInvariant || kernel.getNumResults() == 0)
      return std::nullopt;
    std::optional<int64_t> symbol = symbols.rowsOf(rowOperand(kernel));
    if (!symbol)
      return cast<RankedTensorType>(rowOperand(kernel).getType()).getShape()[0];
    if (auto ranges = getOperation()->getAttrOfType<ArrayAttr>(kRangesAttr))
      for (RangeAttr range : ranges.getAsRange<RangeAttr>())
        if (range.getSymbol() == symbols.names()[*symbol])
          return range.getLow();
    return std::nullopt;
  }

  LogicalResult select(KernelOp kernel, TargetAttr target, const ScheduleTable *table, std::optional<int64_t> rows) {
    if (kernel.getSchedule())
      return success();
    AccessPattern pattern(kernel);
    for (auto &[op, reason] : pattern.unsupported)
      return op->emitOpError(reason);
    ChosenSchedule chosen = ScheduleChooser(pattern, target, table).choose(rows);
    if (!chosen.refusal.empty())
      emitRemark(kernel.getLoc()) << "missed tuned: " << kernel.getName() << ", the schedule of the table "
                                  << chosen.refusal;
    if (!chosen.schedule)
      return kernel.emitOpError("takes ")
             << pattern.columnReductions.size() << " sums over rows, but no CTA, cluster or grid of target "
             << target.getName() << " has the registers for them; expected fewer in a kernel";
    kernel.setScheduleAttr(*chosen.schedule);
    InFlightDiagnostic remark = emitRemark(kernel.getLoc());
    remark << "schedule: " << kernel.getName() << " (hidden " << pattern.hidden << ", " << pattern.phases
           << (pattern.phases == 1 ? " phase) " : " phases) ") << *chosen.schedule;
    if (const TunedSchedule *best = chosen.tuned)
      remark << llvm::formatv(", tuned: {0:F2} us for {1:F2} us of the cost model's at rows = {2}", best->us,
                              best->modelUs, best->rows)
                    .str();
    return success();
  }

  TableChoice tables;
};

} // namespace
