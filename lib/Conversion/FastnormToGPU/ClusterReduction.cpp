//===- ClusterReduction.cpp - Row sums over the CTAs of a cluster -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterReduction.h"

#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fastnorm;

// All threads of a warp come to these together: `.aligned`. The relaxed form of arrive would do, but needs PTX 8.0;
// with nothing written before it, releasing costs nothing.
void fastnorm::emitClusterStarts(OpBuilder &builder, Location loc) {
  NVVM::ClusterArriveOp::create(builder, loc, builder.getUnitAttr());
}

void fastnorm::emitClusterStarted(OpBuilder &builder, Location loc) {
  NVVM::ClusterWaitOp::create(builder, loc, builder.getUnitAttr());
}

void fastnorm::emitClusterBarrier(OpBuilder &builder, Location loc) {
  NVVM::ClusterArriveOp::create(builder, loc, builder.getUnitAttr());
  NVVM::ClusterWaitOp::create(builder, loc, builder.getUnitAttr());
}

static LLVM::LLVMPointerType pointerIn(OpBuilder &builder, NVVM::NVVMMemorySpace space) {
  return LLVM::LLVMPointerType::get(builder.getContext(), static_cast<unsigned>(space));
}

Value fastnorm::emitSharedPointer(OpBuilder &builder, Location loc, Value slots) {
  return LLVM::IntToPtrOp::create(builder, loc, pointerIn(builder, NVVM::NVVMMemorySpace::Shared),
                                  emitAddress(builder, loc, slots));
}

Value fastnorm::emitPeerPointer(OpBuilder &builder, Location loc, Value slots, Value rank) {
  Value own = emitSharedPointer(builder, loc, slots);
  return NVVM::MapaOp::create(builder, loc, pointerIn(builder, NVVM::NVVMMemorySpace::SharedCluster), own, rank);
}

void fastnorm::emitPeerStore(OpBuilder &builder, Location loc, Value value, Value pointer, Value index) {
  Value element = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  Value place = LLVM::GEPOp::create(builder, loc, pointer.getType(), value.getType(), pointer, ValueRange(element));
  LLVM::StoreOp::create(builder, loc, value, place, /*alignment=*/4);
}
