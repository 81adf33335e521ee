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

/// How far ahead of their use late operands are loaded: far enough to hide the L2, near enough not to spill (measured
/// at 8 vectors of bf16, docs/Schedules.md).
static constexpr int64_t kLateDistance = 2;

namespace {

class PerRowEmitter {
public:
  PerRowEmitter(OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                const KernelInterface &interface)
      : body(builder, pattern, schedule, interface, LoadPolicy::Streaming), schedule(schedule), phases(pattern.phases),
        count(schedule.getVectorsPerThread()) {}

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
    for (int64_t vector = 0; !isEarly() && vector < std::min(kLateDistance, count); ++vector)
      body.issueInvariants(vector, LoadPolicy::Ordered);
    for (int64_t vector = 0; vector < count; ++vector) {
      body.computePhase(phase, vector, partials);
      if (!isEarly() && vector + kLateDistance < count)
        body.issueInvariants(vector + kLateDistance, LoadPolicy::Ordered);
    }
  }

  BodyEmitter body;
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
