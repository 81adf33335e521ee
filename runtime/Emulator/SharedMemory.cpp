//===- SharedMemory.cpp - A CTA's shared memory with its checks -----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is stamped before the cluster's start is as good as absent, so the shadow
// of a CTA is not cleared for the next.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include <algorithm>

namespace fastnorm::emulator {

SharedMemory::SharedMemory(uint64_t byteCount, uint32_t granuleBytes, const WarpClocks &clocks, unsigned firstWarp,
                           unsigned warpCount, bool checkRaces, bool tellsLanesApart)
    : data(byteCount, std::byte(0xcd)), byteTotal(byteCount), granuleBytes(granuleBytes), clocks(clocks),
      firstWarp(firstWarp), warpCount(warpCount), checkRaces(checkRaces && clocks.agentCount() > 1),
      granules(byteCount / granuleBytes + 1), readClocks(this->checkRaces ? granules.size() * warpCount : 0),
      laneHistory(this->checkRaces && tellsLanesApart ? granules.size() : 0) {}

void SharedMemory::begin(bool clocksStartOver) {
  remoteReads.clear();
  bulkReads.clear();
  if (!clocksStartOver)
    return;
  std::fill(granules.begin(), granules.end(), Granule());
  std::fill(readClocks.begin(), readClocks.end(), 0);
}

std::optional<SharedConflict> SharedMemory::access(uint32_t address, uint32_t bytes, SharedAccess kind,
                                                   const SharedAccessor &who) {
  size_t first = (address - sharedBase) / granuleBytes;
  size_t end = (address - sharedBase + bytes - 1) / granuleBytes + 1;
  for (size_t index = first; index < end; ++index) {
    std::optional<SharedConflict> conflict;
    if (kind == SharedAccess::Read)
      conflict = read(index, who.lanes.warp, who.instruction);
    else if (kind == SharedAccess::BulkRead)
      conflict = bulkRead(index, who.lanes.warp);
    else
      conflict = write(index, kind, who);
    if (!conflict)
      conflict = checkLanes(index, kind, who);
    if (conflict) {
      conflict->address = sharedBase + uint32_t(index) * granuleBytes;
      return conflict;
    }
  }
  if (kind == SharedAccess::BulkRead && checkRaces)
    noteBulkRead({first, end, who.agent, clocks.now(who.agent), who.instruction});
  return std::nullopt;
}

std::optional<SharedConflict> SharedMemory::checkLanes(size_t index, SharedAccess kind, const SharedAccessor &who) {
  using Kind = SharedConflict::Kind;
  switch (kind) {
  case SharedAccess::Read: laneHistory.noteRead(index, who.lanes, who.instruction); break;
  case SharedAccess::Write: laneHistory.noteWrite(index, who.lanes, who.instruction); break;
  case SharedAccess::Atomic: break;
  case SharedAccess::AsyncWrite:
  case SharedAccess::BulkWrite:
    if (const uint32_t *instruction = laneHistory.findRead(index, who.lanes))
      return SharedConflict{Kind::WriteAfterRead, 0, who.lanes.warp, *instruction};
    if (const uint32_t *instruction = laneHistory.findWrite(index, who.lanes))
      return SharedConflict{Kind::WriteAfterWrite, 0, who.lanes.warp, *instruction};
    break;
  case SharedAccess::BulkRead:
    if (const uint32_t *instruction = laneHistory.findWrite(index, who.lanes))
      return SharedConflict{Kind::ReadAfterWrite, 0, who.lanes.warp, *instruction};
    break;
  }
  return std::nullopt;
}

bool SharedMemory::isUnfenced(const Granule &granule, unsigned warp) const {
  AgentKind writer = clocks.kindOf(granule.writer);
  return (writer == AgentKind::Warp || writer == AgentKind::AsyncCopy) &&
         !clocks.isFenced(granule.writer, granule.writeClock, warp);
}

std::optional<SharedConflict> SharedMemory::findUnorderedWrite(const Granule &granule, unsigned warp) const {
  if (granule.writeClock <= clocks.start())
    return SharedConflict{SharedConflict::Kind::Uninitialized, 0, 0, 0};
  if (checkRaces && granule.writer != warp && !clocks.isBefore(granule.writer, granule.writeClock, warp))
    return SharedConflict{SharedConflict::Kind::ReadAfterWrite, 0, granule.writer, granule.writeInstruction};
  return std::nullopt;
}

std::optional<SharedConflict> SharedMemory::bulkRead(size_t index, unsigned warp) {
  const Granule &granule = granules[index];
  if (std::optional<SharedConflict> conflict = findUnorderedWrite(granule, warp))
    return conflict;
  if (checkRaces && isUnfenced(granule, warp))
    return SharedConflict{SharedConflict::Kind::NotFenced, 0, granule.writer, granule.writeInstruction};
  return std::nullopt;
}

void SharedMemory::noteBulkRead(const BulkRead &read) {
  auto isOver = [&](const BulkRead &old) {
    if (old.agent == read.agent && old.begin >= read.begin && old.end <= read.end)
      return true;
    for (unsigned warp = firstWarp; warp < firstWarp + warpCount; ++warp)
      if (!clocks.isBefore(old.agent, old.clock, warp))
        return false;
    return true;
  };
  bulkReads.erase(std::remove_if(bulkReads.begin(), bulkReads.end(), isOver), bulkReads.end());
  bulkReads.push_back(read);
}

std::optional<SharedConflict> SharedMemory::read(size_t index, unsigned warp, uint32_t instruction) {
  Granule &granule = granules[index];
  std::optional<SharedConflict> conflict = findUnorderedWrite(granule, warp);
  if (conflict || !checkRaces)
    return conflict;
  unsigned own = warp - firstWarp;
  if (own < warpCount) {
    granule.readers |= uint32_t(1) << own;
    granule.readInstruction = instruction;
    readClocks[index * warpCount + own] = clocks.now(warp);
    return std::nullopt;
  }
  std::vector<RemoteRead> &reads = remoteReads[index];
  auto mine = std::find_if(reads.begin(), reads.end(), [&](const RemoteRead &read) { return read.warp == warp; });
  if (mine == reads.end())
    mine = reads.insert(mine, {warp, 0, 0});
  mine->clock = clocks.now(warp);
  mine->instruction = instruction;
  return std::nullopt;
}

std::optional<SharedConflict> SharedMemory::findUnorderedRead(size_t index, unsigned warp) {
  const Granule &granule = granules[index];
  for (uint32_t readers = granule.readers; readers; readers &= readers - 1) {
    auto own = unsigned(__builtin_ctz(readers));
    uint32_t clock = readClocks[index * warpCount + own];
    unsigned reader = firstWarp + own;
    if (reader != warp && clock > clocks.start() && !clocks.isBefore(reader, clock, warp))
      return SharedConflict{SharedConflict::Kind::WriteAfterRead, 0, reader, granule.readInstruction};
  }
  for (const BulkRead &read : bulkReads)
    if (index >= read.begin && index < read.end && !clocks.isBefore(read.agent, read.clock, warp))
      return SharedConflict{SharedConflict::Kind::WriteAfterRead, 0, read.agent, read.instruction};
  if (remoteReads.empty())
    return std::nullopt;
  auto reads = remoteReads.find(index);
  if (reads == remoteReads.end())
    return std::nullopt;
  for (const RemoteRead &read : reads->second)
    if (read.warp != warp && !clocks.isBefore(read.warp, read.clock, warp))
      return SharedConflict{SharedConflict::Kind::WriteAfterRead, 0, read.warp, read.instruction};
  remoteReads.erase(reads);
  return std::nullopt;
}

std::optional<SharedConflict> SharedMemory::write(size_t index, SharedAccess kind, const SharedAccessor &who) {
  const unsigned warp = who.lanes.warp;
  Granule &granule = granules[index];
  bool isWritten = granule.writeClock > clocks.start(), atomic = kind == SharedAccess::Atomic;
  if (atomic && !isWritten)
    return SharedConflict{SharedConflict::Kind::Uninitialized, 0, 0, 0};
  if (checkRaces) {
    if (isWritten && granule.writer != warp && !clocks.isBefore(granule.writer, granule.writeClock, warp) &&
        !(atomic && granule.writeAtomic))
      return SharedConflict{atomic ? SharedConflict::Kind::ReadAfterWrite : SharedConflict::Kind::WriteAfterWrite, 0,
                            granule.writer, granule.writeInstruction};
    if (std::optional<SharedConflict> conflict = findUnorderedRead(index, warp))
      return conflict;
    if (kind == SharedAccess::BulkWrite && isWritten && isUnfenced(granule, warp))
      return SharedConflict{SharedConflict::Kind::NotFenced, 0, granule.writer, granule.writeInstruction};
  }
  granule.readers = 0;
  granule.writeClock = clocks.now(who.agent);
  granule.writeInstruction = who.instruction;
  granule.writer = uint16_t(who.agent);
  granule.writeAtomic = atomic;
  return std::nullopt;
}

} // namespace fastnorm::emulator
