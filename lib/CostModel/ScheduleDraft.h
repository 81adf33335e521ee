//===- ScheduleDraft.h - A schedule while rules decide it -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_COSTMODEL_SCHEDULEDRAFT_H
#define FASTNORM_LIB_COSTMODEL_SCHEDULEDRAFT_H

#include "fastnorm/IR/Dialect.h"

namespace fastnorm {

/// The parameters of a schedule while a rule decides them.
struct ScheduleDraft {
  ScheduleKind kind = ScheduleKind::PerRow;
  RowScope scope = RowScope::Cta;
  int64_t threadsPerRow = 1;
  int64_t rowsPerCta = 1;
  int64_t ctasPerRow = 1;
  int64_t vectorWidth = 1;
  int64_t vectorsPerThread = 1;
  int64_t vectorsInFlight = 1;
  int64_t slotsInFlight = 1;
  int64_t minCtas = 1;
  Invariants invariants = Invariants::Early;
  Stores stores = Stores::Streaming;
  Keep keep = Keep::Packed;
  int64_t persistentCtas = 0;
  int64_t stages = 0;
  Copies copies = Copies::Bulk;
  int64_t finalizeWidth = 8;
  Accumulators accumulators = Accumulators::Registers;
  Accumulate accumulate = Accumulate::Partials;
  bool dependentLaunch = false;

  ScheduleDraft() = default;
  explicit ScheduleDraft(ScheduleAttr schedule)
      : kind(schedule.getKind()), scope(schedule.getScope()), threadsPerRow(schedule.getThreadsPerRow()),
        rowsPerCta(schedule.getRowsPerCta()), ctasPerRow(schedule.getCtasPerRow()),
        vectorWidth(schedule.getVectorWidth()), vectorsPerThread(schedule.getVectorsPerThread()),
        vectorsInFlight(schedule.getVectorsInFlight()), slotsInFlight(schedule.getSlotsInFlight()),
        minCtas(schedule.getMinCtas()), invariants(schedule.getInvariants()), stores(schedule.getStores()),
        keep(schedule.getKeep()), persistentCtas(schedule.getPersistentCtas()), stages(schedule.getStages()),
        copies(schedule.getCopies()), finalizeWidth(schedule.getFinalizeWidth()),
        accumulators(schedule.getAccumulators()), accumulate(schedule.getAccumulate()),
        dependentLaunch(schedule.getDependentLaunch()) {}

  ScheduleAttr attribute(mlir::MLIRContext *context) const {
    return ScheduleAttr::get(context, kind, scope, threadsPerRow, rowsPerCta, ctasPerRow, vectorWidth, vectorsPerThread,
                             vectorsInFlight, slotsInFlight, minCtas, invariants, keep, stores, persistentCtas, stages,
                             copies, finalizeWidth, accumulate, accumulators, dependentLaunch);
  }

  /// The same; null where the parameters are not those of any schedule.
  ScheduleAttr attributeIfAny(mlir::MLIRContext *context) const {
    mlir::ScopedDiagnosticHandler quiet(context, [](mlir::Diagnostic &) { return mlir::success(); });
    auto emitError = [&] { return mlir::emitError(mlir::UnknownLoc::get(context)); };
    return ScheduleAttr::getChecked(emitError, context, kind, scope, threadsPerRow, rowsPerCta, ctasPerRow, vectorWidth,
                                    vectorsPerThread, vectorsInFlight, slotsInFlight, minCtas, invariants, keep, stores,
                                    persistentCtas, stages, copies, finalizeWidth, accumulate, accumulators,
                                    dependentLaunch);
  }
};

} // namespace fastnorm

#endif // FASTNORM_LIB_COSTMODEL_SCHEDULEDRAFT_H
