//===- UnalignedVectors.cpp - Shifted vectors of a kernel's body -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where rows start anywhere, the vectors of a thread begin `shift` columns
// earlier, so that those of the anchor are aligned in memory.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"

#include "fastnorm/Analysis/ZeroColumns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace fastnorm;

/// The pointer that a kernel reads or writes a value through.
static Value pointerOf(const AccessPattern &pattern, const KernelInterface &interface, Value value) {
  if (isa<BlockArgument>(value))
    return interface.inputPointers.lookup(value);
  OperandRange yielded = pattern.kernel.getBody().front().getTerminator()->getOperands();
  return interface.resultPointers[llvm::find(yielded, value) - yielded.begin()];
}

/// How many columns the anchor's row begins behind an aligned address.
void BodyEmitter::enterShiftedRow() {
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  shiftedRows.clear();
  Value anchor = pattern.anchor();
  shift = i32(0);
  if (!anchor || pattern.hasGroups)
    return;
  int64_t bytes = elementBytes(anchor);
  int64_t granule = std::min<int64_t>(16, schedule.getVectorWidth() * bytes);
  Value address = rowAddress.lookup(pointerOf(pattern, interface, anchor));
  Value past = arith::TruncIOp::create(builder, loc, builder.getI32Type(), address);
  past = arith::AndIOp::create(builder, loc, past, i32(granule - 1));
  shift = arith::DivUIOp::create(builder, loc, past, i32(bytes));
}

/// The first column of the thread in this chunk, i32.
Value BodyEmitter::shiftedColumn() {
  if (firstColumn)
    return firstColumn;
  Value first = arith::MulIOp::create(builder, loc, position.lane, constant(schedule.getVectorWidth()));
  if (columnBase)
    first = arith::AddIOp::create(builder, loc, first, columnBase);
  first = arith::TruncIOp::create(builder, loc, builder.getI32Type(), first);
  return firstColumn = arith::SubIOp::create(builder, loc, first, shift);
}

const VectorColumns &BodyEmitter::columnsOf(int64_t vector) {
  auto known = columns.find(vector);
  if (known != columns.end())
    return known->second;
  VectorColumns column;
  column.apart = vector * schedule.getThreadsPerRow() * schedule.getVectorWidth();
  column.threads = schedule.getThreadsPerRow();
  column.mayBeAnywhere = static_cast<bool>(columnBase);
  Value apart = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(column.apart)));
  column.first = arith::AddIOp::create(builder, loc, shiftedColumn(), apart);
  return columns[vector] = unaligned.placed(column);
}

/// The address of the thread's first vector in the row of an operand, i64.
Value BodyEmitter::shiftedAddress(Value pointer, Value value, Value offset) {
  Value column = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), shiftedColumn());
  Value bytes = arith::MulIOp::create(builder, loc, column, constant(elementBytes(value)));
  Value address = arith::AddIOp::create(builder, loc, rowAddress.lookup(pointer), bytes);
  return offset ? arith::AddIOp::create(builder, loc, address, offset) : address;
}

UnalignedRow BodyEmitter::shiftedRow(Value pointer, Value value, Value offset) {
  auto known = shiftedRows.find({pointer, offset});
  if (known != shiftedRows.end())
    return known->second;
  bool beginsGranule = RowLayout::of(pattern.kernel, value).alignmentBytes(elementBytes(value), pattern.alignment) >= 8;
  return shiftedRows[{pointer, offset}] = unaligned.rowAt(shiftedAddress(pointer, value, offset), vectorOf(value),
                                                          pattern.liesAsAnchor(value, schedule), beginsGranule);
}

void BodyEmitter::issueShifted(Value value, Value input, int64_t vector, Value offset, LoadPolicy policy,
                               Value predicate, int64_t slot) {
  UnalignedRow row = shiftedRow(interface.inputPointers.lookup(input), input, offset);
  PendingKey key{{value, vector}, slot};
  pending[key] = unaligned.load(vectorOf(input), row, columnsOf(vector), policy, predicate);
  incomplete.push_back(key);
}

/// What waits at the ends of the row: of all that was issued, so that no load waits for another one's use.
void BodyEmitter::completeEnds() {
  // Those of a vector whose granules reach equally far share a branch.
  using Branch = std::tuple<int64_t, int64_t, int64_t>;
  llvm::MapVector<Branch, SmallVector<PendingVector *>> branches;
  for (const PendingKey &key : incomplete) {
    auto issued = pending.find(key);
    if (issued == pending.end())
      continue;
    const PendingVector &loaded = issued->second;
    int64_t reach = !loaded.row.columnsPast ? 0 : loaded.row.beginsGranule ? 1 : 2;
    branches[{key.first.second, reach, loaded.type.getElementTypeBitWidth()}].push_back(&issued->second);
  }
  incomplete.clear();
  for (auto &[branch, waiting] : branches)
    unaligned.completeEnds(waiting, columnsOf(std::get<0>(branch)));
}

void BodyEmitter::settle(Value value, int64_t vector, int64_t slot) {
  auto issued = pending.find({{value, vector}, slot});
  if (issued == pending.end())
    return;
  completeEnds();
  Value finished = unaligned.finish(issued->second);
  pending.erase(issued);
  (slot == kNoSlot ? vectors[{value, vector}] : gathered[{{value, vector}, slot}]) = finished;
}

/// `offset` bytes (may be null) from the row that the pointer was entered at.
void BodyEmitter::storeShifted(Value vector, Value pointer, Value value, int64_t number, Value offset,
                               Value predicate) {
  StoredRow row = unaligned.storedRowAt(shiftedAddress(pointer, value, offset), vectorOf(value),
                                        pattern.liesAsAnchor(value, schedule));
  unaligned.store(vector, row, columnsOf(number), storePolicy(), predicate);
}

/// One chain over the elements. Two vectors of a row have some that are not in it: they take another branch where those
/// would count.
Value BodyEmitter::accumulateShifted(ReduceOp reduce, ValueRange elements, int64_t vector, Value partial) {
  const VectorColumns &placed = columnsOf(vector);
  auto chain = [&](bool isWhole) {
    Value sum = partial;
    for (auto [index, element] : llvm::enumerate(elements)) {
      Value next = emitCombine(builder, loc, reduce.getCombiner(), sum, element, /*contract=*/true);
      sum = isWhole ? next
                    : arith::SelectOp::create(builder, loc, unaligned.isInside(placed, index), next, sum).getResult();
    }
    return sum;
  };
  bool areNeutral = reduce.getCombiner() == Combiner::Add && isZeroWhereInputsAre(reduce.getInput());
  if (!placed.inside || areNeutral)
    return chain(/*isWhole=*/true);
  auto choice = scf::IfOp::create(builder, loc, partial.getType(), placed.inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, loc, chain(/*isWhole=*/true));
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder, loc, chain(/*isWhole=*/false));
  return choice.getResult(0);
}
