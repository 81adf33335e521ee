//===- Fuse.cpp - Make one kernel of two -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Analysis/RowLayout.h"
#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/CostModel/BestSchedule.h"
#include "fastnorm/IR/KernelOps.h"
#include "fastnorm/Transforms/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace fastnorm {
#define GEN_PASS_DEF_FUSEPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

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
      if (!axesOf(argument) ||
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

/// Why `consumer` cannot be fused with the `producer` of one of its inputs; empty when it can.
static std::string whyNotFusible(KernelOp producer, KernelOp consumer, const Symbols &symbols) {
  if (producer.getSchedule() || consumer.getSchedule())
    return "one of them has a schedule of its own";
  for (Value table : consumer.getTables())
    if (table.getDefiningOp() == producer)
      return "the rows of one are gathered by the other";
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

/// One kernel that computes what both do; built beside them, before `consumer`.
static KernelOp merge(KernelOp producer, KernelOp consumer) {
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

/// Puts `merged` in the place of both.
static void replaceBoth(KernelOp producer, KernelOp consumer, KernelOp merged) {
  unsigned next = 0;
  for (Value result : producer.getResults())
    if (llvm::any_of(result.getUsers(), [&](Operation *user) { return user != consumer; }))
      result.replaceUsesWithIf(merged.getResult(next++), [&](OpOperand &use) { return use.getOwner() != consumer; });
  for (Value result : consumer.getResults())
    result.replaceAllUsesWith(merged.getResult(next++));
  consumer.erase();
  producer.erase();
}

namespace {

class FusePass : public fastnorm::impl::FusePassBase<FusePass> {
public:
  using FusePassBase::FusePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (fuse != "always" && fuse != "never")
      return emitError(UnknownLoc::get(context)) << "expects fuse to be always or never, but got '" << fuse << "'";
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    FailureOr<TargetAttr> target = requireTarget(function);
    if (failed(target))
      return signalPassFailure();
    FailureOr<bool> changed = true;
    while (succeeded(changed) && *changed)
      changed = fuseOnePair(function, *target);
    if (failed(changed))
      return signalPassFailure();
    for (auto &[pair, reason] : declined)
      emitRemark(KernelOp(pair.second).getLoc())
          << "missed fuse: " << pair.first.getName() << " into " << pair.second.getName() << ", " << reason;
  }

private:
  /// Whether a pair was fused.
  FailureOr<bool> fuseOnePair(func::FuncOp function, TargetAttr target) {
    declined.clear();
    FailureOr<Symbols> symbols = Symbols::of(function);
    if (failed(symbols))
      return failure();
    for (KernelOp consumer : function.getBody().getOps<KernelOp>())
      for (Value input : consumer.getInputs())
        if (auto producer = input.getDefiningOp<KernelOp>())
          if (tryToFuse(producer, consumer, *symbols, target))
            return true;
    return false;
  }

  bool tryToFuse(KernelOp producer, KernelOp consumer, const Symbols &symbols, TargetAttr target) {
    std::string reason = fuse == "never" ? "fuse=never" : whyNotFusible(producer, consumer, symbols);
    KernelOp merged;
    if (reason.empty()) {
      merged = merge(producer, consumer);
      if (!bestSchedule(AccessPattern(merged), target)) {
        merged.erase();
        reason = "no schedule runs both";
      }
    }
    if (!reason.empty()) {
      declined.insert({{producer, consumer}, reason});
      return false;
    }
    emitRemark(consumer.getLoc()) << "fuse: " << producer.getName() << " into " << consumer.getName();
    Block *block = consumer->getBlock();
    replaceBoth(producer, consumer, merged);
    sortTopologically(block);
    return true;
  }

  /// Pairs of this round that stay apart, and why.
  llvm::MapVector<std::pair<KernelOp, KernelOp>, std::string> declined;
};

} // namespace
