//===- MapBody.cpp - A map's scalar body on scalars and vectors -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fastnorm;

static Type shaped(Type element, int64_t width) { return width ? Type(VectorType::get({width}, element)) : element; }

static Value integerConstant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  TypedAttr attribute = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(builder, loc, attribute);
}

/// bf16 is the upper half of an f32. Two neighbours of a vector share a 32-bit register: a shift and a mask widen both,
/// where the conversion instruction takes two for the upper one.
static Value widenBf16(OpBuilder &builder, Location loc, Value value, int64_t width) {
  Type i32 = builder.getI32Type();
  if (width >= 2) {
    auto pairs = VectorType::get({width / 2}, i32);
    Value packed = vector::BitCastOp::create(builder, loc, pairs, value);
    Value low = arith::ShLIOp::create(builder, loc, packed, integerConstant(builder, loc, pairs, 16));
    Value high = arith::AndIOp::create(builder, loc, packed, integerConstant(builder, loc, pairs, -65536));
    Value both = vector::InterleaveOp::create(builder, loc, low, high);
    return vector::BitCastOp::create(builder, loc, VectorType::get({width}, builder.getF32Type()), both);
  }
  Type word = shaped(i32, width);
  Value bits = arith::BitcastOp::create(builder, loc, shaped(builder.getI16Type(), width), value);
  Value extended = arith::ExtUIOp::create(builder, loc, word, bits);
  Value shifted = arith::ShLIOp::create(builder, loc, extended, integerConstant(builder, loc, word, 16));
  return arith::BitcastOp::create(builder, loc, shaped(builder.getF32Type(), width), shifted);
}

Value fastnorm::emitMapBody(OpBuilder &builder, MapOp map, ArrayRef<Value> operands, int64_t width) {
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
    if (isa<arith::ExtFOp>(op)) {
      values.map(op.getResult(0), widenBf16(builder, op.getLoc(), values.lookup(op.getOperand(0)), width));
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
