//===- ColumnSums.cpp - Results that are sums over rows -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/ColumnSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fastnorm;

static Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

/// Whether a map adds its two operands and does nothing else.
static bool isAddition(MapOp map) {
  Block &body = map.getBody().front();
  auto sum = body.front().getNextNode() == body.getTerminator() ? dyn_cast<arith::AddFOp>(body.front()) : nullptr;
  if (!sum || body.getNumArguments() != 2 || body.getTerminator()->getOperand(0) != sum.getResult())
    return false;
  return (sum.getLhs() == body.getArgument(0) && sum.getRhs() == body.getArgument(1)) ||
         (sum.getLhs() == body.getArgument(1) && sum.getRhs() == body.getArgument(0));
}

static std::optional<PlainColumnSum> plainSum(const AccessPattern &pattern, unsigned result, Value value) {
  PlainColumnSum sum;
  sum.result = result;
  Value total = value;
  if (auto map = value.getDefiningOp<MapOp>(); map && isAddition(map)) {
    unsigned oldNumber = pattern.columns.contains(map.getInputs()[0]) ? 1 : 0;
    total = map.getInputs()[1 - oldNumber];
    sum.old = dyn_cast<BlockArgument>(map.getInputs()[oldNumber]);
    if (!sum.old || !elementOf(sum.old).isF32())
      return std::nullopt;
    sum.isInPlace = llvm::is_contained(pattern.tied, std::pair(sum.old, result));
  }
  auto reduce = total.getDefiningOp<ReduceOp>();
  if (!elementOf(value).isF32() || !reduce || !isColumnReduction(reduce) || reduce.getCombiner() != Combiner::Add)
    return std::nullopt;
  sum.reduction = llvm::find(pattern.columnReductions, reduce) - pattern.columnReductions.begin();
  return sum;
}

SmallVector<PlainColumnSum> fastnorm::plainColumnSums(const AccessPattern &pattern) {
  SmallVector<PlainColumnSum> sums;
  for (auto [number, value] : llvm::enumerate(pattern.kernel.getBody().front().getTerminator()->getOperands()))
    if (pattern.columns.contains(value))
      if (std::optional<PlainColumnSum> sum = plainSum(pattern, number, value))
        sums.push_back(*sum);
  return sums;
}

std::optional<std::string> fastnorm::whyNotAddedInPlace(const AccessPattern &pattern) {
  for (auto [number, value] : llvm::enumerate(pattern.kernel.getBody().front().getTerminator()->getOperands())) {
    if (!pattern.columns.contains(value) || plainSum(pattern, number, value))
      continue;
    std::string reason = "adds sums over rows atomically, which needs results of f32 that are a sum, and an old sum of "
                         "f32 that it is added to, at most, but result " +
                         std::to_string(number) + " is ";
    if (elementOf(value).isF32())
      return reason + "computed otherwise";
    llvm::raw_string_ostream(reason) << elementOf(value);
    return reason;
  }
  return std::nullopt;
}
