//===- FinalizeInterface.cpp - The kernel of a finalize launch -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FinalizeInterface.h"

#include "fastnorm/Analysis/SharedLayout.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace fastnorm;

/// Sets that one CTA of the first of two launches adds up.
static constexpr int64_t kSetsOfSplit = 256;

int64_t fastnorm::finalizeSplits(const AccessPattern &pattern, ScheduleAttr schedule) {
  int64_t sets = persistentClusters(schedule) / pattern.columnHeads;
  return sets > kMostSetsOfOneLaunch ? llvm::divideCeil(sets, kSetsOfSplit) : 1;
}

// 16 bytes more than a warp has let warps begin in different banks.
FinalizeTile::FinalizeTile(const PartialsLayout &layout, ScheduleAttr schedule)
    : elements(layout.unit * schedule.getFinalizeWidth()),
      ofColumns(llvm::divideCeil(layout.chunks * layout.chunk, elements)),
      slotsOfWarp(static_cast<int64_t>(llvm::alignTo(elements, 4)) + 4) {}

static void collect(const AccessPattern &pattern, Value value, ColumnSources &sources, llvm::DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return;
  if (isa<BlockArgument>(value)) {
    sources.inputs.insert(value);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (isColumnReduction(op)) {
    sources.reductions.insert(llvm::find(pattern.columnReductions, op) - pattern.columnReductions.begin());
    return;
  }
  for (Value operand : op->getOperands())
    collect(pattern, operand, sources, seen);
}

ColumnSources::ColumnSources(const AccessPattern &pattern, Value value) {
  llvm::DenseSet<Value> seen;
  collect(pattern, value, *this, seen);
}

FinalizeInterface::FinalizeInterface(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                                     StringRef name, bool leavesPartials)
    : leavesPartials(leavesPartials) {
  PartialsLayout layout(pattern, schedule);
  FinalizeTile tile(layout, schedule);
  int64_t reductionsOfResult = choose(pattern);
  ctas = tile.ofColumns * (leavesPartials ? layout.reductions * finalizeSplits(pattern, schedule)
                                          : static_cast<int64_t>(results.size()));
  create(builder, pattern, name, reductionsOfResult * kFinalizeWarps * tile.slotsOfWarp);
  nameArguments();
}

int64_t FinalizeInterface::choose(const AccessPattern &pattern) {
  size_t mostReductions = 1;
  if (leavesPartials)
    return mostReductions;
  llvm::SetVector<Value> read;
  KernelOp kernel = pattern.kernel;
  for (auto [number, value] : llvm::enumerate(kernel.getBody().front().getTerminator()->getOperands())) {
    if (!pattern.columns.contains(value))
      continue;
    results.push_back(number);
    ColumnSources sources(pattern, value);
    read.insert(sources.inputs.begin(), sources.inputs.end());
    mostReductions = std::max(mostReductions, sources.reductions.size());
  }
  for (Value input : read)
    inputs.push_back(cast<BlockArgument>(input));
  return mostReductions;
}

void FinalizeInterface::create(OpBuilder &builder, const AccessPattern &pattern, StringRef name, int64_t slotCount) {
  KernelOp kernel = pattern.kernel;
  auto pointerType = [&](Type element) {
    return MemRefType::get({1}, element, MemRefLayoutAttrInterface(), builder.getI64IntegerAttr(1));
  };
  auto pointerTo = [&](Value tensor) { return pointerType(cast<RankedTensorType>(tensor.getType()).getElementType()); };
  SmallVector<Type> types;
  for (BlockArgument input : inputs)
    types.push_back(pointerTo(input));
  for (unsigned result : results)
    types.push_back(pointerTo(kernel.getResult(result)));
  types.append(leavesPartials ? 2 : 1, pointerType(builder.getF32Type()));
  types.push_back(builder.getI64Type());
  auto slotsType =
      MemRefType::get({slotCount}, builder.getF32Type(), MemRefLayoutAttrInterface(), builder.getI64IntegerAttr(3));
  function =
      gpu::GPUFuncOp::create(builder, kernel.getLoc(), name, builder.getFunctionType(types, {}), TypeRange(slotsType));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr({static_cast<int32_t>(kFinalizeThreads), 1, 1}));
  function.setWorkgroupAttributionAttr(0, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(16));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  gpu::ReturnOp::create(builder, kernel.getLoc());
}

void FinalizeInterface::nameArguments() {
  ArrayRef<BlockArgument> arguments = function.getArguments();
  for (BlockArgument input : inputs) {
    inputPointers[input] = arguments.front();
    arguments = arguments.drop_front();
  }
  resultPointers.append(arguments.begin(), arguments.begin() + results.size());
  arguments = arguments.drop_front(results.size());
  partials = arguments.front();
  nextPartials = leavesPartials ? arguments[1] : BlockArgument();
  // Behind it is the shared memory.
  sets = arguments[leavesPartials ? 2 : 1];
  slots = function.getWorkgroupAttributions()[0];
}
