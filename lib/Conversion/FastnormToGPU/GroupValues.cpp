//===- GroupValues.cpp - Values of groups of neighbours -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The [row, group] values of BodyEmitter. A vector lies within one group, and a
// group in neighbouring lanes of a warp, so each is a scalar of a thread.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "MapBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fastnorm;

Value BodyEmitter::groupValue(Value value, int64_t vector) {
  VectorKey key{value, vector};
  if (Value known = vectors.lookup(key))
    return known;
  if (auto reduce = value.getDefiningOp<ReduceOp>())
    return vectors[key] = reduceGroup(reduce, vector);
  auto map = value.getDefiningOp<MapOp>();
  SmallVector<Value> operands;
  for (Value input : map.getInputs())
    operands.push_back(axesOf(input).contains(Axis::Group) ? groupValue(input, vector) : scalar(input));
  return vectors[key] = emitMapBody(builder, map, operands, /*width=*/0, target);
}

/// A thread's elements in ascending order, then the lanes of the group, farthest first.
Value BodyEmitter::reduceGroup(ReduceOp reduce, int64_t vector) {
  auto elements = vector::ToElementsOp::create(builder, loc, vectorValue(reduce.getInput(), vector));
  Value total = emitIdentity(builder, loc, reduce.getCombiner());
  for (Value element : elements.getResults())
    total = emitCombine(builder, loc, reduce.getCombiner(), total, element, /*contract=*/true);
  return emitButterfly(builder, loc, reduce.getCombiner(), total, pattern.groupSize() / schedule.getVectorWidth());
}

/// Where the element of a vector's group lies. The vectors of a thread are a whole number of groups apart.
VectorAddress BodyEmitter::groupAddress(Value pointer, Value value, int64_t vector) {
  int64_t bytes = elementBytes(value);
  Value column = arith::MulIOp::create(builder, loc, position.lane, constant(schedule.getVectorWidth()));
  if (columnBase)
    column = arith::AddIOp::create(builder, loc, column, columnBase);
  Value group = arith::DivUIOp::create(builder, loc, column, constant(pattern.groupSize()));
  Value base = arith::AddIOp::create(builder, loc, rowAddress.lookup(pointer),
                                     arith::MulIOp::create(builder, loc, group, constant(bytes)));
  int64_t apart = schedule.getThreadsPerRow() * schedule.getVectorWidth() / pattern.groupSize();
  return {base, vector * apart * bytes};
}

/// By the first lane of the group.
void BodyEmitter::storeGroup(unsigned resultIndex, int64_t vector) {
  Value yielded = pattern.kernel.getBody().front().getTerminator()->getOperand(resultIndex);
  int64_t lanes = pattern.groupSize() / schedule.getVectorWidth();
  Value within = arith::RemUIOp::create(builder, loc, position.lane, constant(lanes));
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, within, constant(0));
  Value scalarValue = groupValue(yielded, vector);
  Value stored = vector::BroadcastOp::create(builder, loc, VectorType::get({1}, scalarValue.getType()), scalarValue);
  access.store(stored, groupAddress(interface.resultPointers[resultIndex], yielded, vector), StorePolicy::Cached,
               conjunction(position.rowExists, conjunction(insideRow(vector), isFirst)));
}
