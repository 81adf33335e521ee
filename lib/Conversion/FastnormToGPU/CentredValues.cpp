//===- CentredValues.cpp - A mean and distances in one meeting -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What BodyEmitter does in a pair of phases whose threads meet once.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fastnorm;

/// The number of a reduction's sum among the kernel's row sums.
static int64_t numberOf(const AccessPattern &pattern, ReduceOp reduce) {
  auto isOf = [&](AccessPattern::RowSum sum) { return sum.reduce == reduce; };
  return llvm::find_if(pattern.rowSums, isOf) - pattern.rowSums.begin();
}

/// The columns of a warp's vectors that are in the row: those from its first lane's first column to its last lane's
/// last, of each vector number.
WarpElements BodyEmitter::elementsOfWarp() {
  int64_t columns = 32 * schedule.getVectorWidth();
  WarpElements elements;
  if (hasEqualWarps(pattern, schedule)) {
    elements.ofEach = columns * schedule.getVectorsPerThread();
    elements.own = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(elements.ofEach));
    return elements;
  }
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  Value warp = arith::DivUIOp::create(builder, loc, position.lane, constant(32));
  Value first = arith::MulIOp::create(builder, loc, warp, constant(columns));
  if (columnBase)
    first = arith::AddIOp::create(builder, loc, first, columnBase);
  first = arith::TruncIOp::create(builder, loc, builder.getI32Type(), first);
  if (isShifted)
    first = arith::SubIOp::create(builder, loc, first, shift);
  Value total = i32(0);
  for (int64_t vector = 0; vector < schedule.getVectorsPerThread(); ++vector) {
    int64_t apart = vector * schedule.getThreadsPerRow() * schedule.getVectorWidth();
    Value begin = arith::AddIOp::create(builder, loc, first, i32(apart));
    Value end = arith::AddIOp::create(builder, loc, begin, i32(columns));
    end = arith::MinSIOp::create(builder, loc, end, i32(pattern.hidden));
    begin = arith::MaxSIOp::create(builder, loc, begin, i32(0));
    Value inside = arith::SubIOp::create(builder, loc, end, begin);
    inside = arith::MaxSIOp::create(builder, loc, inside, i32(0));
    total = arith::AddIOp::create(builder, loc, total, inside);
  }
  elements.own = arith::SIToFPOp::create(builder, loc, builder.getF32Type(), total);
  return elements;
}

void BodyEmitter::enterMeanOfWarp(const CentredPhase &phases, Value sum) {
  SmallVector<CentredPhase> pairs = centredPhases(pattern);
  auto *pair = llvm::find_if(pairs, [&](const CentredPhase &known) { return known.phase == phases.phase; });
  centred.emplace(builder, pattern, interface, schedule, position, exchange, elementsOfWarp(), pair - pairs.begin());
  scalars[phases.centre] = centred->meanOfWarp(numberOf(pattern, phases.sum), sum);
}

void BodyEmitter::finishCentred(const CentredPhase &phases, ArrayRef<Value> partials) {
  SmallVector<CentredReduction::Moment> moments;
  for (auto [moment, partial] : llvm::zip(phases.moments, partials))
    moments.push_back({numberOf(pattern, moment.reduce), moment.power, partial});
  Value sum = centred->sumOfRow(moments);
  // The map of the mean is evaluated again, of the row.
  scalars.erase(phases.centre);
  enterTotals(phases.phase, sum);
  enterTotals(phases.phase + 1, centred->momentsOfRow(scalar(phases.centre)));
  storeRowResults(phases.phase + 1);
  storeRowResults(phases.phase + 2);
}
