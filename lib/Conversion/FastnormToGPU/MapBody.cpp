//===- MapBody.cpp - A map's scalar body on scalars and vectors -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapBody.h"

#include "ElementConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fastnorm;

static Type shaped(Type element, int64_t width) { return width ? Type(VectorType::get({width}, element)) : element; }

/// The conversions between storage and f32; nothing for other ops.
static Value emitConversion(OpBuilder &builder, Operation &op, Value operand, TargetAttr target, int64_t form) {
  Type element = op.getNumResults() ? getElementTypeOrSelf(op.getResult(0).getType()) : Type();
  if (isa<arith::ExtFOp>(op))
    return emitWiden(builder, op.getLoc(), operand, form);
  if (isa<arith::TruncFOp>(op))
    return emitNarrow(builder, op.getLoc(), operand, element, target);
  if (isa<arith::FPToSIOp>(op))
    return emitToInteger(builder, op.getLoc(), operand, element);
  return Value();
}

Value fastnorm::emitMapBody(OpBuilder &builder, MapOp map, ArrayRef<Value> operands, int64_t width, TargetAttr target,
                            ArrayRef<int64_t> forms) {
  IRMapping values;
  Block &body = map.getBody().front();
  auto broadcast = [&](Value value) -> Value {
    if (!width || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(builder, map.getLoc(), shaped(value.getType(), width), value);
  };
  for (auto [argument, operand] : llvm::zip(body.getArguments(), operands))
    values.map(argument, broadcast(operand));

  for (Operation &op : body.without_terminator()) {
    auto argument = op.getNumOperands() == 1 ? dyn_cast<BlockArgument>(op.getOperand(0)) : BlockArgument();
    int64_t form = argument && !forms.empty() ? forms[argument.getArgNumber()] : 0;
    if (Value converted = op.getNumOperands() == 1
                              ? emitConversion(builder, op, values.lookup(op.getOperand(0)), target, form)
                              : Value()) {
      values.map(op.getResult(0), converted);
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      values.map(constant, broadcast(arith::ConstantOp::create(builder, op.getLoc(), constant.getValue())));
      continue;
    }
    OperationState state(op.getLoc(), op.getName());
    for (Value operand : op.getOperands())
      state.operands.push_back(values.lookup(operand));
    for (Type type : op.getResultTypes())
      state.types.push_back(shaped(type, width));
    state.addAttributes(op.getAttrs());
    Operation *repeated = builder.create(state);
    values.map(op.getResults(), repeated->getResults());
  }
  return values.lookup(body.getTerminator()->getOperand(0));
}
