//===- Cta.h - The warps of one CTA and their barriers ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the warps of a CTA, one at a time: always the ready warp of highest
// priority. Knows who waits at which barrier.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_CTA_H
#define FASTNORM_RUNTIME_EMULATOR_CTA_H

#include "Launch.h"
#include "MBarrier.h"
#include "SharedMemory.h"
#include "Warp.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::emulator {

class Cluster;

/// One for each rank of a Cluster; runs CTA after CTA.
class Cta {
public:
  Cta(Cluster &cluster, uint32_t rank);

  void begin(uint32_t index);
  bool hasReadyWarps() const { return readyWarps != 0; }
  bool hasPollingWarps() const { return pollingWarps != 0; }
  /// Whether a warp polls global memory, which other clusters may change.
  bool watchesGlobal() const { return globalWatchers != 0; }
  bool hasEnded() const { return liveWarps == 0; }
  uint32_t live() const { return liveWarps; }
  /// Runs the ready warp of highest priority until it waits or ends. False if it did something wrong.
  bool step();
  /// Lets warps that poll look again.
  void wakePolling();
  /// Lets warps that wait at the cluster barrier go on if it has let them pass.
  void wakeAtClusterBarrier();

  /// A warp arrives; `expectedWarps` is 0 for all that have not ended. Returns false if the barrier is misused.
  bool arrive(Warp &warp, uint32_t barrier, uint32_t expectedWarps, BarrierMode mode);
  void waitAtClusterBarrier(const Warp &warp);
  /// Records "kernel …, CTA …, <where>: <what>" unless the cluster has a finding already.
  void report(const std::string &where, const std::string &what);
  /// What keeps the live warps: "barrier 0 has 1 of 2 warps, and warp 1 waits at PTX line …".
  std::string describeWaiting() const;

  /// A warp waits for the launches before its own; whatever is ordered after it has waited too.
  void noteGridWait(const Warp &warp);
  bool hasWaitedForGrid(const Warp &warp) const;

  /// A warp of another CTA, or a copy, accesses this one's shared memory, which must then be there until that is
  /// ordered before what a warp of this CTA does.
  void noteForeignAccess(unsigned agent, uint32_t instruction);

  /// Of a warp of this CTA, through the cluster.
  unsigned clusterWarp(const Warp &warp) const { return firstWarp + warp.index; }

  Cluster &cluster;
  const Launch &launch;
  const uint32_t rank; ///< in the cluster
  const unsigned warpCount;
  const unsigned firstWarp; ///< of the cluster
  SharedMemory shared;
  MBarriers mbarriers;
  LaunchCounters counters;
  std::vector<Allocation *> lastAllocations; ///< by access site: where its last access fell
  uint32_t ctaIndex = 0;

private:
  struct Barrier {
    uint32_t arrived = 0;
    uint32_t waiting = 0;
    uint32_t expectedWarps = 0;
  };
  struct ForeignAccess {
    uint32_t clock = 0;
    uint32_t instruction = 0;
  };

  /// "the mbarrier at … lacks …, and "; empty if there is none such.
  std::string describeMBarrier(const MBarrier *wanted) const;
  void release(Barrier &barrier);
  void releaseComplete();
  bool endWarp(Warp &warp);
  bool checkForeignAccesses();

  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<unsigned> priorityOrder; ///< highest first
  std::array<Barrier, 16> barriers;
  std::vector<ForeignAccess> foreignAccesses;           ///< by agent: its last one
  std::vector<std::pair<unsigned, uint32_t>> gridWaits; ///< warp and when
  uint32_t readyWarps = 0;
  uint32_t liveWarps = 0;
  uint32_t pollingWarps = 0;
  uint32_t globalWatchers = 0; ///< of those that poll or polled last
  uint32_t clusterWaiting = 0;
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_CTA_H
