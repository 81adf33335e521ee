//===- GradientFlow.cpp - What gradients flow through -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientFlow.h"

#include "fastnorm/IR/Dialect.h"
#include "fastnorm/IR/KernelOps.h"

using namespace mlir;
using namespace fastnorm;

/// Whether gradients of a tensor can be stored as it is.
static bool canHaveGradient(Type type) {
  return isa<Float32Type, BFloat16Type, Float16Type>(cast<RankedTensorType>(type).getElementType());
}

/// Whether an op returns a value only for it to be saved.
static bool isSavedResult(Value value) {
  auto op = dyn_cast_if_present<DifferentiableOpInterface>(value.getDefiningOp());
  return op && llvm::is_contained(op.getSavedResults(), value);
}

FailureOr<GradientFlow> GradientFlow::of(func::FuncOp function) {
  GradientFlow flow(function);
  flow.findVarying();
  if (failed(flow.takeResults()) || failed(flow.reachBack()))
    return failure();
  return flow;
}

void GradientFlow::findVarying() {
  for (BlockArgument argument : function.getArguments())
    if (canHaveGradient(argument.getType()) && !function.getArgAttr(argument.getArgNumber(), kNoGradientAttr))
      varying.insert(argument);
  addComputed(function.getBody().front(), varying);
}

LogicalResult GradientFlow::takeResults() {
  for (auto [index, value] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands())) {
    if (!varying.contains(value) || function.getResultAttr(index, kNoGradientAttr) || isSavedResult(value))
      continue;
    if (!canHaveGradient(value.getType()))
      return function.emitOpError("expects result ")
             << index << " of f32, bf16 or f16 to have a gradient, but got " << value.getType() << "; mark it with '"
             << kNoGradientAttr << "' where it has none";
    takenResults.push_back(index);
    reached.insert(value);
  }
  if (takenResults.empty())
    return function.emitOpError("expects a result that depends on an argument of f32, bf16 or f16, both without '")
           << kNoGradientAttr << "', but has none";
  return success();
}

LogicalResult GradientFlow::reachBack() {
  for (Operation &op : llvm::reverse(function.getBody().front().without_terminator()))
    if (llvm::any_of(op.getResults(), [&](Value result) { return contains(result); }))
      if (failed(reachThrough(&op)))
        return failure();
  std::reverse(differentiated.begin(), differentiated.end());
  return success();
}

/// The op's results have gradients, so its operands have.
LogicalResult GradientFlow::reachThrough(Operation *op) {
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return op->emitOpError("does not know its gradients; mark the arguments that it depends on, or the results that "
                           "depend on it, with '")
           << kNoGradientAttr << "'";
  for (Value saved : differentiable.getSavedResults())
    if (reached.contains(saved))
      return op->emitOpError("has no gradient of its statistics, which a result depends on; mark that result with '")
             << kNoGradientAttr << "'";
  differentiated.push_back(differentiable);
  for (Value operand : op->getOperands())
    reached.insert(operand);
  return success();
}
