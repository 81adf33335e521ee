//===- MBarrierAccess.cpp - Finding the mbarrier of an operand ------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MBarrierAccess.h"

#include "Cluster.h"

namespace fastnorm::emulator {

uint64_t addressOf(Warp &warp, OperandCode code, unsigned lane, uint8_t bytes, int64_t offset) {
  return bytes == 8 ? warp.lanes<uint64_t>(code)[lane] + uint64_t(offset)
                    : uint32_t(warp.lanes<uint32_t>(code)[lane] + uint32_t(offset));
}

std::optional<SharedPlace> locateMBarrier(Warp &warp, unsigned lane, uint64_t address, StateSpace space,
                                          std::optional<unsigned> agent) {
  if (space == StateSpace::Generic) {
    if (address < sharedWindow || address >= localWindow) {
      warp.report(lane, "expected an mbarrier in shared memory, but got another address");
      return std::nullopt;
    }
    address -= sharedWindow;
  }
  return locateShared(warp, lane, MemoryRange{address, space, MBarrier::byteCount, 0}, "uses an mbarrier of ", agent);
}

MBarrier *findMBarrier(Warp &warp, unsigned lane, const SharedPlace &place) {
  auto found = place.cta->mbarriers.find(place.address);
  auto describe = [&] { return describeShared(warp.cta, *place.cta, place.address); };
  if (found == place.cta->mbarriers.end()) {
    warp.report(lane, "uses an mbarrier at " + describe() + ", but none was initialized there");
    return nullptr;
  }
  MBarrier &mbarrier = found->second;
  const Cluster &cluster = warp.cta.cluster;
  unsigned self = warp.cta.clusterWarp(warp);
  bool isKnown = mbarrier.initWarp == self || cluster.clocks.isBefore(mbarrier.initWarp, mbarrier.initClock, self) ||
                 cluster.barrier.waitedPhases(self) > mbarrier.fencedPhase;
  if (isKnown || !warp.cta.launch.checkRaces)
    return &mbarrier;
  const SourceLine &source = warp.cta.launch.kernel->sources[mbarrier.initInstruction];
  warp.report(lane, "uses an mbarrier at " + describe() + ", which " +
                        warp.cta.cluster.describeAgent(mbarrier.initWarp, warp.cta) + " at PTX line " +
                        std::to_string(source.line) + " '" + source.text + "' initialized with no barrier between");
  return nullptr;
}

void settle(Warp &warp, MBarrier &mbarrier) {
  mbarrier.completeIfDone();
  warp.cta.cluster.noteEffect();
}

} // namespace fastnorm::emulator
