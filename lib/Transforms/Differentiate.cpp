//===- Differentiate.cpp - Write the backward functions of graphs -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BackwardFunction.h"
#include "GradientFlow.h"

#include "fastnorm/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace fastnorm {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

namespace {

class DifferentiatePass : public fastnorm::impl::DifferentiatePassBase<DifferentiatePass> {
public:
  using DifferentiatePassBase::DifferentiatePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (emit != "both" && emit != "forward" && emit != "backward") {
      module.emitError("expects emit to be both, forward or backward, but got '") << emit << "'";
      return signalPassFailure();
    }
    for (func::FuncOp function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (failed(differentiate(function)))
        return signalPassFailure();
  }

private:
  /// Rows of rank 1 become rows, and everything has a name and symbols.
  LogicalResult bind(func::FuncOp function) {
    OpPassManager passes(func::FuncOp::getOperationName());
    passes.addPass(createLiftSingleRowsPass());
    passes.addPass(createNameBindingsPass());
    return runPipeline(passes, function);
  }

  LogicalResult differentiate(func::FuncOp forward) {
    std::string name = (forward.getName() + "_backward").str();
    if (Operation *other = getOperation().lookupSymbol(name))
      return other->emitError("expects the name '")
             << name << "' to be free for the backward function of '" << forward.getName() << "'; rename one of them";
    if (failed(bind(forward)))
      return failure();
    FailureOr<GradientFlow> flow = GradientFlow::of(forward);
    if (failed(flow))
      return failure();
    OpBuilder builder(forward);
    for (DifferentiableOpInterface op : flow->ops())
      op.returnSavedResults(builder);
    // Again, of the ops that stand there now.
    flow = GradientFlow::of(forward);
    FailureOr<func::FuncOp> backward = BackwardFunction(forward, *flow, f32Parameters).build();
    if (failed(backward) || failed(bind(forward)) || failed(bind(*backward)))
      return failure();
    if (emit == "forward")
      backward->erase();
    if (emit == "backward")
      forward.erase();
    return success();
  }
};

} // namespace
