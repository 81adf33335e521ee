//===- AttachTarget.cpp - Write the target's attribute on the module -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Target/KnownTargets.h"
#include "fastnorm/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace fastnorm {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

namespace {

class AttachTargetPass : public fastnorm::impl::AttachTargetPassBase<AttachTargetPass> {
public:
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(kTargetAttr))
      return;
    Result<TargetAttr> found = findTarget(&getContext(), target);
    if (!found) {
      module.emitError() << found.error();
      return signalPassFailure();
    }
    module->setAttr(kTargetAttr, *found);
  }
};

} // namespace
