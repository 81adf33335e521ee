//===- Strategies.h - One function per kind of schedule -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_STRATEGIES_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_STRATEGIES_H

#include "KernelInterface.h"

namespace fastnorm {

// Each fills the body of `interface.function`; the builder stands before its gpu.return.

/// No row reduction: each thread its vectors of a column chunk.
void emitPerElement(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                    const KernelInterface &interface);

/// A row stays in the registers of its threads from the first phase to the last.
void emitPerRow(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                const KernelInterface &interface);

/// As emitPerRow, by CTAs that walk over many rows.
void emitPersistentRows(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                        const KernelInterface &interface);

/// One sweep over the column chunks of a row per phase; what a later phase needs is read and computed again.
void emitTwoPass(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                 const KernelInterface &interface);

/// Likewise, by CTAs that walk over tiles of rows.
void emitTiles(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
               const KernelInterface &interface);

/// A row over the CTAs of a grid, one launch per phase: combines the sums that the launches of earlier phases left,
/// reads what the phase needs again, and leaves the phase's sums, or in the last one the results.
void emitGridPhase(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                   const KernelInterface &interface, int64_t phase);

/// The launches of a scatter that adds up slots which name one row, in order.
enum class AccumulationStep : int64_t {
  Clear, ///< no slot names any row: a thread a row of the result and a slot
  Link,  ///< each slot joins the list of its row: a thread a slot
  Order, ///< each slot finds the next one of its list: a thread a slot
  AddUp, ///< adds up the slots of each row of the result, which the schedule lays over threads, and stores it
};
inline constexpr int64_t kAccumulationSteps = 4;
void emitAccumulation(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                      const KernelInterface &interface, AccumulationStep step);

/// Launches that a kernel takes: one, or one per phase where a row is split over a grid, or those of a scatter that
/// adds up.
int64_t launchCount(const AccessPattern &pattern, ScheduleAttr schedule);

/// What the name of such a launch ends in: nothing for the last.
std::string launchSuffix(const AccessPattern &pattern, ScheduleAttr schedule, int64_t launch);

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_STRATEGIES_H
