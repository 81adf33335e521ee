//===- CostEstimate.h - What a kernel is thought to take --------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of docs/Schedules.md: a CTA waits for its loads and for its
// threads, then its bytes queue for the memory behind those of other CTAs.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_COSTMODEL_COSTESTIMATE_H
#define FASTNORM_COSTMODEL_COSTESTIMATE_H

#include "fastnorm/Analysis/AccessPattern.h"

#include "llvm/ADT/SmallBitVector.h"

#include <string>

namespace fastnorm {

/// What most of a kernel's time goes into.
enum class Bound : uint8_t { Launch, Latency, Memory, Multiprocessor, BytesInFlight, SecondLaunch };

/// "the launch", "latency", "memory", "one multiprocessor", "too few bytes in flight" or "the second launch".
llvm::StringRef describe(Bound bound);

/// The microseconds of one kernel in a graph that is replayed, and what they are made of. The sum of launchUs, waitUs,
/// transferUs, idleUs and finalizeUs is totalUs.
struct CostEstimate {
  int64_t coldBytes = 0;    ///< that cross the memory bus
  int64_t hotBytes = 0;     ///< that the L2 serves: read again, or just written by another kernel
  int64_t partialBytes = 0; ///< f32 sums that CTAs leave for a later launch

  int64_t registers = 0;           ///< of a thread
  bool isShortOfRegisters = false; ///< fewer loads are in flight than the schedule asks for
  int64_t ctas = 0;                ///< of the grid
  int64_t threads = 0;             ///< of a CTA
  int64_t ctasPerMultiprocessor = 0;
  double waves = 0; ///< CTAs of the grid for each that is resident
  /// Bytes that the loads of a multiprocessor's CTAs ask for before the first is used.
  int64_t inFlightBytes = 0;
  int64_t chain = 0;    ///< loads of a CTA that wait for one another
  int64_t meetings = 0; ///< times that the threads of a row meet
  int64_t launches = 0;

  double launchUs = 0;   ///< before and behind the CTAs
  double waitUs = 0;     ///< of a CTA: its chain and its meetings
  double transferUs = 0; ///< of all bytes, by the memory or by the busiest multiprocessor
  double idleUs = 0;     ///< in which the memory waits since all resident CTAs do
  double finalizeUs = 0; ///< of the launch that adds up partial sums
  double totalUs = 0;
  bool isBoundByMultiprocessor = false; ///< transferUs is of the busiest multiprocessor

  /// GB/s that the bytes of the bus take over the whole time.
  double bandwidth() const { return totalUs > 0 ? coldBytes / totalUs / 1000 : 0; }
  Bound bound() const;
  /// "3467 x 384, 3 a SM, 64 registers: 53.1 us, 213.0 MB, bound by memory"
  std::string str() const;
};

/// Whether bytes that one launch leaves are taken to be in the L2 for the next: half of it holds them.
bool staysInL2(int64_t bytes, TargetAttr target);

/// What a kernel takes with a schedule that it can have, for `rows` of its first row dimension. `hotInputs`, by number
/// of the kernel's input, are in the L2 (empty: none).
CostEstimate estimateCost(const AccessPattern &pattern, ScheduleAttr schedule, TargetAttr target, int64_t rows,
                          const llvm::SmallBitVector &hotInputs = {});

} // namespace fastnorm

#endif // FASTNORM_COSTMODEL_COSTESTIMATE_H
