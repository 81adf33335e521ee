//===- AsyncCopies.cpp - Copies that are under way in a cluster -----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of several copies lands first is the seed's choice: they are in no order.
//
//===----------------------------------------------------------------------===//

#include "AsyncCopies.h"

#include "Cluster.h"
#include "Priority.h"

#include <algorithm>
#include <cstring>

namespace fastnorm::emulator {

AsyncCopies::AsyncCopies(Cluster &cluster, unsigned warpCount, unsigned mbarrierCount)
    : cluster(cluster), mbarrierCount(mbarrierCount), stores(cluster.launch.kernel->usesBulkCopies ? warpCount : 0),
      laneCopies(cluster.launch.kernel->usesAsyncCopies ? warpCount : 0) {}

void AsyncCopies::begin() {
  loads.clear();
  arrivals.clear();
  for (CopyGroups<BulkStore> &groups : stores)
    groups.begin();
  for (CopyGroups<LaneCopy> &groups : laneCopies)
    groups.begin();
  mbarriersBegun = 0;
  landed = storesUnderWay = 0;
}

void AsyncCopies::add(unsigned warp, BulkStore store) {
  stores[warp].add(std::move(store));
  ++storesUnderWay;
}

void AsyncCopies::add(const DeferredArrival &arrival) {
  // The lanes of one instruction arrive together.
  if (!arrivals.empty()) {
    DeferredArrival &last = arrivals.back();
    if (last.cta == arrival.cta && last.mbarrier == arrival.mbarrier && last.warp == arrival.warp &&
        last.clock == arrival.clock) {
      last.lanes |= arrival.lanes;
      return;
    }
  }
  arrivals.push_back(arrival);
}

bool AsyncCopies::land() {
  size_t count = loads.size() + arrivals.size();
  if (count == 0)
    return false;
  size_t chosen = mixBits(cluster.launch.seed ^ ++landed) % count;
  chosen < loads.size() ? landLoad(chosen) : landArrival(chosen - loads.size());
  return true;
}

MBarrier *AsyncCopies::find(Cta &cta, uint32_t address) const {
  auto found = cta.mbarriers.find(address);
  return cta.hasEnded() || found == cta.mbarriers.end() ? nullptr : &found->second;
}

void AsyncCopies::settle(MBarrier &mbarrier) {
  mbarrier.completeIfDone();
  cluster.noteEffect();
}

void AsyncCopies::landLoad(size_t index) {
  BulkLoad load = loads[index];
  loads[index] = loads.back();
  loads.pop_back();
  MBarrier *mbarrier = find(*load.cta, load.mbarrier);
  if (!mbarrier)
    return;
  std::memcpy(load.cta->shared.at(load.address), load.source, load.bytes);
  mbarrier->pendingBytes -= load.bytes;
  cluster.clocks.releaseAgent(load.agent, load.clock, mbarrier->arriving);
  settle(*mbarrier);
}

static bool copyLane(const LaneCopy &copy) {
  std::memcpy(copy.to, copy.from, copy.sourceBytes);
  std::memset(copy.to + copy.sourceBytes, 0, size_t(copy.bytes - copy.sourceBytes));
  return true;
}

void AsyncCopies::landArrival(size_t index) {
  DeferredArrival arrival = arrivals[index];
  arrivals[index] = arrivals.back();
  arrivals.pop_back();
  MBarrier *mbarrier = find(*arrival.cta, arrival.mbarrier);
  if (!mbarrier)
    return;
  laneCopies[arrival.warp].removeIf([&](const LaneCopy &copy) {
    return (arrival.lanes >> copy.lane & 1) && copy.clock <= arrival.clock && copyLane(copy);
  });
  mbarrier->pendingArrivals -= uint32_t(__builtin_popcount(arrival.lanes));
  cluster.clocks.releaseAgent(cluster.clocks.agent(AgentKind::AsyncCopy, arrival.warp), arrival.clock,
                              mbarrier->arriving);
  settle(*mbarrier);
}

bool AsyncCopies::completesOn(const Cta &cta, uint32_t mbarrier) const {
  auto isIt = [&](const auto &copy) { return copy.cta == &cta && copy.mbarrier == mbarrier; };
  return std::any_of(loads.begin(), loads.end(), isIt) || std::any_of(arrivals.begin(), arrivals.end(), isIt);
}

uint32_t AsyncCopies::arrivalsFor(const Cta &cta, uint32_t mbarrier) const {
  uint32_t count = 0;
  for (const DeferredArrival &arrival : arrivals)
    if (arrival.cta == &cta && arrival.mbarrier == mbarrier)
      count += uint32_t(__builtin_popcount(arrival.lanes));
  return count;
}

/// What an agent did is over up to the earliest of what is left.
template <typename Copy, typename Left>
static void acquireUntil(WarpClocks &clocks, unsigned warp, unsigned agent, const std::vector<Copy> &pending,
                         Left &&isLeft) {
  uint32_t done = clocks.now(agent);
  for (const Copy &copy : pending)
    if (isLeft(copy))
      done = std::min(done, copy.clock - 1);
  clocks.acquireAgent(warp, agent, done);
  clocks.tick(agent);
}

void AsyncCopies::commitCopies(unsigned warp, uint32_t lanes) {
  laneCopies[warp].commit(lanes);
  cluster.clocks.tick(cluster.clocks.agent(AgentKind::AsyncCopy, warp));
}

void AsyncCopies::waitForCopies(unsigned warp, uint32_t lanes, uint32_t newest, bool evenOpen) {
  if (evenOpen)
    commitCopies(warp, lanes);
  laneCopies[warp].complete(lanes, newest, copyLane);
  acquireUntil(cluster.clocks, warp, cluster.clocks.agent(AgentKind::AsyncCopy, warp), laneCopies[warp].pending(),
               [](const LaneCopy &) { return true; });
}

void AsyncCopies::commitStores(unsigned warp, uint32_t lanes) {
  stores[warp].commit(lanes);
  cluster.clocks.tick(cluster.clocks.agent(AgentKind::BulkStore, warp));
}

static void readSource(BulkStore &store) {
  if (store.read.empty())
    store.read.assign(store.source, store.source + store.bytes);
}

void AsyncCopies::finish(BulkStore &store) {
  readSource(store);
  std::memcpy(store.buffer->at(store.address), store.read.data(), store.bytes);
  store.buffer->markWritten(store.address - store.buffer->address, store.bytes);
  cluster.noteEffect();
  --storesUnderWay;
}

void AsyncCopies::waitForStores(unsigned warp, uint32_t lanes, uint32_t newest, bool onlyRead) {
  stores[warp].complete(lanes, newest, [&](BulkStore &store) {
    onlyRead ? readSource(store) : finish(store);
    return !onlyRead;
  });
  acquireUntil(cluster.clocks, warp, cluster.clocks.agent(AgentKind::BulkStore, warp), stores[warp].pending(),
               [](const BulkStore &store) { return store.read.empty(); });
}

const BulkStore *AsyncCopies::searchStoreTo(uint64_t address, uint64_t bytes) const {
  for (const CopyGroups<BulkStore> &groups : stores)
    for (const BulkStore &store : groups.pending())
      if (address < store.address + store.bytes && store.address < address + bytes)
        return &store;
  return nullptr;
}

void AsyncCopies::end(const Cta &cta) {
  if (storesUnderWay == 0)
    return;
  for (CopyGroups<BulkStore> &groups : stores)
    groups.removeIf([&](BulkStore &store) {
      if (store.cta != &cta)
        return false;
      finish(store);
      return true;
    });
}

} // namespace fastnorm::emulator
