//===- ScatterKernels.cpp - Kernels that scatters need -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScatterKernels.h"

#include "MakeKernels.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fastnorm;

/// A kernel in front of another that yields those of its results alone, which it stands for from then on.
static void moveResults(KernelOp kernel, ArrayRef<unsigned> results) {
  OpBuilder builder(kernel);
  SmallVector<Type> types =
      llvm::map_to_vector(results, [&](unsigned index) { return kernel.getResult(index).getType(); });
  auto part =
      KernelOp::create(builder, kernel.getLoc(), types, kernel.getInputs(), kernel.getNameAttr(), ScheduleAttr());
  IRMapping mapping;
  kernel.getBody().cloneInto(&part.getBody(), mapping);
  Operation *yield = part.getBody().front().getTerminator();
  SmallVector<Value> kept = llvm::map_to_vector(results, [&](unsigned index) { return yield->getOperand(index); });
  yield->setOperands(kept);
  dropUnread(part);
  for (auto [index, result] : llvm::zip(results, part.getResults()))
    kernel.getResult(index).replaceAllUsesWith(result);
}

/// Scatters that add up, each apart from all else. A kernel with a schedule stays what its author made it.
static void separateAccumulations(KernelOp kernel) {
  SmallVector<unsigned> others;
  SmallVector<unsigned> accumulations;
  for (auto [index, yielded] : llvm::enumerate(kernel.getBody().front().getTerminator()->getOperands())) {
    auto scatter = yielded.getDefiningOp<ScatterOp>();
    (scatter && scatter.accumulates() ? accumulations : others).push_back(index);
  }
  if (accumulations.empty() || kernel.getNumResults() == 1 || kernel.getSchedule())
    return;
  for (unsigned index : accumulations)
    moveResults(kernel, index);
  if (!others.empty())
    moveResults(kernel, others);
  kernel.erase();
}

/// What a scatter goes into is written over: it must be of a kernel that does nothing else with it.
static void fillRest(KernelOp kernel, ScatterOp scatter) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  if (!scatter.getInto()) {
    Value zeros = zerosOf(builder, loc, cast<RankedTensorType>(scatter.getResult().getType()));
    kernel.getInputsMutable().append(zeros);
    scatter.getIntoMutable().assign(kernel.getBody().addArgument(zeros.getType(), loc));
    return;
  }
  unsigned number = cast<BlockArgument>(scatter.getInto()).getArgNumber();
  Value into = kernel.getInputs()[number];
  if (!into.getDefiningOp<KernelOp>() || !into.hasOneUse())
    kernel->setOperand(number, copyOf(builder, loc, into));
}

void fastnorm::prepareScatters(Block &block) {
  for (KernelOp kernel : llvm::make_early_inc_range(block.getOps<KernelOp>()))
    separateAccumulations(kernel);
  for (KernelOp kernel : llvm::make_early_inc_range(block.getOps<KernelOp>()))
    for (ScatterOp scatter : kernel.getBody().getOps<ScatterOp>())
      if (scatter.getIndexMap() == IndexMap::Injective)
        fillRest(kernel, scatter);
}
