//===- WarpClocks.cpp - What is ordered before what -----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clocks only grow from one cluster to the next, so that shadows of memory need
// not be cleared.
//
//===----------------------------------------------------------------------===//

#include "WarpClocks.h"

#include <algorithm>
#include <iterator>

namespace fastnorm::emulator {

void join(Clocks &into, const uint32_t *other, size_t count) {
  into.resize(count, 0);
  for (size_t i = 0; i < count; ++i)
    into[i] = std::max(into[i], other[i]);
}

WarpClocks::WarpClocks(const AgentCounts &counts) : warps(counts.warps) {
  const unsigned ofKind[] = {warps, counts.hasAsyncStores ? warps : 0, counts.hasAsyncCopies ? warps : 0,
                             counts.hasBulkCopies ? warps : 0, counts.hasBulkCopies ? counts.mbarriers : 0};
  firstOf[0] = 0;
  for (size_t kind = 0; kind < std::size(ofKind); ++kind)
    firstOf[kind + 1] = firstOf[kind] + ofKind[kind];
  agents = firstOf[std::size(ofKind)];
  width = counts.hasBulkCopies ? 2 * agents : agents;
  table.resize(size_t(warps) * width);
  asyncNow.resize(agents - warps);
}

AgentKind WarpClocks::kindOf(unsigned agent) const {
  size_t kind = 0;
  while (agent >= firstOf[kind + 1])
    ++kind;
  return AgentKind(kind);
}

bool WarpClocks::begin() {
  // Nobody knows more of an agent than the agent itself.
  uint32_t latest = startClock;
  for (unsigned agent = 0; agent < agents; ++agent)
    latest = std::max(latest, now(agent));
  bool startsOver = latest > UINT32_MAX / 2;
  startClock = startsOver ? 0 : latest;
  std::fill(table.begin(), table.end(), startClock);
  for (unsigned warp = 0; warp < warps; ++warp)
    row(warp)[warp] = startClock + 1;
  std::fill(asyncNow.begin(), asyncNow.end(), startClock + 1);
  return startsOver;
}

void WarpClocks::release(unsigned warp, Clocks &released) {
  join(released, row(warp), width);
  // What a warp does after a release is not part of it.
  ++row(warp)[warp];
}

void WarpClocks::releaseAsync(unsigned warp, Clocks &released) {
  release(warp, released);
  unsigned stores = agent(AgentKind::AsyncStore, warp);
  releaseAgent(stores, now(stores), released);
  tick(stores);
}

void WarpClocks::releaseAgent(unsigned agent, uint32_t clock, Clocks &released) const {
  released.resize(width, 0);
  released[agent] = std::max(released[agent], clock);
}

void WarpClocks::acquireAgent(unsigned warp, unsigned agent, uint32_t clock) {
  row(warp)[agent] = std::max(row(warp)[agent], clock);
}

void WarpClocks::fenceProxy(unsigned warp) {
  if (width == agents)
    return;
  uint32_t *known = row(warp);
  std::copy(known, known + agents, known + agents);
  // What the warp writes after the fence is not fenced.
  ++known[warp];
}

void WarpClocks::acquire(unsigned warp, const Clocks &released) {
  uint32_t *known = row(warp);
  for (size_t agent = 0; agent < released.size(); ++agent)
    known[agent] = std::max(known[agent], released[agent]);
}

void WarpClocks::meet(unsigned first, uint32_t arrived, uint32_t released) {
  joined.assign(width, 0);
  for (uint32_t rest = arrived; rest; rest &= rest - 1)
    join(joined, row(first + unsigned(__builtin_ctz(rest))), width);
  for (uint32_t rest = released; rest; rest &= rest - 1)
    acquire(first + unsigned(__builtin_ctz(rest)), joined);
  // What a warp does after it arrived is not ordered before what the others do next.
  for (uint32_t rest = arrived; rest; rest &= rest - 1) {
    unsigned warp = first + unsigned(__builtin_ctz(rest));
    ++row(warp)[warp];
  }
}

} // namespace fastnorm::emulator
