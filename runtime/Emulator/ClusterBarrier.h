//===- ClusterBarrier.h - Where the warps of a cluster meet -----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// barrier.cluster, in phases: a warp arrives, may go on, and later waits for the
// phase that it arrived in. What a relaxed arrival orders is what the warp
// fenced before.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_CLUSTERBARRIER_H
#define FASTNORM_RUNTIME_EMULATOR_CLUSTERBARRIER_H

#include "WarpClocks.h"

#include <cstdint>
#include <vector>

namespace fastnorm::emulator {

/// Warps are numbered through the cluster.
class ClusterBarrier {
public:
  ClusterBarrier(WarpClocks &clocks, unsigned warpCount) : clocks(clocks), warps(warpCount) {}

  void begin();

  /// Null, or what is wrong: the warp has arrived and not waited yet.
  const char *arrive(unsigned warp, bool relaxed);
  /// Null, or what is wrong: the warp has not arrived. Sets `mustWait` if the phase is not complete.
  const char *wait(unsigned warp, bool &mustWait);
  void fence(unsigned warp);
  /// Ended warps are no longer waited for.
  void end(unsigned warp);

  /// Completes the phase if every live warp has arrived: true then, and the warps that waited may go on.
  bool complete();

  bool hasArrived(unsigned warp) const { return warps[warp].arrived; }
  bool isWaiting(unsigned warp) const { return warps[warp].waiting; }
  unsigned liveCount() const { return live; }
  unsigned arrivedCount() const { return arrived; }
  /// How many phases a warp has waited for.
  uint32_t waitedPhases(unsigned warp) const { return warps[warp].waitedPhases; }
  /// The number of the phase that a warp's next arrival belongs to.
  uint32_t nextArrival(unsigned warp) const { return phase + (warps[warp].arrived ? 1 : 0); }

private:
  struct WarpState {
    bool live = true;
    bool arrived = false;  ///< in the phase that is not complete
    bool owesWait = false; ///< arrived and has not waited for it
    bool waiting = false;
    uint32_t waitedPhases = 0;
    Clocks fenced;
  };
  void pass(unsigned warp);

  WarpClocks &clocks;
  std::vector<WarpState> warps;
  uint32_t phase = 0;
  unsigned live = 0, arrived = 0;
  Clocks arriving; ///< released by arrivals in the phase
  Clocks passed;   ///< by those of the last complete phase
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_CLUSTERBARRIER_H
