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
static int64_t alignedBytes(VectorType type) { return std::min<int64_t>(16, bytesOf(type)); }
/// What is shifted is read in 8 bytes: three of them hold 16, with two registers and six selects less than two of 16.
static int64_t granuleBytes(VectorType type) { return std::min<int64_t>(8, bytesOf(type)); }
/// Shorter vectors than a register go element by element.
bool UnalignedAccess::hasWords(VectorType type) { return bytesOf(type) >= 4; }

int64_t UnalignedAccess::granuleColumns(VectorType type) { return granuleBytes(type) / elementBytes(type); }

Value UnalignedAccess::constant(int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value UnalignedAccess::both(Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(builder, loc, left, right);
}

/// Vectors for which a condition does not hold and that do not begin past the row.
Value UnalignedAccess::remaining(Value condition, const VectorColumns &columns) {
  Value always = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value isLeft = arith::XOrIOp::create(builder, loc, condition, always);
  if (!mayEndPast(columns, 0))
    return isLeft;
  return both(isLeft, compare(arith::CmpIPredicate::slt, columns.first, hidden));
}

//===----------------------------------------------------------------------===//
// Columns and rows
//===----------------------------------------------------------------------===//

Value UnalignedAccess::compare(arith::CmpIPredicate predicate, Value column, int64_t bound) {
  return arith::CmpIOp::create(builder, loc, predicate, column, constant(bound));
}

/// A row's first vector begins less than a vector before it.
bool UnalignedAccess::mayBeginBefore(const VectorColumns &columns, int64_t margin) {
  return columns.mayBeAnywhere || columns.apart < width + margin - 1;
}

bool UnalignedAccess::mayEndPast(const VectorColumns &columns, int64_t margin) {
  return columns.mayBeAnywhere || columns.apart + columns.threads * width + margin > hidden;
}

/// Whether the row has so many columns before and after the vector's, i1; null: always.
Value UnalignedAccess::isBetween(const VectorColumns &columns, int64_t before, int64_t after) {
  bool mayBeBefore = mayBeginBefore(columns, before), mayBePast = mayEndPast(columns, after);
  int64_t last = hidden - width - after;
  if (!mayBeBefore && !mayBePast)
    return Value();
  if (last < before)
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  if (!mayBeBefore)
    return compare(arith::CmpIPredicate::sle, columns.first, last);
  if (!mayBePast)
    return compare(arith::CmpIPredicate::sge, columns.first, before);
  // Unsigned: what is below is past it, too.
  Value above = arith::SubIOp::create(builder, loc, columns.first, constant(before));
  return compare(arith::CmpIPredicate::ule, above, last - before);
}

VectorColumns UnalignedAccess::placed(VectorColumns columns) {
  columns.inside = isBetween(columns, 0, 0);
  return columns;
}

/// Unsigned: a column before the row is past it, too.
Value UnalignedAccess::isInRow(Value first, int64_t index) {
  Value column = arith::AddIOp::create(builder, loc, first, constant(index));
  return compare(arith::CmpIPredicate::ult, column, hidden);
}

/// Of the vector's columns or, with `first`, of its granules'.
Value UnalignedAccess::isInside(const VectorColumns &columns, Value first, int64_t index) {
  if (!mayBeginBefore(columns, width))
    return compare(arith::CmpIPredicate::slt, first, hidden - index);
  if (!mayEndPast(columns, width))
    return compare(arith::CmpIPredicate::sge, first, -index);
  return isInRow(first, index);
}

Value UnalignedAccess::isInside(const VectorColumns &columns, int64_t index) {
  return isInside(columns, columns.first, index);
}

UnalignedRow UnalignedAccess::rowAt(Value address, VectorType type, bool isAligned, bool beginsGranule) {
  UnalignedRow row{address, Value(), Value(), Value()};
  if (isAligned || !hasWords(type))
    return row;
  int64_t bytes = elementBytes(type);
  Value past = arith::TruncIOp::create(builder, loc, builder.getI32Type(), address);
  past = arith::AndIOp::create(builder, loc, past, constant(granuleBytes(type) - 1));
  row.address =
      arith::SubIOp::create(builder, loc, address, arith::ExtUIOp::create(builder, loc, builder.getI64Type(), past));
  row.columnsPast = arith::DivUIOp::create(builder, loc, past, constant(bytes));
  row.beginsGranule = beginsGranule;
  if (granuleBytes(type) == 8)
    row.skipsWord = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, past, constant(4));
  if (bytes < 4)
    row.skippedBits =
        arith::ShLIOp::create(builder, loc, arith::AndIOp::create(builder, loc, past, constant(3)), constant(3));
  return row;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether no granule of a vector is partly in the row, i1; null: never.
Value UnalignedAccess::isWhole(const PendingVector &pending, const VectorColumns &columns) {
  if (!pending.row.columnsPast)
    return columns.inside;
  int64_t margin = granuleColumns(pending.type);
  if (!pending.row.beginsGranule)
    return isBetween(columns, margin, margin);
  return mayEndPast(columns, margin) ? compare(arith::CmpIPredicate::sle, columns.first, hidden - width - margin)
                                     : Value();
}

/// Whether one is, i1; null: never. Past the row nothing is.
Value UnalignedAccess::isAtEnd(const PendingVector &pending, const VectorColumns &columns) {
  Value whole = isWhole(pending, columns);
  return whole ? remaining(whole, columns) : Value();
}

PendingVector UnalignedAccess::load(VectorType type, const UnalignedRow &row, const VectorColumns &columns,
                                    LoadPolicy policy, Value predicate) {
  PendingVector pending{type, row, policy, predicate, {}};
  if (!hasWords(type)) {
    pending.words = loadElements(pending, columns);
    return pending;
  }
  int64_t bytes = elementBytes(type);
  int64_t step = row.columnsPast ? granuleBytes(type) : alignedBytes(type);
  int64_t end = bytesOf(type) + (row.columnsPast ? step : 0);
  auto words = VectorType::get({step / 4}, builder.getI32Type());
  Value whole = both(predicate, isWhole(pending, columns));
  bool mayBeginEarly = row.beginsGranule && mayBeginBefore(columns, width);
  Value first = mayBeginEarly ? arith::SubIOp::create(builder, loc, columns.first, row.columnsPast) : Value();
  for (int64_t offset = 0; offset < end; offset += step) {
    Value begins = first ? compare(arith::CmpIPredicate::sge, first, -offset / bytes) : Value();
    Value part = access.load(words, {row.address, columns.apart * bytes + offset}, policy, both(whole, begins));
    llvm::append_range(pending.words, vector::ToElementsOp::create(builder, loc, part).getResults());
  }
  return pending;
}

Value UnalignedAccess::finish(const PendingVector &pending) {
  VectorType type = pending.type;
  if (!hasWords(type)) {
    Type element = builder.getIntegerType(8 * elementBytes(type));
    SmallVector<Value> elements = llvm::map_to_vector(
        pending.words, [&](Value word) -> Value { return arith::TruncIOp::create(builder, loc, element, word); });
    auto integers = VectorType::get({type.getNumElements()}, element);
    return vector::BitCastOp::create(builder, loc, type,
                                     vector::FromElementsOp::create(builder, loc, integers, elements));
  }
  size_t wanted = bytesOf(type) / 4;
  SmallVector<Value> words = pending.words;
  if (Value skips = pending.row.skipsWord)
    for (size_t index = 0; index + 1 < words.size(); ++index)
      words[index] = arith::SelectOp::create(builder, loc, skips, words[index + 1], words[index]);
  if (Value bits = pending.row.skippedBits)
    for (size_t index = 0; index < wanted; ++index)
      words[index] = LLVM::FshrOp::create(builder, loc, words[index + 1], words[index], bits);
  words.truncate(wanted);
  auto packedType = VectorType::get({static_cast<int64_t>(wanted)}, builder.getI32Type());
  return vector::BitCastOp::create(builder, loc, type, vector::FromElementsOp::create(builder, loc, packedType, words));
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

StoredRow UnalignedAccess::storedRowAt(Value address, VectorType type, bool isAligned) {
  if (isAligned)
    return {address, Value()};
  Value past = arith::TruncIOp::create(builder, loc, builder.getI32Type(), address);
  past = arith::AndIOp::create(builder, loc, past, constant(alignedBytes(type) - 1));
  return {address, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, past, constant(0))};
}

void UnalignedAccess::storeElements(Value vector, const StoredRow &row, const VectorColumns &columns,
                                    StorePolicy policy, Value predicate) {
  auto type = cast<VectorType>(vector.getType());
  int64_t bytes = elementBytes(type);
  Type element = builder.getIntegerType(8 * bytes);
  Value integers = vector::BitCastOp::create(builder, loc, VectorType::get({width}, element), vector);
  auto elements = vector::ToElementsOp::create(builder, loc, integers);
  for (auto [index, value] : llvm::enumerate(elements.getResults())) {
    int64_t column = static_cast<int64_t>(index);
    Value one = vector::BroadcastOp::create(builder, loc, VectorType::get({1}, element), value);
    access.store(one, {row.address, (columns.apart + column) * bytes}, policy,
                 both(predicate, isInside(columns, column)));
  }
}

void UnalignedAccess::store(Value vector, const StoredRow &row, const VectorColumns &columns, StorePolicy policy,
                            Value predicate) {
  auto type = cast<VectorType>(vector.getType());
  if (!hasWords(type))
    return storeElements(vector, row, columns, policy, predicate);
  Value whole = both(columns.inside, row.isAligned);
  access.store(vector, {row.address, columns.apart * elementBytes(type)}, policy, both(predicate, whole));
  if (!whole)
    return;
  auto choice = scf::IfOp::create(builder, loc, remaining(whole, columns), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  storeElements(vector, row, columns, policy, predicate);
}
