//===- Roundings.cpp - What values are rounded to on their way ------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Reference/Roundings.h"

#include "Types.h"

#include "fastnorm/IR/GraphOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::reference;

namespace {

/// Keeps the float type of the fewest bits of mantissa.
class Coarsest {
public:
  void consider(Type type) {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (!element || element.isF32() || (kept && element.getFPMantissaWidth() >= kept.getFPMantissaWidth()))
      return;
    kept = element;
  }

  std::optional<DType> dtype() const { return kept ? dtypeOf(kept) : std::nullopt; }

private:
  FloatType kept;
};

} // namespace

/// What an op rounds beside its results.
static void considerInside(Operation *op, Coarsest &coarsest) {
  op->walk([&](arith::TruncFOp cast) { coarsest.consider(cast.getType()); });
  llvm::TypeSwitch<Operation *>(op).Case<RmsNormOp, LayerNormOp, RmsNormBackwardOp, LayerNormBackwardOp>(
      [&](auto norm) {
        if (norm.getRoundXhat())
          coarsest.consider(norm.getInput().getType());
      });
}

std::optional<DType> fastnorm::roundedOnTheWay(func::FuncOp function, unsigned number) {
  Coarsest coarsest;
  Value result = function.getBody().front().getTerminator()->getOperand(number);
  llvm::SetVector<Value> pending;
  pending.insert(result);
  for (size_t next = 0; next < pending.size(); ++next) {
    Operation *op = pending[next].getDefiningOp();
    if (!op)
      continue;
    if (pending[next] != result)
      coarsest.consider(pending[next].getType());
    considerInside(op, coarsest);
    pending.insert(op->operand_begin(), op->operand_end());
  }
  return coarsest.dtype();
}
