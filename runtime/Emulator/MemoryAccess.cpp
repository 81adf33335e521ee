//===- MemoryAccess.cpp - Where the lanes of an access point --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every finding about memory is worded here.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"

#include "Cluster.h"
#include "SharedAddress.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace fastnorm::emulator {

namespace {

class Access {
public:
  Access(Warp &warp, const Instruction &instruction, AccessKind kind, const std::byte *values, LaneMemory &memory)
      : warp(warp), cta(warp.cta), instruction(instruction), kind(kind), values(values), memory(memory),
        bytes(uint32_t(instruction.elementBytes) * instruction.elementCount), alignment(bytes) {}
  Access(Warp &warp, const Instruction &instruction, AccessKind kind, const std::byte *values, LaneMemory &memory,
         const MemoryRange &range)
      : warp(warp), cta(warp.cta), instruction(instruction), kind(kind), values(values), memory(memory),
        bytes(range.bytes), alignment(range.alignment) {}

  bool run(uint32_t mask, OperandCode address);
  bool global(unsigned lane, uint64_t address, uint64_t byteCount, const std::byte *value);
  std::optional<SharedPlace> shared(unsigned lane, uint64_t address, StateSpace space, SharedAccess access,
                                    unsigned agent);

private:
  void readAddresses(uint32_t mask, OperandCode address);
  bool isContiguous() const;
  bool isUniform(uint32_t mask) const;
  bool lane(unsigned lane);
  bool globalHistory(unsigned lane, Allocation &buffer, uint64_t offset, uint64_t byteCount, const std::byte *value);
  bool shared(unsigned lane, uint64_t address);
  bool local(unsigned lane, uint64_t address);
  bool afterBulkStores(unsigned lane, uint64_t address, uint64_t byteCount);
  bool outsideMBarriers(unsigned lane, const SharedPlace &place);
  void reportShared(unsigned lane, const Cta &owner, const SharedConflict &conflict);
  bool afterEarlierLaunches(unsigned lane, const Allocation &buffer, uint64_t offset, uint64_t byteCount);
  const char *word() const {
    return kind == AccessKind::Load ? "reads " : kind == AccessKind::Atomic ? "updates " : "writes ";
  }
  std::string verb() const { return word() + std::to_string(bytes) + " bytes at "; }
  bool fail(unsigned lane, const std::string &what) {
    warp.report(lane, what);
    return false;
  }

  Warp &warp;
  Cta &cta;
  const Instruction &instruction;
  AccessKind kind;
  const std::byte *values;
  LaneMemory &memory;
  uint32_t bytes;
  uint32_t alignment;
  uint32_t together = 0; ///< lanes that one check stands for; 0 for the lane alone
  uint64_t addresses[warpLanes];
};

void Access::readAddresses(uint32_t mask, OperandCode address) {
  auto offset = uint64_t(instruction.offset);
  if (instruction.mode == 8) {
    const auto *base = warp.lanes<uint64_t>(address);
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      addresses[lane] = base[lane] + offset;
  } else {
    const auto *base = warp.lanes<uint32_t>(address);
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      addresses[lane] = uint32_t(base[lane] + uint32_t(offset));
  }
}

bool Access::isContiguous() const {
  uint64_t differences = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    differences |= addresses[lane] ^ (addresses[0] + uint64_t(lane) * bytes);
  return differences == 0;
}

bool Access::isUniform(uint32_t mask) const {
  uint64_t first = addresses[__builtin_ctz(mask)], differences = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    differences |= mask >> lane & 1 ? addresses[lane] ^ first : 0;
  return differences == 0;
}

bool Access::run(uint32_t mask, OperandCode address) {
  readAddresses(mask, address);
  bool isGlobal = instruction.space == StateSpace::Global || instruction.space == StateSpace::Constant;
  auto first = unsigned(__builtin_ctz(mask));
  if (isGlobal && mask == allLanes && isContiguous()) {
    // One lane's alignment is every lane's: they are a power of two apart.
    if (!global(0, addresses[0], uint64_t(bytes) * warpLanes, values))
      return false;
    for (unsigned i = 1; i < warpLanes; ++i)
      memory.lanes[i] = memory.lanes[0] + i * bytes;
    return true;
  }
  if (kind == AccessKind::Load && isUniform(mask)) {
    together = mask;
    if (!lane(first))
      return false;
    together = 0;
    if (instruction.space == StateSpace::Local || addresses[first] >= localWindow) {
      // Each lane has a local memory of its own.
      for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1)
        if (!lane(unsigned(__builtin_ctz(rest))))
          return false;
      return true;
    }
    std::fill_n(memory.lanes, warpLanes, memory.lanes[first]);
    return true;
  }
  for (; mask; mask &= mask - 1)
    if (!lane(unsigned(__builtin_ctz(mask))))
      return false;
  return true;
}

