//===- Cluster.cpp - CTAs that run together -------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "Priority.h"

#include <algorithm>

namespace fastnorm::emulator {

/// More than a kernel has; past it some share a number, and waiting for one counts as waiting for the other's past.
static constexpr unsigned mbarriersPerCta = 16;

static AgentCounts countAgents(const Launch &launch) {
  const KernelProgram &kernel = *launch.kernel;
  return {launch.cluster * launch.warpsPerCta(), kernel.usesAsyncStores, kernel.usesAsyncCopies, kernel.usesBulkCopies,
          launch.cluster * mbarriersPerCta};
}

Cluster::Cluster(const Launch &launch)
    : launch(launch), clocks(countAgents(launch)), barrier(clocks, launch.cluster * launch.warpsPerCta()),
      copies(*this, launch.cluster * launch.warpsPerCta(), launch.cluster * mbarriersPerCta) {
  for (uint32_t rank = 0; rank < launch.cluster; ++rank)
    ctas.push_back(std::make_unique<Cta>(*this, rank));
}

void Cluster::begin(uint32_t index) {
  clusterIndex = index;
  bool clocksStartOver = clocks.begin();
  barrier.begin();
  copies.begin();
  effectCount = effectsAtWake = 0;
  fruitlessWakes = 0;
  for (const std::unique_ptr<Cta> &cta : ctas) {
    cta->shared.begin(clocksStartOver);
    cta->begin(firstCta() + cta->rank);
  }
  priorityOrder.clear();
  // Whose order it is must not be that of a CTA's warps.
  for (unsigned rank : orderByPriority(launch.cluster, launch.seed, ~uint64_t(index)))
    priorityOrder.push_back(ctas[rank].get());
}

Cluster::Stop Cluster::run() {
  for (;;) {
    auto next = std::find_if(priorityOrder.begin(), priorityOrder.end(), [](Cta *cta) { return cta->hasReadyWarps(); });
    if (next != priorityOrder.end()) {
      if (!(*next)->step())
        return Stop::Failed;
      continue;
    }
    if (std::all_of(ctas.begin(), ctas.end(), [](const auto &cta) { return cta->hasEnded(); }))
      return Stop::Ended;
    // Copies come as late as they may, so that whoever does not wait finds nothing.
    if (copies.land()) {
      for (const std::unique_ptr<Cta> &cta : ctas)
        cta->wakePolling();
      continue;
    }
    if (Stop stop = wakePolling(); stop != Stop::Ended)
      return stop;
  }
}

/// Ended: they look again.
Cluster::Stop Cluster::wakePolling() {
  bool isPolling = std::any_of(ctas.begin(), ctas.end(), [](const auto &cta) { return cta->hasPollingWarps(); });
  bool watchesGlobal = std::any_of(ctas.begin(), ctas.end(), [](const auto &cta) { return cta->watchesGlobal(); });
  fruitlessWakes = effectCount == effectsAtWake ? fruitlessWakes + 1 : 0;
  effectsAtWake = effectCount;
  if (!isPolling || (!watchesGlobal && fruitlessWakes > maxFruitlessLooks)) {
    reportDeadlock();
    return Stop::Failed;
  }
  for (const std::unique_ptr<Cta> &cta : ctas)
    cta->wakePolling();
  return watchesGlobal && fruitlessWakes > 0 ? Stop::Stalled : Stop::Ended;
}

LaunchCounters Cluster::counters() const {
  LaunchCounters sum;
  for (const std::unique_ptr<Cta> &cta : ctas)
    add(sum, cta->counters);
  return sum;
}

std::string Cluster::describeAgent(unsigned agent, const Cta &reader) {
  AgentKind kind = clocks.kindOf(agent);
  if (kind == AgentKind::BulkLoad)
    return "a bulk copy";
  unsigned warp = clocks.indexOf(agent);
  Cta &owner = ctaOfWarp(warp);
  constexpr const char *names[] = {"warp ", "an asynchronous store of warp ", "an asynchronous copy of warp ",
                                   "a bulk copy of warp "};
  std::string text = names[size_t(kind)] + std::to_string(warp - owner.firstWarp);
  return &owner == &reader ? text : text + " of CTA " + std::to_string(owner.ctaIndex);
}

void Cluster::arrive(Warp &warp, bool relaxed) {
  ++warp.cta.counters.barriers;
  if (const char *wrong = barrier.arrive(warp.cta.clusterWarp(warp), relaxed))
    warp.reportAll(wrong);
  else
    completeBarrier();
}

bool Cluster::wait(Warp &warp) {
  bool mustWait = false;
  if (const char *wrong = barrier.wait(warp.cta.clusterWarp(warp), mustWait))
    warp.reportAll(wrong);
  else if (mustWait)
    warp.cta.waitAtClusterBarrier(warp);
  return mustWait;
}

void Cluster::warpEnded(Warp &warp) {
  barrier.end(warp.cta.clusterWarp(warp));
  completeBarrier();
}

void Cluster::completeBarrier() {
  if (!barrier.complete())
    return;
  noteEffect();
  for (const std::unique_ptr<Cta> &cta : ctas)
    cta->wakeAtClusterBarrier();
}

void Cluster::report(const Cta &cta, const std::string &where, const std::string &what) {
  if (firstFinding.empty())
    firstFinding =
        "kernel '" + launch.kernel->name + "', CTA " + std::to_string(cta.ctaIndex) + ", " + where + ": " + what;
}

void Cluster::reportDeadlock() {
  const Cta *first = nullptr;
  std::string what = "deadlock:";
  for (const std::unique_ptr<Cta> &cta : ctas) {
    std::string waiting = cta->describeWaiting();
    if (waiting.empty())
      continue;
    what += first ? "; in CTA " + std::to_string(cta->ctaIndex) + " " + waiting : " " + waiting;
    first = first ? first : cta.get();
  }
  report(*first,
         std::to_string(__builtin_popcount(first->live())) + " of " + std::to_string(first->warpCount) + " warps",
         what);
}

} // namespace fastnorm::emulator
