//===- Traffic.cpp - Bytes a kernel moves -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/Traffic.h"

#include "fastnorm/Analysis/AccessPattern.h"
#include "fastnorm/Analysis/RowLayout.h"

using namespace mlir;
using namespace fastnorm;

/// Distinct elements of a value, leaving out its first dimension: those with a stride of 0 are there once.
static int64_t elementsPerRow(RankedTensorType type) {
  int64_t count = 1;
  for (auto [extent, stride] : llvm::drop_begin(llvm::zip(type.getShape(), stridesOf(type))))
    count *= stride ? extent : 1;
  return count;
}

ByteCount fastnorm::bytesRead(BlockArgument argument) {
  ByteCount count;
  auto type = cast<RankedTensorType>(argument.getType());
  int64_t bytes = elementBytes(type.getElementType());
  if (isTable(argument)) {
    for (Operation *user : argument.getUsers())
      if (auto gather = dyn_cast<GatherOp>(user); gather && gather.getTable() == argument)
        count.perRow += bytes * elementsPerRow(cast<RankedTensorType>(gather.getResult().getType()));
    return count;
  }
  AxesAttr axes = axesOf(argument);
  if (!axes)
    return count;
  if (axes.contains(Axis::Row) && stridesOf(type)[0] == 0)
    count.fixed = bytes * elementsPerRow(type);
  else if (axes.contains(Axis::Row))
    count.perRow = bytes * elementsPerRow(type);
  else
    count.fixed = bytes * type.getNumElements();
  return count;
}

/// Bytes that a kernel writes for each row of what it yields.
static int64_t writtenPerRow(Value yielded) {
  auto scatter = yielded.getDefiningOp<ScatterOp>();
  Value rows = scatter ? scatter.getRows() : yielded;
  return elementBytes(yielded) * elementsPerRow(cast<RankedTensorType>(rows.getType()));
}

Traffic Traffic::ofRows(const AccessPattern &pattern) {
  Traffic traffic;
  KernelOp kernel = pattern.kernel;
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (!llvm::is_contained(pattern.columnOperands, argument)) {
      ByteCount count = bytesRead(argument);
      traffic.read.fixed += count.fixed;
      traffic.read.perRow += count.perRow;
    }
  for (Value value : kernel.getBody().front().getTerminator()->getOperands())
    if (!pattern.columns.contains(value))
      traffic.written.perRow += writtenPerRow(value);
  return traffic;
}

Traffic Traffic::ofColumns(const AccessPattern &pattern) {
  auto bytesOf = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return elementBytes(type.getElementType()) * type.getNumElements();
  };
  Traffic traffic;
  for (BlockArgument argument : pattern.columnOperands)
    traffic.read.fixed += bytesOf(argument);
  for (Value value : pattern.kernel.getBody().front().getTerminator()->getOperands())
    if (pattern.columns.contains(value))
      traffic.written.fixed += bytesOf(value);
  return traffic;
}

Traffic::Traffic(const AccessPattern &pattern, int64_t phase, int64_t ctasPerRow) {
  llvm::DenseSet<Value> needed = pattern.neededIn(phase);
  for (BlockArgument argument : pattern.kernel.getBody().getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    AxesAttr axes = isTable(argument) ? AxesAttr() : axesOf(argument);
    bool isLeftOut = axes && axes.contains(Axis::Hidden) && !needed.contains(argument);
    if (!axes || isLeftOut || llvm::is_contained(pattern.columnOperands, argument))
      continue;
    int64_t bytes = elementBytes(type.getElementType());
    if (axes.contains(Axis::Row))
      read.perRow += bytes * elementsPerRow(type);
    else
      read.fixed += bytes * type.getNumElements();
  }
  for (GatherOp gather : pattern.gathers) {
    auto type = cast<RankedTensorType>(gather.getResult().getType());
    if (needed.contains(gather.getResult()))
      read.perRow += elementBytes(type.getElementType()) * elementsPerRow(type);
  }
  int64_t sumBytes = ctasPerRow * innerRowsOf(pattern.kernel) * 4;
  for (AccessPattern::RowSum sum : pattern.rowSums) {
    int64_t reducePhase = pattern.phaseOfOp(sum.reduce);
    if (reducePhase < phase)
      read.perRow += sumBytes;
    else if (reducePhase == phase)
      written.perRow += sumBytes;
  }
  Operation *yield = pattern.kernel.getBody().front().getTerminator();
  for (Value value : yield->getOperands())
    if (pattern.phaseOf(value) == phase && !pattern.columns.contains(value))
      written.perRow += writtenPerRow(value);
}
