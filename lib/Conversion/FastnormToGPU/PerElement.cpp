//===- PerElement.cpp - Kernels without a row reduction -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "Strategies.h"

using namespace mlir;
using namespace fastnorm;

void fastnorm::emitPerElement(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                              const KernelInterface &interface) {
  BodyEmitter body(builder, pattern, schedule, interface, LoadPolicy::Streaming);
  body.enterRow(emitRowPosition(builder, interface, schedule, ctasAlongRow(pattern, schedule)));
  SmallVector<Value> none;
  for (int64_t group = 0; group < schedule.getVectorsPerThread(); group += schedule.getVectorsInFlight()) {
    int64_t end = std::min(schedule.getVectorsPerThread(), group + schedule.getVectorsInFlight());
    for (int64_t vector = group; vector < end; ++vector)
      body.issueLoads(vector);
    for (int64_t vector = group; vector < end; ++vector)
      body.issueInvariants(vector, LoadPolicy::ReadOnly);
    for (int64_t vector = group; vector < end; ++vector)
      body.computePhase(/*phase=*/0, vector, none);
  }
  body.storeRowResults(/*phase=*/0);
}
