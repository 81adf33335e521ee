//===- VerifySchedule.cpp - Refuse a schedule that cannot be had -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ties.h"

#include "fastnorm/CostModel/ScheduleSpace.h"
#include "fastnorm/Transforms/Passes.h"

namespace fastnorm {
#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

namespace {

class VerifySchedulePass : public fastnorm::impl::VerifySchedulePassBase<VerifySchedulePass> {
public:
  void runOnOperation() override {
    FailureOr<TargetAttr> target = requireTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (failed(verifyTies(getOperation())))
      return signalPassFailure();
    getOperation().walk([&](KernelOp kernel) {
      if (failed(verifySchedule(kernel, *target)))
        signalPassFailure();
    });
  }

private:
  /// What shares the buffer of a result is not read once that was written.
  LogicalResult verifyTies(func::FuncOp function) {
    if (LateRead late = findLateRead(function); late.reader)
      return late.reader->emitOpError("reads argument ")
             << late.argument << " after result " << late.result << " was written over it";
    return success();
  }

  LogicalResult verifySchedule(KernelOp kernel, TargetAttr target) {
    if (!kernel.getSchedule())
      return kernel.emitOpError("has no schedule; run fastnorm-select-schedule first");
    AccessPattern pattern(kernel);
    for (auto &[op, reason] : pattern.unsupported)
      return op->emitOpError(reason);
    if (std::optional<std::string> reason = whyIllegal(pattern, *kernel.getSchedule(), target))
      return kernel.emitOpError("has a schedule that ") << *reason;
    return success();
  }
};

} // namespace
