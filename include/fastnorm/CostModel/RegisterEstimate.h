//===- RegisterEstimate.h - Registers a schedule asks for -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_COSTMODEL_REGISTERESTIMATE_H
#define FASTNORM_COSTMODEL_REGISTERESTIMATE_H

#include "fastnorm/Analysis/AccessPattern.h"

namespace fastnorm {

/// 32-bit registers per thread, as a schedule implies them.
struct RegisterEstimate {
  RegisterEstimate(const AccessPattern &pattern, ScheduleAttr schedule);

  int64_t base = 0;          ///< hold addresses, the reductions and where a row's columns lie
  int64_t inFlight = 0;      ///< hold loads that were issued and not yet used
  int64_t keptPerVector = 0; ///< hold what one vector leaves for later phases
  int64_t invariants = 0;    ///< hold [hidden] operands that were loaded and not yet used
  int64_t columnSums = 0;    ///< hold what the thread's rows add to its columns
  int64_t slots = 0;         ///< hold what there is for each slot: places of rows that are scattered, and sums
  int64_t vectors = 0;       ///< vectors of a thread
  int64_t vectorsInFlight = 0;

  /// What lets every load that the schedule wants in flight be in flight.
  int64_t wanted() const;
  /// What is held when the last group of loads is in flight.
  int64_t whileLoading() const;
  /// Below this the kernel cannot be compiled without spilling what the schedule keeps.
  int64_t needed() const;
};

/// Whether a thread scatters rows by slots, and so holds for each of them where its row lies.
bool scattersSlots(const AccessPattern &pattern);

/// Registers per thread that remain when `ctas` CTAs of `threads` threads share a multiprocessor: a multiple of 8 (the
/// unit in which they are given out), at most 255.
int64_t registersAvailable(TargetAttr target, int64_t threads, int64_t ctas);

/// The most CTAs of a multiprocessor that leave each of their threads so many; one at least.
int64_t mostCtas(TargetAttr target, int64_t threads, int64_t registers);

} // namespace fastnorm

#endif // FASTNORM_COSTMODEL_REGISTERESTIMATE_H
