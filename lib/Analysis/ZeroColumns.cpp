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

/// Whether a scalar of a map's body is zero where the inputs with hidden are.
static bool isZeroScalar(Value scalar, MapOp map) {
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return isZeroWhereInputsAre(map.getInputs()[argument.getArgNumber()]);
  Operation *op = scalar.getDefiningOp();
  if (matchPattern(op, m_AnyZeroFloat()))
    return true;
  bool staysZero = isa<arith::ExtFOp, arith::TruncFOp, arith::NegFOp, math::AbsFOp, math::SqrtOp, arith::AddFOp,
                       arith::SubFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp>(op);
  return staysZero && llvm::all_of(op->getOperands(), [&](Value operand) { return isZeroScalar(operand, map); });
}

bool fastnorm::isZeroWhereInputsAre(Value value) {
  AxesAttr axes = axesOf(value);
  if (isa<BlockArgument>(value))
    return axes && axes.contains(Axis::Hidden);
  if (value.getDefiningOp<GatherOp>())
    return axes.contains(Axis::Hidden);
  auto map = value.getDefiningOp<MapOp>();
  return map && isZeroScalar(map.getBody().front().getTerminator()->getOperand(0), map);
}
