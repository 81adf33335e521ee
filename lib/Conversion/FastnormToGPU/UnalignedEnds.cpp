//===- UnalignedEnds.cpp - Vectors at the ends of rows that start anywhere -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What UnalignedAccess reads where granules reach past an end of the row: whole
// granules in the row, and the elements of the one that is partly in it.
//
//===----------------------------------------------------------------------===//

#include "UnalignedAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

static int64_t elementBytes(VectorType type) { return type.getElementTypeBitWidth() / 8; }

/// Vectors of shifted rows that are longer than one: no vector has both ends in it.
bool UnalignedAccess::hasWholeGranules(const PendingVector &pending) const {
  return pending.row.columnsPast && hidden >= 2 * width;
}

/// Each element of a vector's granules, in an i32; zero where it is outside of the row.
SmallVector<Value> UnalignedAccess::loadElements(const PendingVector &pending, const VectorColumns &columns) {
  int64_t bytes = elementBytes(pending.type);
  Value first = columns.first;
  int64_t count = width;
  if (Value past = pending.row.columnsPast) {
    first = arith::SubIOp::create(builder, loc, first, past);
    count += granuleColumns(pending.type);
  }
  SmallVector<Value> elements;
  for (int64_t index = 0; index < count; ++index)
    elements.push_back(access.loadElement(bytes, {pending.row.address, (columns.apart + index) * bytes}, pending.policy,
                                          both(pending.predicate, isInside(columns, first, index))));
  return elements;
}

/// Elements, each in an i32, as words.
SmallVector<Value> UnalignedAccess::packed(VectorType type, ArrayRef<Value> elements) {
  int64_t perWord = 4 / elementBytes(type);
  SmallVector<Value> words;
  for (size_t index = 0; index < elements.size(); index += perWord) {
    Value word = elements[index];
    for (int64_t next = 1; next < perWord; ++next) {
      Value shifted =
          arith::ShLIOp::create(builder, loc, elements[index + next], constant(8 * elementBytes(type) * next));
      word = arith::OrIOp::create(builder, loc, word, shifted);
    }
    words.push_back(word);
  }
  return words;
}

/// The granules that are in the row, and the elements of the one that is partly.
UnalignedAccess::EndLoads UnalignedAccess::loadGranules(const PendingVector &pending, const VectorColumns &columns) {
  int64_t bytes = elementBytes(pending.type), perGranule = granuleColumns(pending.type);
  int64_t count = static_cast<int64_t>(pending.words.size()) * 4 / (perGranule * bytes);
  auto type = VectorType::get({perGranule * bytes / 4}, builder.getI32Type());
  Value first = arith::SubIOp::create(builder, loc, columns.first, pending.row.columnsPast);
  EndLoads loads;
  for (int64_t granule = 0; granule < count; ++granule) {
    int64_t column = granule * perGranule;
    // Both its first and its last column are in the row.
    Value isIn = both(isInside(columns, first, column), isInside(columns, first, column + perGranule - 1));
    Value part = access.load(type, {pending.row.address, (columns.apart + column) * bytes}, pending.policy,
                             both(pending.predicate, isIn));
    llvm::append_range(loads.words, vector::ToElementsOp::create(builder, loc, part).getResults());
  }
  // Whole granules lie between the first and the end that is near.
  Value isBefore = compare(arith::CmpIPredicate::slt, first, 0);
  Value end = arith::SelectOp::create(builder, loc, isBefore, constant(0), constant(hidden));
  Value apart = arith::SubIOp::create(builder, loc, end, first);
  Value passed = arith::AndIOp::create(builder, loc, apart, constant(-perGranule));
  loads.granule = arith::DivUIOp::create(builder, loc, passed, constant(perGranule));
  Value offset = arith::ExtSIOp::create(builder, loc, builder.getI64Type(),
                                        arith::MulIOp::create(builder, loc, passed, constant(bytes)));
  Value address = arith::AddIOp::create(builder, loc, pending.row.address, offset);
  Value column = arith::AddIOp::create(builder, loc, first, passed);
  for (int64_t index = 0; index < perGranule; ++index)
    loads.elements.push_back(access.loadElement(bytes, {address, (columns.apart + index) * bytes}, pending.policy,
                                                both(pending.predicate, isInRow(column, index))));
  return loads;
}

UnalignedAccess::EndLoads UnalignedAccess::loadEnds(const PendingVector &pending, const VectorColumns &columns) {
  if (hasWholeGranules(pending))
    return loadGranules(pending, columns);
  return {{}, loadElements(pending, columns), Value()};
}

/// The words of a vector's granules.
SmallVector<Value> UnalignedAccess::assembled(const PendingVector &pending, const EndLoads &loads) {
  SmallVector<Value> partly = packed(pending.type, loads.elements);
  if (!loads.granule)
    return partly;
  SmallVector<Value> words = loads.words;
  for (auto [index, word] : llvm::enumerate(words)) {
    Value isPartly = compare(arith::CmpIPredicate::eq, loads.granule, index / partly.size());
    word = arith::SelectOp::create(builder, loc, isPartly, partly[index % partly.size()], word);
  }
  return words;
}

void UnalignedAccess::completeEnds(ArrayRef<PendingVector *> vectors, const VectorColumns &columns) {
  SmallVector<PendingVector *> waiting;
  SmallVector<Value> words;
  for (PendingVector *pending : vectors)
    if (hasWords(pending->type)) {
      waiting.push_back(pending);
      llvm::append_range(words, pending->words);
    }
  Value atEnd = waiting.empty() ? Value() : isAtEnd(*waiting.front(), columns);
  if (!atEnd)
    return;
  SmallVector<Type> types(words.size(), builder.getI32Type());
  auto choice = scf::IfOp::create(builder, loc, types, atEnd, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder, loc, words);
  builder.setInsertionPointToStart(choice.thenBlock());
  // Loads of several vectors are on their way before the first is waited for, of as many as registers are left for.
  size_t together = hasWholeGranules(*waiting.front()) ? 4 : 2;
  words.clear();
  for (size_t done = 0; done < waiting.size(); done += together) {
    ArrayRef<PendingVector *> group = ArrayRef(waiting).drop_front(done).take_front(together);
    SmallVector<EndLoads> loads;
    for (PendingVector *pending : group)
      loads.push_back(loadEnds(*pending, columns));
    for (auto [pending, loaded] : llvm::zip(group, loads))
      llvm::append_range(words, assembled(*pending, loaded));
  }
  scf::YieldOp::create(builder, loc, words);
  ResultRange left = choice.getResults();
  for (PendingVector *pending : waiting) {
    llvm::copy(left.take_front(pending->words.size()), pending->words.begin());
    left = left.drop_front(pending->words.size());
  }
}
