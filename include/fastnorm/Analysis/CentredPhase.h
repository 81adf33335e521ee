//===- CentredPhase.h - Sums of distances from a mean -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_ANALYSIS_CENTREDPHASE_H
#define FASTNORM_ANALYSIS_CENTREDPHASE_H

#include "fastnorm/Analysis/AccessPattern.h"

namespace fastnorm {

/// Two phases that can share one meeting of a row's threads: the first sums f over hidden, the second sums distances
/// f - c from the mean c = Σ f / hidden, or their squares, and does nothing else that c is needed for. Any part of a
/// row can sum its distances from its own mean instead; sums over parts are moved to the mean of the row where parts
/// meet (docs/Numerics.md).
struct CentredPhase {
  /// One sum of the second phase: of f - c (power 1) or of (f - c)² (power 2).
  struct Moment {
    ReduceOp reduce;
    int64_t power;
  };

  int64_t phase = 0; ///< of the sum; that of the moments is the next
  ReduceOp sum;
  mlir::Value centre;                ///< c, of [row]
  llvm::SmallVector<Moment> moments; ///< in the order of the kernel's row reductions
};

/// Those of a kernel's phases that are such pairs, in order.
llvm::SmallVector<CentredPhase> centredPhases(const AccessPattern &pattern);

/// Whether a schedule lets the threads of a row meet once for both phases of such a pair: it keeps rows, and a row has
/// several warps.
bool meetsOnceForMoments(ScheduleAttr schedule);

/// How often the threads of a row meet.
int64_t meetingsOfRow(const AccessPattern &pattern, ScheduleAttr schedule);

/// Whether every warp of a row holds equally many of its elements; else they differ, and some may hold none.
bool hasEqualWarps(const AccessPattern &pattern, ScheduleAttr schedule);

/// Values of f32 that each warp of a row leaves in shared memory: one for each row reduction, and how many elements it
/// holds, once for each pair of phases whose moments need to know: who is ahead must not write what others still read.
int64_t valuesPerWarp(const AccessPattern &pattern, ScheduleAttr schedule);

/// Values of f32 that each warp of a row tells the others at the end of a phase; none where the row's warps do not meet
/// there.
int64_t valuesTold(const AccessPattern &pattern, ScheduleAttr schedule, int64_t phase);

} // namespace fastnorm

#endif // FASTNORM_ANALYSIS_CENTREDPHASE_H
