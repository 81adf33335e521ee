//===- ZeroColumns.cpp - Values that are zero where their inputs are -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/ZeroColumns.h"

#include "fastnorm/IR/KernelOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fastnorm;

/// Whether what a map yields is zero where those of its inputs are that `zeros` holds.
static bool yieldsZero(MapOp map, const llvm::DenseSet<Value> &zeros) {
  Block &body = map.getBody().front();
  llvm::DenseSet<Value> scalars;
  for (auto [argument, input] : llvm::zip(body.getArguments(), map.getInputs()))
    if (zeros.contains(input))
      scalars.insert(argument);
  for (Operation &op : body.without_terminator()) {
    bool staysZero = isa<arith::ExtFOp, arith::TruncFOp, arith::NegFOp, math::AbsFOp, math::SqrtOp, arith::AddFOp,
                         arith::SubFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp>(op);
    if (matchPattern(&op, m_AnyZeroFloat()) ||
        (staysZero && llvm::all_of(op.getOperands(), [&](Value operand) { return scalars.contains(operand); })))
      scalars.insert(op.result_begin(), op.result_end());
  }
  return scalars.contains(body.getTerminator()->getOperand(0));
}

bool fastnorm::isZeroWhereInputsAre(Value value) {
  Block *body = value.getParentBlock();
  llvm::DenseSet<Value> zeros;
  auto hasHidden = [](Value input) {
    AxesAttr axes = axesOf(input);
    return axes && axes.contains(Axis::Hidden);
  };
  for (BlockArgument argument : body->getArguments())
    if (hasHidden(argument))
      zeros.insert(argument);
  for (Operation &op : *body) {
    if (auto gather = dyn_cast<GatherOp>(op); gather && hasHidden(gather.getResult()))
      zeros.insert(gather.getResult());
    if (auto map = dyn_cast<MapOp>(op); map && yieldsZero(map, zeros))
      zeros.insert(map.getResult());
  }
  return zeros.contains(value);
}
