//===- Cluster.h - CTAs that run together -----------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the CTAs of one cluster, or one CTA of a launch without clusters, in one
// host thread: always the ready CTA of highest priority. Knows when nobody can
// go on, and says why.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_CLUSTER_H
#define FASTNORM_RUNTIME_EMULATOR_CLUSTER_H

#include "AsyncCopies.h"
#include "ClusterBarrier.h"
#include "Cta.h"
#include "WarpClocks.h"

#include <memory>
#include <string>
#include <vector>

namespace fastnorm::emulator {

/// A loop may look a few times for something that is not to come and then give up; this often, and nothing will change.
constexpr unsigned maxFruitlessLooks = 1000;

/// One a host thread; runs cluster after cluster.
class Cluster {
public:
  explicit Cluster(const Launch &launch);

  enum class Stop : uint8_t {
    Ended,
    Failed,  ///< finding() says what
    Stalled, ///< every warp waits, some of them for what other clusters write
  };

  void begin(uint32_t index);
  Stop run();
  const std::string &finding() const { return firstFinding; }
  /// The lowest of its CTAs.
  uint32_t firstCta() const { return clusterIndex * launch.cluster; }
  LaunchCounters counters() const;
  /// Grows when the cluster changes what others may wait for.
  uint64_t effects() const { return effectCount; }

  /// The CTA of a rank; null if the cluster has none.
  Cta *cta(uint32_t rank) { return rank < ctas.size() ? ctas[rank].get() : nullptr; }
  Cta &ctaOfWarp(unsigned clusterWarp) { return *ctas[clusterWarp / ctas[0]->warpCount]; }
  /// "warp 3", "warp 3 of CTA 7", for a message of `reader`; clusterWarp counts through the cluster.
  std::string describeAgent(unsigned agent, const Cta &reader);

  void arrive(Warp &warp, bool relaxed);
  /// True if the warp must wait.
  bool wait(Warp &warp);
  void warpEnded(Warp &warp);
  void noteEffect() { ++effectCount; }
  /// Makes a finding of who waits for what.
  void reportDeadlock();
  void report(const Cta &cta, const std::string &where, const std::string &what);

  const Launch &launch;
  WarpClocks clocks;
  ClusterBarrier barrier;
  AsyncCopies copies;

private:
  void completeBarrier();
  Stop wakePolling();

  std::vector<std::unique_ptr<Cta>> ctas; ///< by rank
  std::vector<Cta *> priorityOrder;       ///< highest first
  uint32_t clusterIndex = 0;
  uint64_t effectCount = 0;
  uint64_t effectsAtWake = 0;
  unsigned fruitlessWakes = 0;
  std::string firstFinding;
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_CLUSTER_H
