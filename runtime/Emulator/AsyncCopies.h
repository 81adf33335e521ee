//===- AsyncCopies.h - Copies that are under way in a cluster ---*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes move when they must at last: at the wait that says so, or when no warp
// can go on without them. So a kernel that does not wait finds what was there before.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_ASYNCCOPIES_H
#define FASTNORM_RUNTIME_EMULATOR_ASYNCCOPIES_H

#include "CopyGroups.h"
#include "GlobalMemory.h"

#include <vector>

namespace fastnorm::emulator {

class Cluster;
class Cta;
struct MBarrier;

/// cp.async.bulk from global to shared memory.
struct BulkLoad {
  Cta *cta = nullptr; ///< of destination and mbarrier
  uint32_t address = 0;
  uint32_t bytes = 0;
  const std::byte *source = nullptr;
  uint32_t mbarrier = 0; ///< its address
  unsigned agent = 0;
  uint32_t clock = 0;
};

/// cp.async.bulk from shared to global memory.
struct BulkStore : GroupedCopy {
  const Cta *cta = nullptr;
  const std::byte *source = nullptr;
  Allocation *buffer = nullptr;
  uint64_t address = 0;
  uint32_t bytes = 0;
  uint32_t instruction = 0;
  std::vector<std::byte> read; ///< empty until the source was read
};

/// cp.async. Past sourceBytes it writes zeros.
struct LaneCopy : GroupedCopy {
  std::byte *to = nullptr;
  const std::byte *from = nullptr;
  uint8_t bytes = 0;
  uint8_t sourceBytes = 0;
};

/// cp.async.mbarrier.arrive: an arrival once the copies of some lanes are done.
struct DeferredArrival {
  Cta *cta = nullptr;
  uint32_t mbarrier = 0;
  unsigned warp = 0; ///< of the cluster
  uint32_t lanes = 0;
  uint32_t clock = 0; ///< of the newest of those copies
};

/// Warps are numbered through the cluster.
class AsyncCopies {
public:
  AsyncCopies(Cluster &cluster, unsigned warpCount, unsigned mbarrierCount);

  void begin();
  unsigned nextMBarrier() { return mbarriersBegun++ % mbarrierCount; }

  void add(const BulkLoad &load) { loads.push_back(load); }
  void add(unsigned warp, BulkStore store);
  void add(unsigned warp, LaneCopy copy) { laneCopies[warp].add(std::move(copy)); }
  void add(const DeferredArrival &arrival);

  /// Moves what one copy, or the copies before one arrival, bring. False if nothing that completes on an mbarrier is
  /// under way.
  bool land();
  bool completesOn(const Cta &cta, uint32_t mbarrier) const;

  /// How many arrivals at an mbarrier are to come.
  uint32_t arrivalsFor(const Cta &cta, uint32_t mbarrier) const;

  void commitCopies(unsigned warp, uint32_t lanes);
  /// Lanes of a warp wait for all but their newest groups; `newest` of 0 and `evenOpen` for every copy they issued.
  void waitForCopies(unsigned warp, uint32_t lanes, uint32_t newest, bool evenOpen);
  void commitStores(unsigned warp, uint32_t lanes);
  /// `onlyRead`: until the sources were read.
  void waitForStores(unsigned warp, uint32_t lanes, uint32_t newest, bool onlyRead);

  /// A store under way that writes one of some bytes of global memory; or null.
  const BulkStore *findStoreTo(uint64_t address, uint64_t bytes) const {
    return storesUnderWay == 0 ? nullptr : searchStoreTo(address, bytes);
  }
  /// The CTA has ended: what its warps stored becomes visible.
  void end(const Cta &cta);

private:
  void landLoad(size_t index);
  void landArrival(size_t index);
  /// The mbarrier that something completes on; null if its CTA has ended.
  MBarrier *find(Cta &cta, uint32_t address) const;
  void settle(MBarrier &mbarrier);
  void finish(BulkStore &store);
  const BulkStore *searchStoreTo(uint64_t address, uint64_t bytes) const;

  Cluster &cluster;
  const unsigned mbarrierCount;
  unsigned mbarriersBegun = 0;
  uint64_t landed = 0;
  size_t storesUnderWay = 0;
  std::vector<BulkLoad> loads;
  std::vector<DeferredArrival> arrivals;
  std::vector<CopyGroups<BulkStore>> stores;    ///< by warp
  std::vector<CopyGroups<LaneCopy>> laneCopies; ///< by warp
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_ASYNCCOPIES_H
