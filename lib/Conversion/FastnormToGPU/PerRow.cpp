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
        phases(pattern.phases), count(schedule.getVectorsPerThread()) {}

  void run(const RowPosition &position) {
    body.enterRow(position);
    body.storeRowResults(/*phase=*/0);
    for (int64_t phase = 0; phase < phases; ++phase) {
      SmallVector<Value> partials = body.startPartials(phase);
      if (phase == 0)
        readAndCompute(partials);
      else
        computeKept(phase, partials);
      if (phase + 1 < phases)
        body.finishPhase(phase, partials);
    }
  }

private:
  bool isEarly() const { return schedule.getInvariants() == Invariants::Early; }

  /// Phase 0: the loads of a group of vectors are issued before the first of them is used.
  void readAndCompute(SmallVectorImpl<Value> &partials) {
    for (int64_t group = 0; group < count; group += schedule.getVectorsInFlight()) {
      int64_t end = std::min(count, group + schedule.getVectorsInFlight());
      for (int64_t vector = group; vector < end; ++vector)
        body.issueLoads(vector);
      // Read-only operands of the whole row: they wait over the reduction, which hides their latency.
      for (int64_t vector = 0; group == 0 && isEarly() && vector < count; ++vector)
        body.issueInvariants(vector, LoadPolicy::ReadOnly);
      for (int64_t vector = group; vector < end; ++vector)
        body.computePhase(/*phase=*/0, vector, partials);
    }
  }

  /// Later phases: on what was kept. Late operands keep their place because their loads are ordered.
  void computeKept(int64_t phase, SmallVectorImpl<Value> &partials) {
    body.enterPhase(phase);
    // Not those of another phase: they would be loaded once more and hold registers.
    llvm::DenseSet<Value> needed = pattern.neededIn(phase);
    int64_t distance = lateDistance(pattern, schedule);
    for (int64_t vector = 0; !isEarly() && vector < std::min(distance, count); ++vector)
      body.issueInvariants(vector, LoadPolicy::Ordered, &needed);
    for (int64_t vector = 0; vector < count; ++vector) {
      body.computePhase(phase, vector, partials);
      if (!isEarly() && vector + distance < count)
        body.issueInvariants(vector + distance, LoadPolicy::Ordered, &needed);
    }
  }

  BodyEmitter body;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  int64_t phases;
  int64_t count;
};

} // namespace

void fastnorm::emitPerRow(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                          const KernelInterface &interface) {
  if (schedule.getScope() == RowScope::Cluster && !pattern.rowReductions.empty())
    emitClusterStarts(builder, pattern.kernel.getLoc());
  PerRowEmitter emitter(builder, pattern, schedule, interface);
  emitter.run(emitRowPosition(builder, interface, schedule, ctasAlongRow(pattern, schedule)));
}
