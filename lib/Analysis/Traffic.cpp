//===- Traffic.cpp - Bytes a kernel moves -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/Traffic.h"

#include "fastnorm/Analysis/AccessPattern.h"

using namespace mlir;
using namespace fastnorm;

/// Distinct elements of a value, leaving out its first dimension: those with a stride of 0 are there once.
static int64_t elementsPerRow(RankedTensorType type) {
  int64_t count = 1;
  for (auto [extent, stride] : llvm::drop_begin(llvm::zip(type.getShape(), stridesOf(type))))
    count *= stride ? extent : 1;
  return count;
}

Traffic::Traffic(KernelOp kernel) {
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    int64_t bytes = elementBytes(type.getElementType());
    if (isTable(argument))
      continue;
    if (axesOf(argument).contains(Axis::Row) && stridesOf(type)[0] == 0)
      read.fixed += bytes * elementsPerRow(type);
    else if (axesOf(argument).contains(Axis::Row))
      read.perRow += bytes * elementsPerRow(type);
    else
      read.fixed += bytes * type.getNumElements();
  }
  for (GatherOp gather : kernel.getBody().getOps<GatherOp>()) {
    auto type = cast<RankedTensorType>(gather.getResult().getType());
    read.perRow += elementBytes(type.getElementType()) * elementsPerRow(type);
  }
  for (Value result : kernel.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    written.perRow += elementBytes(type.getElementType()) * elementsPerRow(type);
  }
}
