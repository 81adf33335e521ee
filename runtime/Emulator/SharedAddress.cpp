//===- SharedAddress.cpp - Whose shared memory an address names -----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedAddress.h"

#include "Cluster.h"

namespace fastnorm::emulator {

std::string describeShared(const Cta &reader, const Cta &owner, uint64_t address) {
  std::string whose = &reader == &owner ? "" : " of CTA " + std::to_string(owner.ctaIndex);
  for (const SharedVariable &variable : owner.launch.kernel->sharedVariables) {
    bool isDynamic = variable.byteCount == 0;
    if (address >= variable.address && (isDynamic || address - variable.address < variable.byteCount))
      return "byte " + std::to_string(address - variable.address) + " of shared memory '" + variable.name + "'" + whose;
  }
  return "shared address " + std::to_string(address) + whose + ", where the CTA has " + std::to_string(sharedBase) +
         " to " + std::to_string(sharedBase + owner.shared.byteCount());
}

/// Whether something orders the start of a CTA before what a warp of another one does now.
static bool isKnownToRun(const Cta &owner, Warp &warp) {
  const Cluster &cluster = owner.cluster;
  unsigned accessor = warp.cta.clusterWarp(warp);
  if (cluster.barrier.waitedPhases(accessor) > 0)
    return true;
  for (unsigned other = owner.firstWarp; other < owner.firstWarp + owner.warpCount; ++other)
    if (cluster.clocks.isBefore(other, cluster.clocks.start() + 1, accessor))
      return true;
  return false;
}

/// Null, or what is wrong with an access to another CTA's shared memory.
static const char *accessRemotely(Cta &owner, Warp &warp, unsigned agent) {
  if (owner.hasEnded())
    return ", but that CTA has ended";
  if (owner.launch.checkRaces && !isKnownToRun(owner, warp))
    return ", but that CTA may not have started: no cluster barrier was passed before";
  owner.noteForeignAccess(agent, warp.currentInstruction());
  return nullptr;
}

std::optional<SharedPlace> locateShared(Warp &warp, unsigned lane, const MemoryRange &range, const char *verb,
                                        std::optional<unsigned> agent) {
  const uint32_t bytes = range.bytes, alignment = range.alignment ? range.alignment : bytes;
  uint64_t address = range.address;
  Cta *owner = &warp.cta;
  auto fail = [&](const std::string &what) {
    warp.report(lane, verb + std::to_string(bytes) + " bytes at " + what);
    return std::nullopt;
  };
  uint64_t rankBits = address >> clusterRankShift;
  if (rankBits != 0 && range.space != StateSpace::Shared) {
    const uint32_t ctas = owner->launch.cluster;
    owner = owner->cluster.cta(uint32_t(std::min<uint64_t>(rankBits - 1, UINT32_MAX)));
    if (!owner)
      return fail("a shared address of the CTA of rank " + std::to_string(rankBits - 1) + ", but the cluster has " +
                  std::to_string(ctas) + " CTAs");
    address &= (uint64_t(1) << clusterRankShift) - 1;
  }
  auto describe = [&] { return describeShared(warp.cta, *owner, address); };
  if (address % alignment != 0)
    return fail(describe() + ": the address is not a multiple of " + std::to_string(alignment));
  if (!owner->shared.contains(address, bytes))
    return fail(describe() + ", which is past the CTA's " + std::to_string(owner->shared.byteCount()) + " bytes");
  if (owner != &warp.cta)
    if (const char *wrong = accessRemotely(*owner, warp, agent.value_or(warp.cta.clusterWarp(warp))))
      return fail(describe() + wrong);
  return SharedPlace{owner, uint32_t(address)};
}

} // namespace fastnorm::emulator
