//===- Decompose.cpp - Graph ops become kernels of the algebra -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MakeKernels.h"
#include "ScatterKernels.h"

#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/IR/GraphOps.h"
#include "fastnorm/IR/KernelOps.h"
#include "fastnorm/Transforms/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

namespace fastnorm {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "fastnorm/Transforms/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

static void decomposeGraphOp(GraphOpInterface graphOp) {
  Operation *op = graphOp.getOperation();
  OpBuilder builder(op);
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  StringRef name = op->getName().stripDialect();
  KernelOp kernel = createKernel(builder, op->getLoc(), name, inputs.getArrayRef(), op->getResultTypes());
  IRMapping arguments;
  arguments.map(inputs.getArrayRef(), kernel.getBody().getArguments());
  SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return arguments.lookup(operand); });
  builder.setInsertionPointToStart(&kernel.getBody().front());
  SmallVector<Value> results = graphOp.decompose(builder, operands);
  YieldOp::create(builder, op->getLoc(), results);
  dropUnread(kernel);
  op->replaceAllUsesWith(kernel.getResults());
  op->erase();
}

/// Moves algebra ops into one kernel that yields what others use.
static void wrapAlgebraOps(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 8> members(ops.begin(), ops.end());
  llvm::SetVector<Value> inputs;
  SmallVector<Value> results;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!members.contains(operand.getDefiningOp()))
        inputs.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !members.contains(user); }))
        results.push_back(result);
  }
  Location loc = ops.front()->getLoc();
  bool hasName = ops.size() == 1 && isa<GatherOp, ScatterOp>(ops.front());
  StringRef name = hasName ? ops.front()->getName().stripDialect() : "algebra";
  OpBuilder builder(ops.back()->getContext());
  builder.setInsertionPointAfter(ops.back());
  KernelOp kernel = createKernel(builder, loc, name, inputs.getArrayRef(), TypeRange(ValueRange(results)));
  for (auto [result, kernelResult] : llvm::zip(results, kernel.getResults()))
    result.replaceUsesWithIf(kernelResult, [&](OpOperand &use) { return !members.contains(use.getOwner()); });
  Block &body = kernel.getBody().front();
  for (Operation *op : ops)
    op->moveBefore(&body, body.end());
  for (auto [input, argument] : llvm::zip(inputs, body.getArguments()))
    for (Operation *op : ops)
      op->replaceUsesOfWith(input, argument);
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, loc, results);
}

/// Whether an operand of an op is not computed in the op's kernel: what is gathered from or scattered into, what was
/// scattered, and rows that are added up where they land.
static bool isApart(OpOperand &operand) {
  Operation *op = operand.getOwner();
  auto scatter = dyn_cast<ScatterOp>(op);
  bool addsUp = scatter && scatter.accumulates() && cast<RankedTensorType>(scatter.getIndex().getType()).getRank() == 1;
  return isScattered(operand.get()) || (isa<GatherOp>(op) && operand.getOperandNumber() == 0) ||
         (scatter && operand.getOperandNumber() == 2) || addsUp;
}

/// A run of neighbouring algebra ops, split into those that depend on each other.
static void wrapRun(ArrayRef<Operation *> run) {
  llvm::EquivalenceClasses<Operation *> classes;
  for (Operation *op : run) {
    classes.insert(op);
    for (OpOperand &operand : op->getOpOperands())
      if (Operation *producer = operand.get().getDefiningOp(); llvm::is_contained(run, producer) && !isApart(operand))
        classes.unionSets(op, producer);
  }
  llvm::MapVector<Operation *, SmallVector<Operation *>> components;
  for (Operation *op : run)
    components[classes.getLeaderValue(op)].push_back(op);
  for (auto &[leader, ops] : components)
    wrapAlgebraOps(ops);
}

static void wrapLooseAlgebra(Block &block) {
  SmallVector<SmallVector<Operation *>> runs(1);
  for (Operation &op : block) {
    if (isa<MapOp, ReduceOp, GatherOp, ScatterOp>(op))
      runs.back().push_back(&op);
    else if (!runs.back().empty())
      runs.emplace_back();
  }
  for (ArrayRef<Operation *> run : runs)
    if (!run.empty())
      wrapRun(run);
}

namespace {

class DecomposePass : public fastnorm::impl::DecomposePassBase<DecomposePass> {
public:
  void runOnOperation() override {
    if (failed(verifyGraph(getOperation())))
      return signalPassFailure();
    Block &block = getOperation().getBody().front();
    eraseDead(block);
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto graphOp = dyn_cast<GraphOpInterface>(op))
        decomposeGraphOp(graphOp);
    wrapLooseAlgebra(block);
    prepareScatters(block);
    sortTopologically(&block);
    if (failed(verifyOnlyKernels(block)) || failed(giveEachResultAKernel(block)))
      signalPassFailure();
  }

private:
  void eraseDead(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  LogicalResult verifyOnlyKernels(Block &block) {
    for (Operation &op : block.without_terminator())
      if (!isa<KernelOp>(op))
        return op.emitOpError("cannot be compiled: a graph holds ops of the fastnorm dialect only");
    return success();
  }

  LogicalResult giveEachResultAKernel(Block &block) {
    Operation *terminator = block.getTerminator();
    OpBuilder builder(terminator);
    llvm::SmallPtrSet<Value, 8> written;
    for (OpOperand &returned : terminator->getOpOperands()) {
      if (returned.get().getDefiningOp<KernelOp>() && written.insert(returned.get()).second)
        continue;
      auto type = cast<RankedTensorType>(returned.get().getType());
      if (type.getRank() > 4)
        return terminator->emitOpError("returns an argument of type ")
               << type << "; only tensors of rank 1 to 4 can be copied to a result";
      returned.set(copyOf(builder, terminator->getLoc(), returned.get()));
      written.insert(returned.get());
    }
    return success();
  }
};

} // namespace
