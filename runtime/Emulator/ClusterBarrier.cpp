//===- ClusterBarrier.cpp - Where the warps of a cluster meet -------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp can be one phase behind at most, since the next cannot complete without
// it: the clocks of one complete phase are enough.
//
//===----------------------------------------------------------------------===//

#include "ClusterBarrier.h"

#include <utility>

namespace fastnorm::emulator {

void ClusterBarrier::begin() {
  warps.assign(warps.size(), WarpState());
  phase = 0;
  live = unsigned(warps.size());
  arrived = 0;
  arriving.clear();
  passed.clear();
}

const char *ClusterBarrier::arrive(unsigned warp, bool relaxed) {
  WarpState &state = warps[warp];
  if (state.owesWait)
    return "the warp arrives twice at the cluster barrier without a wait between";
  state.arrived = state.owesWait = true;
  ++arrived;
  if (!relaxed)
    clocks.release(warp, arriving);
  else if (!state.fenced.empty())
    join(arriving, state.fenced.data(), state.fenced.size());
  return nullptr;
}

void ClusterBarrier::pass(unsigned warp) {
  WarpState &state = warps[warp];
  state.owesWait = state.waiting = false;
  ++state.waitedPhases;
  clocks.acquire(warp, passed);
}

const char *ClusterBarrier::wait(unsigned warp, bool &mustWait) {
  WarpState &state = warps[warp];
  if (!state.owesWait)
    return "the warp waits at the cluster barrier without having arrived";
  mustWait = state.waiting = state.arrived;
  if (!mustWait)
    pass(warp);
  return nullptr;
}

void ClusterBarrier::fence(unsigned warp) { clocks.release(warp, warps[warp].fenced); }

void ClusterBarrier::end(unsigned warp) {
  WarpState &state = warps[warp];
  state.live = false;
  --live;
  // An arrival of a warp that has ended still counts for the clocks, no longer for the count.
  if (std::exchange(state.arrived, false))
    --arrived;
}

bool ClusterBarrier::complete() {
  if (arrived == 0 || arrived < live)
    return false;
  ++phase;
  arrived = 0;
  passed = std::exchange(arriving, {});
  for (unsigned warp = 0; warp < warps.size(); ++warp) {
    warps[warp].arrived = false;
    if (warps[warp].waiting)
      pass(warp);
  }
  return true;
}

} // namespace fastnorm::emulator