bool Access::lane(unsigned lane) {
  uint64_t address = addresses[lane];
  switch (instruction.space) {
  case StateSpace::Shared:
  case StateSpace::SharedCluster: return shared(lane, address);
  case StateSpace::Local: return local(lane, address);
  case StateSpace::Generic:
    if (address >= localWindow)
      return local(lane, address - localWindow);
    if (address >= sharedWindow)
      return shared(lane, address - sharedWindow);
    break;
  default: break;
  }
  return global(lane, address, bytes, values ? values + lane * bytes : nullptr);
}

bool Access::global(unsigned lane, uint64_t address, uint64_t byteCount, const std::byte *value) {
  GlobalMemory &memoryOfDevice = *cta.launch.global;
  if (address % alignment != 0)
    return fail(lane, verb() + memoryOfDevice.describe(address) + ": the address is not a multiple of " +
                          std::to_string(alignment));
  Allocation *&last = cta.lastAllocations[instruction.siteIndex];
  Allocation *buffer = last;
  if (!buffer || !buffer->contains(address, byteCount)) {
    buffer = memoryOfDevice.find(address);
    if (!buffer || !buffer->contains(address, byteCount)) {
      // Of a warp's range, the lane at fault is the first that does not fit.
      for (uint64_t done = 0; done < byteCount; done += bytes, ++lane)
        if (!buffer || !buffer->contains(address + done, bytes))
          return fail(lane, verb() + memoryOfDevice.describe(address + done));
    }
    last = buffer;
  }
  memory.lanes[lane] = buffer->at(address);
  return globalHistory(lane, *buffer, address - buffer->address, byteCount, value);
}

bool Access::globalHistory(unsigned lane, Allocation &buffer, uint64_t offset, uint64_t byteCount,
                           const std::byte *value) {
  const Launch &launch = cta.launch;
  auto where = [&](uint64_t at) { return launch.global->describe(buffer.address + at); };
  // CTAs of a cluster may order their accesses by its barrier, so the cluster counts as one.
  const uint32_t owner = cta.ctaIndex - cta.rank;
  if (launch.overlapsFrom && !afterEarlierLaunches(lane, buffer, offset, byteCount))
    return false;
  if (!afterBulkStores(lane, buffer.address + offset, byteCount))
    return false;
  const bool stores = kind == AccessKind::Store || kind == AccessKind::BulkStore;
  if (!stores && !buffer.isWritten(offset, byteCount)) {
    for (uint64_t done = 0; done < byteCount; done += bytes, ++lane)
      if (!buffer.isWritten(offset + done, bytes))
        return fail(lane, verb() + where(offset + done) + ", but nothing was written there");
  }
  bool ordered = instruction.ordered || launch.kernel->synchronizesThroughGlobal;
  if (kind == AccessKind::Load && launch.checkRaces && (!ordered || instruction.readOnly) &&
      buffer.isStoredByOther(offset, byteCount, launch.tag, owner, instruction.readOnly)) {
    for (uint64_t done = 0; done < byteCount; done += bytes, ++lane)
      if (buffer.isStoredByOther(offset + done, bytes, launch.tag, owner, instruction.readOnly))
        return fail(lane, verb() + where(offset + done) + ", which " +
                              (launch.cluster > 1 ? "the cluster of CTA " : "CTA ") +
                              std::to_string(buffer.storingCta(offset + done)) + " writes in the same launch" +
                              (instruction.readOnly ? ", so .nc may not be used" : ""));
  }
  if (stores) {
    if (launch.checkRaces && buffer.noteStore(offset, byteCount, value, launch.tag, owner) && !ordered)
      return fail(lane, verb() + where(offset) + ", where another CTA has written something else in the same launch");
    // The bytes of a copy come later.
    if (kind == AccessKind::Store)
      buffer.markWritten(offset, byteCount);
  }
  return true;
}

bool Access::afterEarlierLaunches(unsigned lane, const Allocation &buffer, uint64_t offset, uint64_t byteCount) {
  const Launch &launch = cta.launch;
  for (uint64_t done = 0; done < byteCount; done += bytes, ++lane)
    if (buffer.isStoredSince(offset + done, bytes, launch.overlapsFrom, launch.tag) && !cta.hasWaitedForGrid(warp))
      return fail(lane, verb() + launch.global->describe(buffer.address + offset + done) +
                            ", which a launch before this dependent one writes, with no griddepcontrol.wait before");
  return true;
}

bool Access::afterBulkStores(unsigned lane, uint64_t address, uint64_t byteCount) {
  const BulkStore *store = cta.cluster.copies.findStoreTo(address, byteCount);
  if (!store || !cta.launch.checkRaces)
    return true;
  const SourceLine &source = cta.launch.kernel->sources[store->instruction];
  return fail(lane, verb() + cta.launch.global->describe(address) + ", which the copy of PTX line " +
                        std::to_string(source.line) + " '" + source.text +
                        "' writes, with no cp.async.bulk.wait_group between");
}

