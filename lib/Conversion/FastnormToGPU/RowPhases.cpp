//===- RowPhases.cpp - A row from its first phase to its last -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPhases.h"

using namespace mlir;
using namespace fastnorm;

RowPhases::RowPhases(BodyEmitter &body, const AccessPattern &pattern, ScheduleAttr schedule)
    : body(body), pattern(pattern), schedule(schedule), phases(pattern.phases), count(schedule.getVectorsPerThread()) {
  if (meetsOnceForMoments(schedule))
    pairs = centredPhases(pattern);
}

void RowPhases::run(const Around &around) {
  auto afterReading = [&](bool haveMet) {
    if (around.afterReading)
      around.afterReading(haveMet);
  };
  body.storeRowResults(/*phase=*/0);
  for (int64_t phase = 0; phase < phases; ++phase) {
    bool isFirst = phase == 0;
    SmallVector<Value> partials = compute(phase);
    const CentredPhase *pair = centredPhase(phase);
    if (pair) {
      body.enterMeanOfWarp(*pair, partials.front());
      partials = compute(++phase);
    }
    if (phase + 1 == phases) {
      if (isFirst)
        afterReading(/*haveMet=*/false);
      break;
    }
    // What the next phase starts with waits over the reduction, which hides its latency.
    issueLate(phase + 1, lateVectors(pattern, schedule, /*done=*/0));
    if (around.beforeMeeting)
      around.beforeMeeting(phase);
    if (pair)
      body.finishCentred(*pair, partials);
    else
      body.finishPhase(phase, partials);
    if (isFirst)
      afterReading(/*haveMet=*/true);
  }
}

/// What this thread adds to a phase's reductions.
SmallVector<Value> RowPhases::compute(int64_t phase) {
  SmallVector<Value> partials = body.startPartials(phase);
  if (phase == 0)
    readAndCompute(partials);
  else
    computeKept(phase, partials);
  return partials;
}

/// The pair of phases that begins with one, if its threads meet once.
const CentredPhase *RowPhases::centredPhase(int64_t phase) const {
  auto found = llvm::find_if(pairs, [&](const CentredPhase &pair) { return pair.phase == phase; });
  return found == pairs.end() ? nullptr : found;
}

/// Phase 0: the loads of a group of vectors are issued before the first of them is used.
void RowPhases::readAndCompute(SmallVectorImpl<Value> &partials) {
  for (int64_t group = 0; group < count; group += schedule.getVectorsInFlight()) {
    int64_t end = std::min(count, group + schedule.getVectorsInFlight());
    for (int64_t vector = group; vector < end; ++vector)
      body.issueLoads(vector);
    // Read-only operands of the whole row: they wait over the reduction, which hides their latency.
    for (int64_t vector = 0; group == 0 && isEarly() && vector < count; ++vector)
      body.issueInvariants(vector, LoadPolicy::ReadOnly);
    issueLate(/*phase=*/0, end);
    for (int64_t vector = group; vector < end; ++vector)
      body.computePhase(/*phase=*/0, vector, partials);
  }
}

/// Later phases: on what was kept.
void RowPhases::computeKept(int64_t phase, SmallVectorImpl<Value> &partials) {
  body.enterPhase(phase);
  for (int64_t vector = 0; vector < count; ++vector) {
    body.computePhase(phase, vector, partials);
    issueLate(phase, lateVectors(pattern, schedule, /*done=*/vector + 1));
  }
}

/// Late operands of a phase's vectors up to `end`. They keep their place because their loads are ordered. Not those
/// of another phase: they would be loaded once more and hold registers.
void RowPhases::issueLate(int64_t phase, int64_t end) {
  if (isEarly())
    return;
  llvm::DenseSet<Value> needed = pattern.neededOrKeptIn(phase);
  int64_t &issued = lateIssued[phase];
  for (; issued < std::min(end, count); ++issued)
    body.issueInvariants(issued, LoadPolicy::Ordered, &needed);
}
