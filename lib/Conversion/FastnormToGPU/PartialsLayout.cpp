//===- PartialsLayout.cpp - Where sums of columns pass -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialsLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fastnorm;

Value PartialsLayout::columnOf(OpBuilder &builder, Location loc, ScheduleAttr schedule, Value number) const {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(number.getType(), value));
  };
  auto divide = [&](Value value, int64_t by) -> Value {
    return arith::DivUIOp::create(builder, loc, value, constant(by));
  };
  auto remainder = [&](Value value, int64_t by) -> Value {
    return arith::RemUIOp::create(builder, loc, value, constant(by));
  };
  auto scaled = [&](Value value, int64_t by, Value more) -> Value {
    return arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, value, constant(by)), more);
  };
  Value owner = remainder(number, schedule.getThreadsPerRow());
  Value vectors = divide(number, schedule.getThreadsPerRow());
  Value vector = remainder(vectors, schedule.getVectorsPerThread());
  Value pieceOfVector = divide(vectors, schedule.getVectorsPerThread());
  Value firstOfVector = arith::MulIOp::create(builder, loc, scaled(vector, schedule.getThreadsPerRow(), owner),
                                              constant(schedule.getVectorWidth()));
  return scaled(pieceOfVector, piece, firstOfVector);
}
