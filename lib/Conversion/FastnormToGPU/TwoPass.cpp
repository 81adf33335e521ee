//===- TwoPass.cpp - Kernels that read their row again -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "Strategies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fastnorm;

/// One sweep: a loop over the row's chunks that carries the phase's partials.
static SmallVector<Value> emitSweep(OpBuilder &builder, BodyEmitter &body, const AccessPattern &pattern,
                                    ScheduleAttr schedule, int64_t phase) {
  Location loc = pattern.kernel.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  int64_t end = pattern.columnChunks(schedule) * schedule.getColumnChunk();
  auto loop = scf::ForOp::create(builder, loc, constant(0), constant(end), constant(schedule.getColumnChunk()),
                                 body.startPartials(phase));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body.enterChunk(loop.getInductionVar());
  SmallVector<Value> partials(loop.getRegionIterArgs());
  llvm::DenseSet<Value> needed = pattern.neededIn(phase);
  for (int64_t group = 0; group < schedule.getVectorsPerThread(); group += schedule.getVectorsInFlight()) {
    int64_t groupEnd = std::min(schedule.getVectorsPerThread(), group + schedule.getVectorsInFlight());
    for (int64_t vector = group; vector < groupEnd; ++vector)
      body.issueLoads(vector, &needed);
    for (int64_t vector = group; vector < groupEnd; ++vector)
      body.issueInvariants(vector, LoadPolicy::Ordered, &needed);
    for (int64_t vector = group; vector < groupEnd; ++vector)
      body.computePhase(phase, vector, partials);
  }
  // A loop that carries nothing was made with its terminator.
  if (!partials.empty())
    scf::YieldOp::create(builder, loc, partials);
  body.enterChunk(Value());
  return SmallVector<Value>(loop.getResults());
}

void fastnorm::emitTwoPass(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                           const KernelInterface &interface) {
  // Read again by the next sweep: the lines should stay in the L2.
  BodyEmitter body(builder, pattern, schedule, interface, LoadPolicy::Ordered);
  body.enterRow(emitRowPosition(builder, interface, schedule, /*ctas=*/1));
  body.storeRowResults(/*phase=*/0);
  for (int64_t phase = 0; phase < pattern.phases; ++phase) {
    SmallVector<Value> partials = emitSweep(builder, body, pattern, schedule, phase);
    if (phase + 1 < pattern.phases)
      body.finishPhase(phase, partials);
  }
}
