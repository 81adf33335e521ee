//===- Cta.cpp - The warps of one CTA and their barriers ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Priorities are random but fixed for a CTA: uniformly random order hides a
// missing trailing barrier, one warp always running ahead does not.
//
//===----------------------------------------------------------------------===//

#include "Cta.h"

#include "Cluster.h"
#include "Priority.h"
#include "SharedAddress.h"

#include <algorithm>

namespace fastnorm::emulator {

static uint32_t firstBits(unsigned count) { return count >= 32 ? allLanes : (uint32_t(1) << count) - 1; }

Cta::Cta(Cluster &cluster, uint32_t rank)
    : cluster(cluster), launch(cluster.launch), rank(rank), warpCount(cluster.launch.warpsPerCta()),
      firstWarp(rank * warpCount),
      shared(launch.kernel->staticSharedBytes + launch.dynamicSharedBytes, launch.kernel->sharedGranule, cluster.clocks,
             firstWarp, warpCount, launch.checkRaces, launch.kernel->usesBulkCopies || launch.kernel->usesAsyncCopies),
      lastAllocations(launch.kernel->siteCount, nullptr) {
  for (unsigned warp = 0; warp < warpCount; ++warp)
    warps.push_back(std::make_unique<Warp>(*this, warp));
}

void Cta::begin(uint32_t index) {
  ctaIndex = index;
  priorityOrder = orderByPriority(warpCount, launch.seed, ctaIndex);
  barriers.fill({});
  mbarriers.clear();
  foreignAccesses.clear();
  gridWaits.clear();
  for (const std::unique_ptr<Warp> &warp : warps)
    warp->begin();
  liveWarps = readyWarps = firstBits(warpCount);
  pollingWarps = globalWatchers = clusterWaiting = 0;
}

bool Cta::step() {
  auto next =
      std::find_if(priorityOrder.begin(), priorityOrder.end(), [&](unsigned warp) { return readyWarps >> warp & 1; });
  uint32_t bit = uint32_t(1) << *next;
  switch (warps[*next]->run()) {
  case WarpStop::Waiting: // whoever it waits at has already said whether it is ready again
    globalWatchers &= ~bit;
    return true;
  case WarpStop::Polling:
    readyWarps &= ~bit;
    pollingWarps |= bit;
    globalWatchers = warps[*next]->watchesGlobal() ? globalWatchers | bit : globalWatchers & ~bit;
    return true;
  case WarpStop::Ended: return endWarp(*warps[*next]);
  case WarpStop::Running:
  case WarpStop::Failed: break;
  }
  return false;
}

bool Cta::endWarp(Warp &warp) {
  uint32_t bit = uint32_t(1) << warp.index;
  readyWarps &= ~bit;
  liveWarps &= ~bit;
  globalWatchers &= ~bit;
  if (!liveWarps) {
    if (!checkForeignAccesses())
      return false;
    cluster.copies.end(*this);
  }
  releaseComplete();
  cluster.warpEnded(warp);
  return true;
}

void Cta::noteGridWait(const Warp &warp) {
  gridWaits.emplace_back(clusterWarp(warp), cluster.clocks.now(clusterWarp(warp)));
}

bool Cta::hasWaitedForGrid(const Warp &warp) const {
  for (const auto &[waiter, clock] : gridWaits)
    if (cluster.clocks.isBefore(waiter, clock, clusterWarp(warp)))
      return true;
  return false;
}

void Cta::noteForeignAccess(unsigned agent, uint32_t instruction) {
  foreignAccesses.resize(cluster.clocks.agentCount());
  foreignAccesses[agent] = {cluster.clocks.now(agent), instruction};
}

bool Cta::checkForeignAccesses() {
  for (unsigned agent = 0; agent < foreignAccesses.size() && launch.checkRaces; ++agent) {
    const ForeignAccess &access = foreignAccesses[agent];
    bool isKnown = access.clock == 0;
    for (unsigned warp = firstWarp; warp < firstWarp + warpCount && !isKnown; ++warp)
      isKnown = cluster.clocks.isBefore(agent, access.clock, warp);
    if (isKnown)
      continue;
    const SourceLine &source = launch.kernel->sources[access.instruction];
    AgentKind kind = cluster.clocks.kindOf(agent);
    bool isCopy = kind == AgentKind::BulkLoad || kind == AgentKind::BulkStore;
    report("at its end", cluster.describeAgent(agent, *this) + " accesses its shared memory at PTX line " +
                             std::to_string(source.line) + " '" + source.text + "' with no " +
                             (isCopy ? "wait for it" : "cluster barrier") + " between that and the end");
    return false;
  }
  return true;
}

void Cta::wakePolling() {
  readyWarps |= pollingWarps;
  pollingWarps = 0;
}

void Cta::waitAtClusterBarrier(const Warp &warp) {
  uint32_t bit = uint32_t(1) << warp.index;
  readyWarps &= ~bit;
  clusterWaiting |= bit;
}

void Cta::wakeAtClusterBarrier() {
  for (uint32_t rest = clusterWaiting; rest; rest &= rest - 1) {
    auto warp = unsigned(__builtin_ctz(rest));
    if (cluster.barrier.isWaiting(firstWarp + warp))
      continue;
    readyWarps |= uint32_t(1) << warp;
    clusterWaiting &= ~(uint32_t(1) << warp);
  }
}

bool Cta::arrive(Warp &warp, uint32_t number, uint32_t expectedWarps, BarrierMode mode) {
  Barrier &barrier = barriers[number];
  uint32_t bit = uint32_t(1) << warp.index;
  ++counters.barriers;
  if (barrier.arrived && barrier.expectedWarps != expectedWarps) {
    auto count = [](uint32_t warps) { return warps ? std::to_string(warps * warpLanes) + " threads" : "all threads"; };
    warp.reportAll("expected every warp to give barrier " + std::to_string(number) +
                   " the same thread count, but got " + count(expectedWarps) + " after " +
                   count(barrier.expectedWarps));
    return false;
  }
  if (barrier.arrived & bit) {
    warp.reportAll("the warp arrives twice at barrier " + std::to_string(number) + " before it completes");
    return false;
  }
  barrier.expectedWarps = expectedWarps;
  barrier.arrived |= bit;
  if (mode == BarrierMode::Sync) {
    barrier.waiting |= bit;
    readyWarps &= ~bit;
  }
  releaseComplete();
  return true;
}

void Cta::release(Barrier &barrier) {
  cluster.clocks.meet(firstWarp, barrier.arrived, barrier.waiting);
  cluster.noteEffect();
  readyWarps |= barrier.waiting;
  barrier = {};
}

void Cta::releaseComplete() {
  for (Barrier &barrier : barriers) {
    if (!barrier.arrived)
      continue;
    bool complete = barrier.expectedWarps ? unsigned(__builtin_popcount(barrier.arrived)) >= barrier.expectedWarps
                                          : (liveWarps & ~barrier.arrived) == 0;
    if (complete)
      release(barrier);
  }
}

void Cta::report(const std::string &where, const std::string &what) { cluster.report(*this, where, what); }

std::string Cta::describeMBarrier(const MBarrier *wanted) const {
  for (uint32_t other = 0; other < launch.cluster; ++other) {
    const Cta &owner = *cluster.cta(other);
    for (const auto &[address, mbarrier] : owner.mbarriers)
      if (&mbarrier == wanted)
        return "the mbarrier at " + describeShared(*this, owner, address) + " has completed " +
               std::to_string(mbarrier.phase) + " phases and lacks " + std::to_string(mbarrier.pendingArrivals) +
               " arrivals and " + std::to_string(mbarrier.pendingBytes) + " bytes, and ";
  }
  return "";
}

std::string Cta::describeWaiting() const {
  std::string what;
  auto add = [&](uint32_t waiting, const std::string &why) {
    if (!waiting)
      return;
    auto first = unsigned(__builtin_ctz(waiting));
    const SourceLine &source = launch.kernel->sources[warps[first]->waitingAt()];
    what += (what.empty() ? "" : ", ") + why + "warp " + std::to_string(first) + " waits at PTX line " +
            std::to_string(source.line) + " '" + source.text + "'";
  };
  for (size_t number = 0; number < barriers.size(); ++number) {
    const Barrier &barrier = barriers[number];
    unsigned expected = barrier.expectedWarps ? barrier.expectedWarps : unsigned(__builtin_popcount(liveWarps));
    add(barrier.waiting, "barrier " + std::to_string(number) + " has " +
                             std::to_string(__builtin_popcount(barrier.arrived)) + " of " + std::to_string(expected) +
                             " warps, and ");
  }
  add(clusterWaiting, "the cluster barrier has " + std::to_string(cluster.barrier.arrivedCount()) + " of " +
                          std::to_string(cluster.barrier.liveCount()) + " warps, and ");
  // Those that watch global memory have been woken to look, in vain.
  uint32_t polling = pollingWarps | globalWatchers;
  add(polling, polling ? describeMBarrier(warps[unsigned(__builtin_ctz(polling))]->waitingFor) : "");
  return what;
}

} // namespace fastnorm::emulator
