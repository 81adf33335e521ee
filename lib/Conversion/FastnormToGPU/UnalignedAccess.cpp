//===- UnalignedAccess.cpp - Vectors of rows that start anywhere -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnalignedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

static int64_t elementBytes(VectorType type) { return type.getElementTypeBitWidth() / 8; }
static int64_t bytesOf(VectorType type) { return type.getNumElements() * elementBytes(type); }
/// Vectors are aligned to their size, up to what one instruction moves.
static int64_t granuleBytes(VectorType type) { return std::min<int64_t>(16, bytesOf(type)); }
/// Shorter vectors than a register go element by element.
static bool hasWords(VectorType type) { return bytesOf(type) >= 4; }

Value UnalignedAccess::constant(int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value UnalignedAccess::both(Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(builder, loc, left, right);
}

VectorColumns UnalignedAccess::columns(Value first, int64_t width) {
  VectorColumns columns{first, Value(), {}};
  // Unsigned: a column before the row is past it, too.
  auto isBelow = [&](Value column, int64_t bound) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, column, constant(bound));
  };
  columns.inside = hidden >= width ? isBelow(first, hidden - width + 1)
                                   : arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  for (int64_t index = 0; index < width; ++index)
    columns.eachInside.push_back(isBelow(arith::AddIOp::create(builder, loc, first, constant(index)), hidden));
  return columns;
}

Value UnalignedAccess::addressOf(UnalignedRow row, Value column, int64_t bytes) {
  Value offset = arith::MulIOp::create(builder, loc, column, constant(bytes));
  offset = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), offset);
  return arith::AddIOp::create(builder, loc, row.address, offset);
}

UnalignedAccess::Granules UnalignedAccess::granulesOf(VectorType type, UnalignedRow row, const VectorColumns &columns) {
  int64_t bytes = elementBytes(type);
  int64_t granule = granuleBytes(type);
  Value address = addressOf(row, columns.first, bytes);
  if (row.sharesPhase)
    return {address, columns.inside, Value()};
  Value past = arith::TruncIOp::create(builder, loc, builder.getI32Type(), address);
  past = arith::AndIOp::create(builder, loc, past, constant(granule - 1));
  address =
      arith::SubIOp::create(builder, loc, address, arith::ExtUIOp::create(builder, loc, builder.getI64Type(), past));
  // Bytes from column 0. Unsigned: what begins before the row is past it, too.
  Value start =
      arith::SubIOp::create(builder, loc, arith::MulIOp::create(builder, loc, columns.first, constant(bytes)), past);
  auto fits = [&](int64_t extent) -> Value {
    if (extent > hidden * bytes)
      return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, start, constant(hidden * bytes - extent + 1));
  };
  Value isAligned = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, past, constant(0));
  Value areInRow =
      arith::OrIOp::create(builder, loc, fits(bytesOf(type) + granule), both(isAligned, fits(bytesOf(type))));
  return {address, areInRow, past};
}

/// The granules from the one that the vector begins in to the one that it ends in.
SmallVector<Value> UnalignedAccess::loadWords(VectorType type, const Granules &granules, LoadPolicy policy,
                                              Value predicate) {
  int64_t granule = granuleBytes(type);
  auto words = VectorType::get({granule / 4}, builder.getI32Type());
  SmallVector<Value> parts;
  auto loadAt = [&](int64_t offset, Value condition) {
    auto loaded =
        vector::ToElementsOp::create(builder, loc, access.load(words, {granules.address, offset}, policy, condition));
    llvm::append_range(parts, loaded.getResults());
  };
  for (int64_t offset = 0; offset < bytesOf(type); offset += granule)
    loadAt(offset, predicate);
  if (granules.past) {
    Value goesOn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, granules.past, constant(0));
    loadAt(bytesOf(type), both(predicate, goesOn));
  }
  return parts;
}

SmallVector<Value> UnalignedAccess::loadElements(VectorType type, UnalignedRow row, const VectorColumns &columns,
                                                 LoadPolicy policy, Value predicate) {
  int64_t bytes = elementBytes(type);
  Value address = addressOf(row, columns.first, bytes);
  SmallVector<Value> parts;
  for (auto [index, isInside] : llvm::enumerate(columns.eachInside))
    parts.push_back(
        access.loadElement(bytes, {address, static_cast<int64_t>(index) * bytes}, policy, both(predicate, isInside)));
  return parts;
}