bool Access::shared(unsigned lane, uint64_t address) {
  constexpr SharedAccess accesses[] = {SharedAccess::Read, SharedAccess::Write, SharedAccess::Atomic,
                                       SharedAccess::AsyncWrite};
  unsigned self = cta.clusterWarp(warp);
  unsigned agent = kind == AccessKind::AsyncStore ? cta.cluster.clocks.agent(AgentKind::AsyncStore, self) : self;
  return bool(shared(lane, address, instruction.space, accesses[static_cast<size_t>(kind)], agent));
}

std::optional<SharedPlace> Access::shared(unsigned lane, uint64_t address, StateSpace space, SharedAccess access,
                                          unsigned agent) {
  std::optional<SharedPlace> place =
      locateShared(warp, lane, MemoryRange{address, space, bytes, alignment}, word(), agent);
  if (!place || !outsideMBarriers(lane, *place))
    return std::nullopt;
  SharedMemory &owner = place->cta->shared;
  memory.lanes[lane] = owner.at(place->address);
  std::optional<SharedConflict> conflict =
      owner.access(place->address, bytes, access,
                   {warp.laneGroup(cta.clusterWarp(warp), together ? together : uint32_t(1) << lane), agent,
                    warp.currentInstruction()});
  if (!conflict)
    return place;
  reportShared(lane, *place->cta, *conflict);
  return std::nullopt;
}

bool Access::outsideMBarriers(unsigned lane, const SharedPlace &place) {
  const MBarriers &mbarriers = place.cta->mbarriers;
  if (mbarriers.empty())
    return true;
  auto next = mbarriers.lower_bound(place.address + bytes);
  if (next == mbarriers.begin() || std::prev(next)->first + MBarrier::byteCount <= place.address)
    return true;
  const SourceLine &source = cta.launch.kernel->sources[std::prev(next)->second.initInstruction];
  return fail(lane, verb() + describeShared(cta, *place.cta, place.address) + ", where the mbarrier of PTX line " +
                        std::to_string(source.line) + " '" + source.text + "' is");
}

void Access::reportShared(unsigned lane, const Cta &owner, const SharedConflict &conflict) {
  std::string what = verb() + describeShared(cta, owner, conflict.address);
  const SourceLine &other = cta.launch.kernel->sources[conflict.otherInstruction];
  std::string where = cta.cluster.describeAgent(conflict.otherAgent, cta) + " at PTX line " +
                      std::to_string(other.line) + " '" + other.text + "'";
  switch (conflict.kind) {
  case SharedConflict::Kind::Uninitialized: what += ", but nothing was written there"; break;
  case SharedConflict::Kind::ReadAfterWrite: what += ", which " + where + " wrote with no barrier between"; break;
  case SharedConflict::Kind::WriteAfterRead: what += ", which " + where + " read with no barrier between"; break;
  case SharedConflict::Kind::NotFenced: what += ", which " + where + " wrote with no fence.proxy.async between"; break;
  case SharedConflict::Kind::WriteAfterWrite: what += ", which " + where + " wrote too with no barrier between"; break;
  }
  warp.report(lane, what);
}

bool Access::local(unsigned lane, uint64_t address) {
  uint64_t limit = cta.launch.kernel->localBytes;
  if (bytes > limit || address > limit - bytes || address % bytes != 0)
    return fail(lane, verb() + "byte " + std::to_string(int64_t(address)) +
                          " of the thread's local memory, which has " + std::to_string(limit) +
                          " bytes, or the address is not a multiple of " + std::to_string(bytes));
  memory.lanes[lane] = warp.localMemory(lane) + address;
  return true;
}

} // namespace

bool accessMemory(Warp &warp, const Instruction &instruction, uint32_t mask, OperandCode address, AccessKind kind,
                  const std::byte *values, LaneMemory &memory) {
  return Access(warp, instruction, kind, values, memory).run(mask, address);
}

std::byte *accessGlobal(Warp &warp, const Instruction &instruction, unsigned lane, const MemoryRange &range,
                        AccessKind kind, const std::byte *values) {
  LaneMemory memory;
  LaunchCounters &counters = warp.cta.counters;
  bool isLoad = kind == AccessKind::Load;
  ++(isLoad ? counters.globalLoads : counters.globalStores);
  (isLoad ? counters.globalLoadBytes : counters.globalStoreBytes) += range.bytes;
  Access access(warp, instruction, kind, values, memory, range);
  return access.global(lane, range.address, range.bytes, values) ? memory.lanes[lane] : nullptr;
}

std::optional<SharedPlace> accessShared(Warp &warp, const Instruction &instruction, unsigned lane,
                                        const MemoryRange &range, SharedAccess kind, unsigned agent) {
  LaneMemory memory;
  AccessKind verb = kind == SharedAccess::BulkRead ? AccessKind::Load : AccessKind::Store;
  return Access(warp, instruction, verb, nullptr, memory, range).shared(lane, range.address, range.space, kind, agent);
}

} // namespace fastnorm::emulator
