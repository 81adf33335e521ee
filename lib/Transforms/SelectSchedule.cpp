//===- SelectSchedule.cpp - Write each kernel's schedule -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/BestSchedule.h"
#include "fastnorm/Transforms/Passes.h"

namespace fastnorm {
#define GEN_PASS_DEF_SELECTSCHEDULEPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

namespace {

class SelectSchedulePass : public fastnorm::impl::SelectSchedulePassBase<SelectSchedulePass> {
public:
  void runOnOperation() override {
    FailureOr<TargetAttr> target = requireTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    getOperation().walk([&](KernelOp kernel) {
      if (failed(select(kernel, *target)))
        signalPassFailure();
    });
  }

private:
  LogicalResult select(KernelOp kernel, TargetAttr target) {
    if (kernel.getSchedule())
      return success();
    AccessPattern pattern(kernel);
    for (auto &[op, reason] : pattern.unsupported)
      return op->emitOpError(reason);
    std::optional<ScheduleAttr> schedule = bestSchedule(pattern, target);
    if (!schedule)
      return kernel.emitOpError("has no schedule on target ") << target.getName();
    kernel.setScheduleAttr(*schedule);
    emitRemark(kernel.getLoc()) << "schedule: " << kernel.getName() << " (hidden " << pattern.hidden << ", "
                                << pattern.phases << (pattern.phases == 1 ? " phase) " : " phases) ") << *schedule;
    return success();
  }
};

} // namespace
