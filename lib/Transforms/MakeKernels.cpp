//===- MakeKernels.cpp - Kernels from nothing -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MakeKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fastnorm;

KernelOp fastnorm::createKernel(OpBuilder &builder, Location loc, StringRef name, ArrayRef<Value> inputs,
                                TypeRange resultTypes) {
  auto kernel = KernelOp::create(builder, loc, resultTypes, inputs, builder.getStringAttr(name), ScheduleAttr());
  Block *block = builder.createBlock(&kernel.getBody());
  for (Value input : inputs)
    block->addArgument(input.getType(), loc);
  builder.setInsertionPointAfter(kernel);
  return kernel;
}

void fastnorm::dropUnread(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (unsigned index = body.getNumArguments(); index-- > 0;)
    if (body.getArgument(index).use_empty()) {
      body.eraseArgument(index);
      kernel.getInputsMutable().erase(index);
    }
}

/// [row], or [rows, hidden].
static AxesAttr axesOfRows(RankedTensorType type) {
  SmallVector<Axis> list(std::max<int64_t>(1, type.getRank() - 1), Axis::Row);
  if (type.getRank() > 1)
    list.push_back(Axis::Hidden);
  return AxesAttr::get(type.getContext(), list);
}

Value fastnorm::copyOf(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  KernelOp kernel = createKernel(builder, loc, "copy", {value}, type);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  AxesAttr axes = axesOfRows(type);
  Value argument = kernel.getBody().getArgument(0);
  auto map = MapOp::create(builder, loc, type, argument, builder.getArrayAttr({axes}), axes);
  YieldOp::create(builder, loc, map.getResult());
  Block *body = builder.createBlock(&map.getBody(), {}, type.getElementType(), loc);
  YieldOp::create(builder, loc, body->getArgument(0));
  return kernel.getResult(0);
}

Value fastnorm::zerosOf(OpBuilder &builder, Location loc, RankedTensorType type) {
  KernelOp kernel = createKernel(builder, loc, "zeros", {}, type);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  auto map = MapOp::create(builder, loc, type, ValueRange(), builder.getArrayAttr({}), axesOfRows(type));
  YieldOp::create(builder, loc, map.getResult());
  builder.createBlock(&map.getBody());
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type.getElementType()));
  YieldOp::create(builder, loc, zero);
  return kernel.getResult(0);
}
