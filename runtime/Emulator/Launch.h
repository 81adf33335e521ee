//===- Launch.h - One launch and its CTAs on host threads -------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every CTA of a launch shares, and the loop that hands clusters to host
// threads.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_LAUNCH_H
#define FASTNORM_RUNTIME_EMULATOR_LAUNCH_H

#include "GlobalMemory.h"
#include "Program.h"
#include "fastnorm/Support/Result.h"
#include "runtime/Device.h"

namespace fastnorm::emulator {

struct Launch {
  const KernelProgram *kernel = nullptr;
  GlobalMemory *global = nullptr;
  std::vector<std::byte> parameters;
  uint32_t grid = 1;    ///< CTAs, a multiple of `cluster`
  uint32_t cluster = 1; ///< CTAs that run together
  uint32_t threads = 1;
  uint64_t dynamicSharedBytes = 0;
  uint32_t maxResidentClusters = 1; ///< at once; the others start when one of them has ended
  uint64_t seed = 0;
  bool checkRaces = true;
  uint32_t tag = 1; ///< GlobalMemory::nextLaunchTag
  /// Of a dependent launch: the tag of the first launch that may not have ended when it starts; 0 for none.
  uint32_t overlapsFrom = 0;
  uint64_t maxWarpInstructions = 0;

  unsigned warpsPerCta() const { return (threads + warpLanes - 1) / warpLanes; }
};

/// Adds counts up.
void add(LaunchCounters &sum, const LaunchCounters &counted);

/// Runs all CTAs. If kernels did something wrong, the error is that of the lowest CTA, whatever ran first.
Status runLaunch(const Launch &launch, unsigned hostThreads, LaunchCounters &counters);

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_LAUNCH_H
