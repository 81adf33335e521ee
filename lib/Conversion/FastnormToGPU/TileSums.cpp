//===- TileSums.cpp - Row sums of a tile -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileSums.h"

#include "ClusterReduction.h"
#include "RowReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fastnorm;

TileSums::TileSums(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                   const KernelInterface &interface, const WarpPlace &place)
    : builder(builder), loc(pattern.kernel.getLoc()), pattern(pattern), schedule(schedule), layout(pattern, schedule),
      memory(builder, loc), place(place), base(memory.base(interface.function)) {}

Value TileSums::multiply(Value value, int64_t factor) {
  return arith::MulIOp::create(builder, loc, value, memory.constant(factor));
}

Value TileSums::add(Value left, Value right) { return arith::AddIOp::create(builder, loc, left, right); }

Value TileSums::narrowed(Value value) { return arith::TruncIOp::create(builder, loc, builder.getI32Type(), value); }

Value TileSums::loadFloat(Value pointer) {
  return LLVM::LoadOp::create(builder, loc, builder.getF32Type(), pointer, /*alignment=*/4);
}

void TileSums::storeFloat(Value value, Value pointer) {
  LLVM::StoreOp::create(builder, loc, value, pointer, /*alignment=*/4);
}

void TileSums::enterTile(Value number) {
  Value odd = arith::AndIOp::create(builder, loc, narrowed(number), memory.constant(1));
  set = multiply(odd, layout.setBytes());
}

/// Bytes from the start to the first part of a row (i32), of reduction 0.
Value TileSums::rowOfParts(Value row) { return add(set, multiply(row, layout.parts * 4)); }

/// By the first lane; in a cluster lane p stores to CTA p. The parts of a row are ordered CTA after CTA.
void TileSums::leave(int64_t phase, Value row, ArrayRef<Value> values) {
  int64_t ctas = schedule.getClusterCtas();
  Value isWriter = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, place.lane, memory.constant(ctas));
  auto onWriters = scf::IfOp::create(builder, loc, isWriter, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(onWriters.thenBlock());
  Value part = arith::RemUIOp::create(builder, loc, place.warp, memory.constant(layout.warpsOfRow));
  Value target = base;
  if (ctas > 1) {
    part = add(part, multiply(place.rank, layout.warpsOfRow));
    auto ofCluster =
        LLVM::LLVMPointerType::get(builder.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
    target = NVVM::MapaOp::create(builder, loc, ofCluster, base, place.lane);
  }
  target = memory.at(target, add(rowOfParts(narrowed(row)), multiply(part, 4)));
  for (auto [number, value] : llvm::zip(pattern.rowSumsOf(phase), values))
    storeFloat(value, memory.at(target, number * layout.reductionBytes()));
}

void TileSums::meet(int64_t phase, Value rows) {
  if (schedule.getClusterCtas() > 1)
    emitClusterBarrier(builder, loc);
  else
    gpu::BarrierOp::create(builder, loc);
  if (layout.parts == 1)
    return;
  auto i64 = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  Value first = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), place.warp);
  auto loop = scf::ForOp::create(builder, loc, first, rows, i64(layout.warps));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    for (int64_t number : pattern.rowSumsOf(phase))
      combineParts(number, narrowed(loop.getInductionVar()));
  }
  gpu::BarrierOp::create(builder, loc);
}

/// Lane l takes parts l, l + 32, …, and the lanes meet in a butterfly.
void TileSums::combineParts(int64_t number, Value row) {
  ReduceOp reduce = pattern.rowSums[number].reduce;
  Value identity = emitIdentity(builder, loc, reduce.getCombiner());
  Value own = add(rowOfParts(row), multiply(place.lane, 4));
  Value total;
  for (int64_t done = 0; done < layout.parts; done += 32) {
    Value pointer = memory.at(base, add(own, memory.constant(number * layout.reductionBytes() + done * 4)));
    Value exists;
    if (layout.parts - done < 32) {
      exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, place.lane,
                                     memory.constant(layout.parts - done));
      Value firstOfRow = memory.at(base, add(rowOfParts(row), memory.constant(number * layout.reductionBytes())));
      pointer = arith::SelectOp::create(builder, loc, exists, pointer, firstOfRow);
    }
    Value value = loadFloat(pointer);
    if (exists)
      value = arith::SelectOp::create(builder, loc, exists, value, identity);
    total = total ? emitCombine(builder, loc, reduce.getCombiner(), total, value, /*contract=*/false) : value;
  }
  total = emitButterfly(builder, loc, reduce.getCombiner(), total, 32);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, place.lane, memory.constant(0));
  auto onFirst = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(onFirst.thenBlock());
  storeFloat(total, memory.at(memory.at(base, multiply(row, 4)), layout.totalsOffset(number)));
}

SmallVector<Value> TileSums::load(int64_t phase, Value row) {
  SmallVector<Value> sums;
  bool isOnePart = layout.parts == 1;
  Value ofRow = memory.at(base, isOnePart ? rowOfParts(narrowed(row)) : multiply(narrowed(row), 4));
  for (int64_t number : pattern.rowSumsOf(phase))
    sums.push_back(
        loadFloat(memory.at(ofRow, isOnePart ? number * layout.reductionBytes() : layout.totalsOffset(number))));
  return sums;
}
