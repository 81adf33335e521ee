//===- ColumnFill.cpp - The launch before sums that are added in place -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnFill.h"

#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

SmallVector<PlainColumnSum> fastnorm::sumsToFill(const AccessPattern &pattern, ScheduleAttr schedule) {
  if (!schedule.addsAtomically())
    return {};
  SmallVector<PlainColumnSum> sums = plainColumnSums(pattern);
  llvm::erase_if(sums, [](const PlainColumnSum &sum) { return sum.isInPlace; });
  return sums;
}

/// Elements of one result.
static int64_t elementsOf(const AccessPattern &pattern) { return pattern.hidden * pattern.columnHeads; }

/// CTAs that share the columns of one result.
static int64_t columnTiles(const AccessPattern &pattern) { return llvm::divideCeil(elementsOf(pattern), kFillThreads); }

FillInterface::FillInterface(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule, StringRef name)
    : sums(sumsToFill(pattern, schedule)), ctas(columnTiles(pattern) * static_cast<int64_t>(sums.size())) {
  auto pointer = MemRefType::get({1}, builder.getF32Type(), MemRefLayoutAttrInterface(), builder.getI64IntegerAttr(1));
  SmallVector<Type> types;
  for (const PlainColumnSum &sum : sums)
    types.append(sum.old ? 2 : 1, pointer);
  function = gpu::GPUFuncOp::create(builder, pattern.kernel.getLoc(), name, builder.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr({static_cast<int32_t>(kFillThreads), 1, 1}));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  gpu::ReturnOp::create(builder, pattern.kernel.getLoc());
}

void fastnorm::emitFill(OpBuilder &builder, const AccessPattern &pattern, const FillInterface &interface) {
  Location loc = pattern.kernel.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  auto i64 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value left, int64_t right) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, left, constant(right));
  };
  Value cta = i64(gpu::BlockIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                         builder.getIndexAttr(interface.ctas)));
  Value thread = i64(gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(), gpu::Dimension::x,
                                             builder.getIndexAttr(kFillThreads)));
  Value tile = arith::RemUIOp::create(builder, loc, cta, constant(columnTiles(pattern)));
  Value part = arith::DivUIOp::create(builder, loc, cta, constant(columnTiles(pattern)));
  Value first = arith::MulIOp::create(builder, loc, tile, constant(kFillThreads));
  Value column = arith::AddIOp::create(builder, loc, first, thread);
  Value exists = compare(arith::CmpIPredicate::slt, column, elementsOf(pattern));
  Value offset = arith::MulIOp::create(builder, loc, column, constant(4));
  VectorAccess access(builder, loc);
  auto element = VectorType::get({1}, builder.getF32Type());
  ArrayRef<BlockArgument> pointers = interface.function.getArguments();
  auto addressOf = [&](Value pointer) -> VectorAddress {
    return {arith::AddIOp::create(builder, loc, emitAddress(builder, loc, pointer), offset), 0};
  };
  for (auto [number, sum] : llvm::enumerate(interface.sums)) {
    Value isOwn = compare(arith::CmpIPredicate::eq, part, static_cast<int64_t>(number));
    Value predicate = arith::AndIOp::create(builder, loc, isOwn, exists);
    Value value = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
    if (sum.old) {
      value = access.load(element, addressOf(pointers.front()), LoadPolicy::Ordered, predicate);
      pointers = pointers.drop_front();
    }
    access.store(value, addressOf(pointers.front()), StorePolicy::Cached, predicate);
    pointers = pointers.drop_front();
  }
}
