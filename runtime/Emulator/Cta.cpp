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

#include <algorithm>
#include <numeric>

namespace fastnorm::emulator {

static unsigned warpsOf(uint32_t threads) { return (threads + warpLanes - 1) / warpLanes; }

static uint32_t firstBits(unsigned count) { return count >= 32 ? allLanes : (uint32_t(1) << count) - 1; }

Cta::Cta(const Launch &launch)
    : launch(launch), shared(launch.kernel->staticSharedBytes + launch.dynamicSharedBytes, launch.kernel->sharedGranule,
                             warpsOf(launch.threads), launch.checkRaces),
      lastAllocations(launch.kernel->siteCount, nullptr), warpCount(warpsOf(launch.threads)) {
  for (unsigned warp = 0; warp < warpCount; ++warp)
    warps.push_back(std::make_unique<Warp>(*this, warp));
}

/// splitmix64: spreads neighbouring seeds over all bits.
static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

void Cta::orderByPriority() {
  priorityOrder.resize(warpCount);
  std::iota(priorityOrder.begin(), priorityOrder.end(), 0u);
  if (launch.seed == 0)
    return;
  uint64_t ctaSeed = mix(launch.seed ^ mix(ctaIndex));
  std::sort(priorityOrder.begin(), priorityOrder.end(),
            [&](unsigned a, unsigned b) { return std::pair(mix(ctaSeed ^ a), a) < std::pair(mix(ctaSeed ^ b), b); });
}

bool Cta::run(uint32_t index) {
  ctaIndex = index;
  orderByPriority();
  shared.beginCta();
  barriers.fill({});
  for (const std::unique_ptr<Warp> &warp : warps)
    warp->begin();
  liveWarps = readyWarps = firstBits(warpCount);
  while (liveWarps) {
    auto next =
        std::find_if(priorityOrder.begin(), priorityOrder.end(), [&](unsigned warp) { return readyWarps >> warp & 1; });
    if (next == priorityOrder.end()) {
      reportDeadlock();
      return false;
    }
    uint32_t bit = uint32_t(1) << *next;
    switch (warps[*next]->run()) {
    case WarpStop::Waiting: break; // arrive() has already said whether it is ready again
    case WarpStop::Ended:
      readyWarps &= ~bit;
      liveWarps &= ~bit;
      releaseComplete();
      break;
    case WarpStop::Running:
    case WarpStop::Failed: return false;
    }
  }
  return true;
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
  shared.orderWarps(barrier.arrived, barrier.waiting);
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

void Cta::report(const std::string &where, const std::string &what) {
  if (firstFinding.empty())
    firstFinding = "kernel '" + launch.kernel->name + "', CTA " + std::to_string(ctaIndex) + ", " + where + ": " + what;
}

void Cta::reportDeadlock() {
  std::string what = "deadlock:";
  const char *separator = " ";
  for (size_t number = 0; number < barriers.size(); ++number) {
    const Barrier &barrier = barriers[number];
    if (!barrier.waiting)
      continue;
    unsigned expected = barrier.expectedWarps ? barrier.expectedWarps : unsigned(__builtin_popcount(liveWarps));
    auto first = unsigned(__builtin_ctz(barrier.waiting));
    const SourceLine &source = launch.kernel->sources[warps[first]->waitingAt()];
    what += separator + ("barrier " + std::to_string(number)) + " has " +
            std::to_string(__builtin_popcount(barrier.arrived)) + " of " + std::to_string(expected) +
            " warps, and warp " + std::to_string(first) + " waits at PTX line " + std::to_string(source.line) + " '" +
            source.text + "'";
    separator = ", ";
  }
  report(std::to_string(__builtin_popcount(liveWarps)) + " of " + std::to_string(warpCount) + " warps", what);
}

} // namespace fastnorm::emulator
