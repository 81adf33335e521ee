//===- Cta.h - The warps of one CTA and their barriers ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the warps of a CTA in one host thread: always the ready warp of highest
// priority. Knows who waits at which barrier, and says so when nobody can run.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_CTA_H
#define FASTNORM_RUNTIME_EMULATOR_CTA_H

#include "Launch.h"
#include "SharedMemory.h"
#include "Warp.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm::emulator {

/// One a host thread; runs CTA after CTA.
class Cta {
public:
  explicit Cta(const Launch &launch);

  /// False if the CTA did something wrong; finding() says what.
  bool run(uint32_t index);
  const std::string &finding() const { return firstFinding; }

  /// A warp arrives; `expectedWarps` is 0 for all that have not ended. Returns false if the barrier is misused.
  bool arrive(Warp &warp, uint32_t barrier, uint32_t expectedWarps, BarrierMode mode);
  /// Records "kernel …, CTA …, <where>: <what>" unless there is a finding already.
  void report(const std::string &where, const std::string &what);

  const Launch &launch;
  SharedMemory shared;
  LaunchCounters counters;
  std::vector<Allocation *> lastAllocations; ///< by access site: where its last access fell
  uint32_t ctaIndex = 0;
  unsigned warpCount;

private:
  struct Barrier {
    uint32_t arrived = 0;
    uint32_t waiting = 0;
    uint32_t expectedWarps = 0;
  };

  void orderByPriority();
  void release(Barrier &barrier);
  void releaseComplete();
  void reportDeadlock();

  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<unsigned> priorityOrder; ///< highest first
  std::array<Barrier, 16> barriers;
  uint32_t readyWarps = 0;
  uint32_t liveWarps = 0;
  std::string firstFinding;
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_CTA_H
