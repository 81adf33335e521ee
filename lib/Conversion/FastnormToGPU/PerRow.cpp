//===- PerRow.cpp - Kernels that keep their row -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "ClusterReduction.h"
#include "Strategies.h"

using namespace mlir;
using namespace fastnorm;

namespace {

class PerRowEmitter {
public:
  PerRowEmitter(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                const KernelInterface &interface)
      : body(builder, pattern, schedule, interface, LoadPolicy::Streaming), pattern(pattern), schedule(schedule),
        phases(pattern.phases), count(schedule.getVectorsPerThread()) {
    if (meetsOnceForMoments(schedule))
      pairs = centredPhases(pattern);
  }

  void run(const RowPosition &position) {
    body.enterRow(position);
    body.storeRowResults(/*phase=*/0);
    for (int64_t phase = 0; phase < phases; ++phase) {
      SmallVector<Value> partials = compute(phase);
      const CentredPhase *pair = centredPhase(phase);
      if (pair) {
        body.enterMeanOfWarp(*pair, partials.front());
        partials = compute(++phase);
      }
      if (phase + 1 == phases)
        break;
      // What the next phase starts with waits over the reduction, which hides its latency.
      issueLate(phase + 1, lateVectors(pattern, schedule, /*done=*/0));
      if (pair)
        body.finishCentred(*pair, partials);
      else
        body.finishPhase(phase, partials);
    }
  }

private:
  bool isEarly() const { return schedule.getInvariants() == Invariants::Early; }

  /// What this thread adds to a phase's reductions.
  SmallVector<Value> compute(int64_t phase) {
    SmallVector<Value> partials = body.startPartials(phase);
    if (phase == 0)
      readAndCompute(partials);
    else
      computeKept(phase, partials);
    return partials;
  }

  /// The pair of phases that begins with one, if its threads meet once.
  const CentredPhase *centredPhase(int64_t phase) const {
    auto found = llvm::find_if(pairs, [&](const CentredPhase &pair) { return pair.phase == phase; });
    return found == pairs.end() ? nullptr : found;
  }

  /// Phase 0: the loads of a group of vectors are issued before the first of them is used.
  void readAndCompute(SmallVectorImpl<Value> &partials) {
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
  void computeKept(int64_t phase, SmallVectorImpl<Value> &partials) {
    body.enterPhase(phase);
    for (int64_t vector = 0; vector < count; ++vector) {
      body.computePhase(phase, vector, partials);
      issueLate(phase, lateVectors(pattern, schedule, /*done=*/vector + 1));
    }
  }

  /// Late operands of a phase's vectors up to `end`. They keep their place because their loads are ordered. Not those
  /// of another phase: they would be loaded once more and hold registers.
  void issueLate(int64_t phase, int64_t end) {
    if (isEarly())
      return;
    llvm::DenseSet<Value> needed = pattern.neededIn(phase);
    int64_t &issued = lateIssued[phase];
    for (; issued < std::min(end, count); ++issued)
      body.issueInvariants(issued, LoadPolicy::Ordered, &needed);
  }

  BodyEmitter body;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  int64_t phases;
  int64_t count;
  SmallVector<CentredPhase> pairs;             ///< of phases whose threads meet once
  llvm::DenseMap<int64_t, int64_t> lateIssued; ///< vectors, by phase
};

} // namespace

void fastnorm::emitPerRow(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                          const KernelInterface &interface) {
  if (schedule.getScope() == RowScope::Cluster && !pattern.rowReductions.empty())
    emitClusterStarts(builder, pattern.kernel.getLoc());
  PerRowEmitter emitter(builder, pattern, schedule, interface);
  emitter.run(emitRowPosition(builder, interface, schedule, ctasAlongRow(pattern, schedule)));
}
