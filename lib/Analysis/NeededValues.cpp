//===- NeededValues.cpp - What is computed from which values, in which phase -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/AccessPattern.h"

using namespace mlir;
using namespace fastnorm;

llvm::DenseSet<Value> AccessPattern::neededIn(int64_t phase) const {
  SmallVector<Value> values;
  for (ReduceOp reduce : llvm::concat<const ReduceOp>(rowReductions, columnReductions))
    if (phaseOfOp(reduce) == phase)
      values.push_back(reduce.getInput());
  for (Value result : kernel.getBody().front().getTerminator()->getOperands())
    if (phaseOf(result) == phase && !columns.contains(result))
      values.push_back(isScattered(result) ? result.getDefiningOp<ScatterOp>().getRows() : result);
  return neededFor(values);
}

llvm::DenseSet<Value> AccessPattern::neededOrKeptIn(int64_t phase) const {
  SmallVector<Value> values;
  for (Value value : crossing)
    if (phaseOf(value) == phase && !isa<BlockArgument>(value))
      values.push_back(value);
  llvm::DenseSet<Value> needed = neededFor(values);
  for (Value value : neededIn(phase))
    needed.insert(value);
  return needed;
}

llvm::DenseSet<Value> AccessPattern::neededForRowReductions(int64_t phase) const {
  SmallVector<Value> values;
  for (ReduceOp reduce : rowReductions)
    if (phaseOfOp(reduce) == phase)
      values.push_back(reduce.getInput());
  return neededFor(values);
}

llvm::DenseSet<Value> AccessPattern::neededForOutputs() const {
  SmallVector<Value> values;
  for (ReduceOp reduce : columnReductions)
    values.push_back(reduce.getInput());
  for (Value result : kernel.getBody().front().getTerminator()->getOperands())
    if (!columns.contains(result))
      values.push_back(isScattered(result) ? result.getDefiningOp<ScatterOp>().getRows() : result);
  return neededFor(values);
}

/// Values that vary along hidden and that others are computed from, themselves included.
llvm::DenseSet<Value> AccessPattern::neededFor(SmallVector<Value> values) const {
  llvm::DenseSet<Value> needed;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!variesAlongHidden(axesOf(value)) || !needed.insert(value).second)
      continue;
    if (Operation *producer = value.getDefiningOp())
      llvm::append_range(values, producer->getOperands());
  }
  return needed;
}
