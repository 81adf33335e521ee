//===- RegisterEstimate.cpp - Registers a schedule asks for -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/RegisterEstimate.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fastnorm;

/// Addresses, the reduction and the loop of one vector's arithmetic: what ptxas 13.0 reports for the kernels of
/// docs/Schedules.md beyond the registers that hold loads.
static constexpr int64_t kBaseRegisters = 12;
/// No kernel of this family was seen to need fewer.
static constexpr int64_t kLeastRegisters = 40;

static Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

/// Registers that one vector of a value takes in its storage type.
static int64_t words(Value value, ScheduleAttr schedule) {
  return llvm::divideCeil(elementBytes(elementOf(value)) * schedule.getVectorWidth(), 4);
}

RegisterEstimate::RegisterEstimate(const AccessPattern &pattern, ScheduleAttr schedule) {
  int64_t perVector = 0;
  for (BlockArgument argument : pattern.streamed)
    perVector += words(argument, schedule);
  for (GatherOp gather : pattern.gathers)
    perVector += words(gather.getTable(), schedule) * std::min(pattern.slots, schedule.getSlotsInFlight());
  inFlight = perVector * schedule.getVectorsInFlight();

  int64_t keptVectors =
      schedule.getKind() == ScheduleKind::PerRow ? schedule.getVectorsPerThread() - schedule.getVectorsInFlight() : 0;
  for (Value value : pattern.crossing) {
    int64_t packed = words(value, schedule);
    kept += keptVectors * (schedule.getKeep() == Keep::Packed ? packed : schedule.getVectorWidth());
  }

  // A late operand is two vectors ahead of its use.
  int64_t invariantVectors = schedule.getInvariants() == Invariants::Early
                                 ? schedule.getVectorsPerThread()
                                 : std::min<int64_t>(2, schedule.getVectorsPerThread());
  for (BlockArgument argument : pattern.invariants)
    invariants += words(argument, schedule) * invariantVectors;
}

int64_t RegisterEstimate::wanted() const {
  return std::max(kLeastRegisters, kBaseRegisters + inFlight + kept + invariants);
}

int64_t RegisterEstimate::needed() const { return kBaseRegisters + kept; }

int64_t fastnorm::registersAvailable(TargetAttr target, int64_t threads, int64_t ctas) {
  return std::min<int64_t>(255, llvm::alignDown(target.getRegisters() / (threads * ctas), 8));
}
