//===- MergeKernels.cpp - Make one kernel of two --------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeKernels.h"

#include "fastnorm/Analysis/RowLayout.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fastnorm;

/// Whether an op uses a result of `producer` through other ops.
static bool dependsIndirectly(Operation *op, Operation *producer) {
  SmallVector<Operation *> pending;
  llvm::SmallPtrSet<Operation *, 8> seen;
  auto push = [&](Operation *from) {
    for (Value operand : from->getOperands())
      if (Operation *definition = operand.getDefiningOp(); definition && seen.insert(definition).second)
        pending.push_back(definition);
  };
  push(op);
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    if (next == producer)
      continue;
    for (Value operand : next->getOperands())
      if (operand.getDefiningOp() == producer)
        return true;
    push(next);
  }
  return false;
}

/// Whether `consumer` reads a result of `producer` along other axes than those it was computed with.
static bool readsAlongOtherAxes(KernelOp producer, KernelOp consumer) {
  Operation *yield = producer.getBody().front().getTerminator();
  for (auto [input, argument] : llvm::zip(consumer.getInputs(), consumer.getBody().getArguments()))
    if (auto result = dyn_cast<OpResult>(input); result && result.getOwner() == producer)
      if (!axesOf(argument) || isScattered(yield->getOperand(result.getResultNumber())) ||
          axesOf(argument).withoutHeadNames() != axesOf(yield->getOperand(result.getResultNumber())).withoutHeadNames())
        return true;
  return false;
}

/// Whether `consumer` reads what `producer` reduces over all rows.
static bool readsColumnReduction(KernelOp producer, KernelOp consumer) {
  Operation *yield = producer.getBody().front().getTerminator();
  llvm::DenseSet<Value> columns = columnValues(producer);
  return llvm::any_of(consumer.getInputs(), [&](Value input) {
    auto result = dyn_cast<OpResult>(input);
    return result && result.getOwner() == producer && columns.contains(yield->getOperand(result.getResultNumber()));
  });
}

std::string fastnorm::whyNotFusible(KernelOp producer, KernelOp consumer, const Symbols &symbols) {
  if (producer.getSchedule() || consumer.getSchedule())
    return "one of them has a schedule of its own";
  for (Value table : consumer.getTables())
    if (table.getDefiningOp() == producer)
      return "the rows of one are gathered by the other";
  for (auto [into, result] : consumer.getEqualTables())
    if (into.getDefiningOp() == producer)
      return "one fills what the other scatters into";
  if (!symbols.sameRows(rowOperand(producer), rowOperand(consumer)) ||
      rowDimensionsOf(producer).drop_front() != rowDimensionsOf(consumer).drop_front())
    return "they work on different rows";
  if (readsColumnReduction(producer, consumer))
    return "one reads what the other reduces over all rows";
  if (readsAlongOtherAxes(producer, consumer))
    return "one reads the other's result along another axis";
  if (dependsIndirectly(consumer, producer))
    return "another kernel stands between them";
  return "";
}

KernelOp fastnorm::mergeBeside(KernelOp producer, KernelOp consumer) {
  OpBuilder builder(consumer);
  llvm::SetVector<Value> inputs(producer.getInputs().begin(), producer.getInputs().end());
  for (Value input : consumer.getInputs())
    if (input.getDefiningOp() != producer)
      inputs.insert(input);
  SmallVector<Value> escaping;
  for (Value result : producer.getResults())
    if (llvm::any_of(result.getUsers(), [&](Operation *user) { return user != consumer; }))
      escaping.push_back(result);
  SmallVector<Type> types(ValueRange(escaping).getTypes());
  llvm::append_range(types, consumer.getResultTypes());

  std::string name = (producer.getName() + "_" + consumer.getName()).str();
  Location loc = builder.getFusedLoc({producer.getLoc(), consumer.getLoc()});
  auto merged =
      KernelOp::create(builder, loc, types, inputs.getArrayRef(), builder.getStringAttr(name), ScheduleAttr());
  Block *block = builder.createBlock(&merged.getBody());
  IRMapping outside;
  for (Value input : inputs)
    outside.map(input, block->addArgument(input.getType(), loc));
  auto cloneBody = [&](KernelOp kernel) {
    IRMapping inside;
    for (auto [argument, input] : llvm::zip(kernel.getBody().getArguments(), kernel.getInputs()))
      inside.map(argument, outside.lookup(input));
    for (Operation &op : kernel.getBody().front().without_terminator())
      builder.clone(op, inside);
    Operation *yield = kernel.getBody().front().getTerminator();
    for (auto [result, inner] : llvm::zip(kernel.getResults(), yield->getOperands()))
      outside.map(result, inside.lookup(inner));
  };
  cloneBody(producer);
  cloneBody(consumer);
  SmallVector<Value> yielded;
  for (Value result : escaping)
    yielded.push_back(outside.lookup(result));
  for (Value result : consumer.getResults())
    yielded.push_back(outside.lookup(result));
  YieldOp::create(builder, loc, yielded);
  return merged;
}

void fastnorm::replaceBoth(KernelOp producer, KernelOp consumer, KernelOp merged) {
  Block *block = consumer->getBlock();
  unsigned next = 0;
  for (Value result : producer.getResults())
    if (llvm::any_of(result.getUsers(), [&](Operation *user) { return user != consumer; }))
      result.replaceUsesWithIf(merged.getResult(next++), [&](OpOperand &use) { return use.getOwner() != consumer; });
  for (Value result : consumer.getResults())
    result.replaceAllUsesWith(merged.getResult(next++));
  consumer.erase();
  producer.erase();
  sortTopologically(block);
}
