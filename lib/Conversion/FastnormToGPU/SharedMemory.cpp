//===- SharedMemory.cpp - Dynamic shared memory and its barriers -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include "fastnorm/Conversion/LaunchAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fastnorm;

static constexpr StringLiteral kDynamicName = "dynamic_shared_memory";

static LLVM::LLVMPointerType sharedPointer(Builder &builder) {
  return LLVM::LLVMPointerType::get(builder.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
}

static int64_t bytesOf(VectorType type) { return type.getNumElements() * type.getElementTypeBitWidth() / 8; }

/// One inline PTX statement that reads and writes memory; `type` may be null.
static Value inlinePtx(OpBuilder &builder, Location loc, Type type, StringRef text, StringRef constraints,
                       ValueRange operands) {
  return LLVM::InlineAsmOp::create(builder, loc, type, operands, text, constraints, /*has_side_effects=*/true,
                                   /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}

void SharedMemory::requirePtx(gpu::GPUFuncOp function, int64_t version) {
  Operation *module = function->getParentOp();
  auto known = module->getAttrOfType<IntegerAttr>(kPtxVersionAttr);
  if (!known || known.getInt() < version)
    module->setAttr(kPtxVersionAttr, Builder(module->getContext()).getI64IntegerAttr(version));
}

Value SharedMemory::base(gpu::GPUFuncOp function) {
  auto module = function->getParentOfType<gpu::GPUModuleOp>();
  auto global = module.lookupSymbol<LLVM::GlobalOp>(kDynamicName);
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                                    /*isConstant=*/false, LLVM::Linkage::External, kDynamicName, Attribute(),
                                    /*alignment=*/128, static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  }
  return LLVM::AddressOfOp::create(builder, loc, sharedPointer(builder), kDynamicName);
}

Value SharedMemory::constant(int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value SharedMemory::at(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getI8Type(), pointer, ValueRange(bytes));
}

Value SharedMemory::at(Value pointer, int64_t bytes) { return bytes ? at(pointer, constant(bytes)) : pointer; }

Value SharedMemory::ofGroup(Value pointer, Value group, int64_t bytes) {
  if (!group)
    return pointer;
  Value number = arith::TruncIOp::create(builder, loc, builder.getI32Type(), group);
  return at(pointer, arith::MulIOp::create(builder, loc, number, constant(bytes)));
}

/// The words a vector is moved in: of 32 bits where it has as many.
static VectorType wordsOf(VectorType type) {
  int64_t bytes = bytesOf(type);
  int64_t word = std::min<int64_t>(4, bytes);
  return VectorType::get({bytes / word}, IntegerType::get(type.getContext(), static_cast<unsigned>(8 * word)));
}

Value SharedMemory::load(VectorType type, Value pointer) {
  SmallVector<Value> words;
  VectorType all = wordsOf(type);
  for (int64_t done = 0; done < all.getNumElements(); done += 4) {
    auto part = VectorType::get({std::min<int64_t>(4, all.getNumElements() - done)}, all.getElementType());
    Value loaded = LLVM::LoadOp::create(builder, loc, part, at(pointer, done * 4), bytesOf(part));
    llvm::append_range(words, vector::ToElementsOp::create(builder, loc, loaded).getResults());
  }
  return vector::BitCastOp::create(builder, loc, type, vector::FromElementsOp::create(builder, loc, all, words));
}

Value SharedMemory::loadOr(VectorType type, Value pointer, Value predicate, Value elsewhere) {
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value loaded = load(type, arith::SelectOp::create(builder, loc, predicate, pointer, elsewhere));
  return arith::SelectOp::create(builder, loc, predicate, loaded, zero);
}

void SharedMemory::store(Value vector, Value pointer) {
  auto type = cast<VectorType>(vector.getType());
  LLVM::StoreOp::create(builder, loc, vector, pointer, bytesOf(type));
}

void SharedMemory::initializeBarrier(Value barrier, int64_t arrivals) {
  NVVM::MBarrierInitOp::create(builder, loc, barrier, constant(arrivals), Value());
}

void SharedMemory::publishBarriers() {
  NVVM::FenceMbarrierInitOp::create(builder, loc);
  NVVM::FenceProxyOp::create(builder, loc, NVVM::ProxyKind::async, NVVM::SharedSpaceAttr());
}

void SharedMemory::arriveExpecting(Value barrier, Value bytes) {
  inlinePtx(builder, loc, Type(), "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r", {barrier, bytes});
}

void SharedMemory::wait(Value barrier, Value parity) {
  // A hint in ns; the loop around it ends when the phase does.
  NVVM::MBarrierTryWaitParityOp::create(builder, loc, barrier, parity, constant(10000000));
}

void SharedMemory::copyAsync(Value to, Value from, Value bytes, Value barrier) {
  inlinePtx(builder, loc, Type(),
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", "r,l,r,r",
            {to, from, bytes, barrier});
}

void SharedMemory::copyOwn(Value to, Value from, int64_t offset, int64_t bytes, Value condition) {
  int64_t piece = std::min<int64_t>(16, bytes);
  Value readBytes;
  if (condition)
    readBytes = arith::SelectOp::create(builder, loc, condition, constant(piece), constant(0));
  for (int64_t done = 0; done < bytes; done += piece) {
    // Past the L1 where that can be.
    std::string text = llvm::formatv("cp.async.{0}.shared.global [$0+{1}], [$1+{2}], {3}{4};",
                                     piece == 16 ? "cg" : "ca", done, offset + done, piece, condition ? ", $2" : "");
    SmallVector<Value> operands{to, from};
    if (condition)
      operands.push_back(readBytes);
    inlinePtx(builder, loc, Type(), text, condition ? "r,l,r" : "r,l", operands);
  }
}

void SharedMemory::closeCopies() { inlinePtx(builder, loc, Type(), "cp.async.commit_group;", "", {}); }

void SharedMemory::waitForCopies(int64_t pending) {
  inlinePtx(builder, loc, Type(), "cp.async.wait_group " + std::to_string(pending) + ";", "", {});
}

Value SharedMemory::peerAddress(Value pointer, Value rank) {
  // Without side effects: the same over all rows.
  return LLVM::InlineAsmOp::create(builder, loc, builder.getI32Type(), ValueRange{pointer, rank},
                                   "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", /*has_side_effects=*/false,
                                   /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}

void SharedMemory::storeAsync(Value value, Value address, Value barrier) {
  inlinePtx(builder, loc, Type(), "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [$0], $1, [$2];",
            "r,f,r", {address, value, barrier});
}