// The two ways are branches, nearly always taken alike by a warp, whose loads arrive in the same registers: nothing
// waits for them there.
PendingVector UnalignedAccess::load(VectorType type, UnalignedRow row, const VectorColumns &columns, LoadPolicy policy,
                                    Value predicate) {
  if (!hasWords(type))
    return {type, loadElements(type, row, columns, policy, predicate), Value(), Value()};
  Granules granules = granulesOf(type, row, columns);
  int64_t words = bytesOf(type) / 4 + (granules.past ? granuleBytes(type) / 4 : 0);
  SmallVector<Type> types(std::max(words, type.getNumElements()), builder.getI32Type());
  auto choice = scf::IfOp::create(builder, loc, types, granules.areInRow, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto yield = [&](Block *block, llvm::function_ref<SmallVector<Value>()> emit) {
    builder.setInsertionPointToStart(block);
    SmallVector<Value> parts = emit();
    parts.resize(types.size(), constant(0));
    scf::YieldOp::create(builder, loc, parts);
  };
  yield(choice.thenBlock(), [&] { return loadWords(type, granules, policy, predicate); });
  yield(choice.elseBlock(), [&] { return loadElements(type, row, columns, policy, predicate); });
  builder.setInsertionPointAfter(choice);
  Value always = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value byElements = arith::XOrIOp::create(builder, loc, granules.areInRow, always);
  return {type, SmallVector<Value>(choice.getResults()), byElements, granules.past};
}

/// The words of the vector: past words, then past bytes of one are left out.
SmallVector<Value> UnalignedAccess::shifted(const PendingVector &pending) {
  size_t wanted = bytesOf(pending.type) / 4;
  SmallVector<Value> words(pending.parts);
  words.truncate(std::min<size_t>(words.size(), wanted + (pending.skippedBytes ? granuleBytes(pending.type) / 4 : 0)));
  if (!pending.skippedBytes)
    return words;
  for (int64_t skip = granuleBytes(pending.type) / 8; skip >= 1; skip /= 2) {
    Value bit = arith::AndIOp::create(builder, loc, pending.skippedBytes, constant(4 * skip));
    Value skips = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bit, constant(0));
    SmallVector<Value> left;
    for (size_t index = 0; index < wanted + skip && index + skip < words.size(); ++index)
      left.push_back(arith::SelectOp::create(builder, loc, skips, words[index + skip], words[index]));
    words = left;
  }
  if (elementBytes(pending.type) >= 4) {
    words.truncate(wanted);
    return words;
  }
  Value bits = arith::AndIOp::create(builder, loc, pending.skippedBytes, constant(3));
  bits = arith::ShLIOp::create(builder, loc, bits, constant(3));
  SmallVector<Value> funneled;
  for (size_t index = 0; index < wanted; ++index)
    funneled.push_back(LLVM::FshrOp::create(builder, loc, words[index + 1], words[index], bits));
  return funneled;
}

/// The elements as a vector of integers.
Value UnalignedAccess::packed(const PendingVector &pending) {
  int64_t count = pending.type.getNumElements();
  Type element = builder.getIntegerType(8 * elementBytes(pending.type));
  SmallVector<Value> elements;
  for (Value part : ArrayRef<Value>(pending.parts).take_front(count))
    elements.push_back(element.isInteger(32) ? part : arith::TruncIOp::create(builder, loc, element, part));
  return vector::FromElementsOp::create(builder, loc, VectorType::get({count}, element), elements);
}

Value UnalignedAccess::finish(const PendingVector &pending) {
  if (!pending.byElements)
    return vector::BitCastOp::create(builder, loc, pending.type, packed(pending));
  SmallVector<Type> types(bytesOf(pending.type) / 4, builder.getI32Type());
  auto choice = scf::IfOp::create(builder, loc, types, pending.byElements, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    auto packedType = VectorType::get({static_cast<int64_t>(types.size())}, builder.getI32Type());
    Value asWords = vector::BitCastOp::create(builder, loc, packedType, packed(pending));
    auto elements = vector::ToElementsOp::create(builder, loc, asWords);
    scf::YieldOp::create(builder, loc, elements.getResults());
    builder.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(builder, loc, shifted(pending));
  }
  auto words = VectorType::get({static_cast<int64_t>(types.size())}, builder.getI32Type());
  Value vector = vector::FromElementsOp::create(builder, loc, words, choice.getResults());
  return vector::BitCastOp::create(builder, loc, pending.type, vector);
}

void UnalignedAccess::storeElements(Value vector, UnalignedRow row, const VectorColumns &columns, StorePolicy policy,
                                    Value predicate) {
  auto type = cast<VectorType>(vector.getType());
  int64_t bytes = elementBytes(type);
  Type element = builder.getIntegerType(8 * bytes);
  Value integers = vector::BitCastOp::create(builder, loc, VectorType::get({type.getNumElements()}, element), vector);
  auto elements = vector::ToElementsOp::create(builder, loc, integers);
  Value address = addressOf(row, columns.first, bytes);
  for (auto [index, value, isInside] : llvm::enumerate(elements.getResults(), columns.eachInside)) {
    Value one = vector::BroadcastOp::create(builder, loc, VectorType::get({1}, element), value);
    access.store(one, {address, static_cast<int64_t>(index) * bytes}, policy, both(predicate, isInside));
  }
}

void UnalignedAccess::store(Value vector, UnalignedRow row, const VectorColumns &columns, StorePolicy policy,
                            Value predicate) {
  auto type = cast<VectorType>(vector.getType());
  if (!hasWords(type))
    return storeElements(vector, row, columns, policy, predicate);
  Value address = addressOf(row, columns.first, elementBytes(type));
  Value whole = columns.inside;
  if (!row.sharesPhase) {
    Value past = arith::TruncIOp::create(builder, loc, builder.getI32Type(), address);
    past = arith::AndIOp::create(builder, loc, past, constant(granuleBytes(type) - 1));
    whole = both(whole, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, past, constant(0)));
  }
  auto choice = scf::IfOp::create(builder, loc, whole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  access.store(vector, {address, 0}, policy, predicate);
  builder.setInsertionPointToStart(choice.elseBlock());
  storeElements(vector, row, columns, policy, predicate);
}
