//===- SharedMemory.cpp - A CTA's shared memory with its checks -----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clocks only grow from one CTA to the next, so that the shadow of a CTA need
// not be cleared: what is stamped before the CTA's start is as good as absent.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include <algorithm>

namespace fastnorm::emulator {

SharedMemory::SharedMemory(uint64_t byteCount, uint32_t granuleBytes, unsigned warpCount, bool checkRaces)
    : data(byteCount, std::byte(0xcd)), byteTotal(byteCount), granuleBytes(granuleBytes), warpCount(warpCount),
      checkRaces(checkRaces && warpCount > 1), granules(byteCount / granuleBytes + 1),
      readClocks(this->checkRaces ? granules.size() * warpCount : 0), clocks(warpCount, WarpClocks(warpCount)) {}

void SharedMemory::beginCta() {
  uint32_t latest = ctaStart;
  for (const WarpClocks &warp : clocks)
    latest = std::max(latest, *std::max_element(warp.begin(), warp.end()));
  if (latest > UINT32_MAX / 2) {
    std::fill(granules.begin(), granules.end(), Granule());
    std::fill(readClocks.begin(), readClocks.end(), 0);
    latest = 0;
  }
  ctaStart = latest;
  for (unsigned warp = 0; warp < warpCount; ++warp) {
    std::fill(clocks[warp].begin(), clocks[warp].end(), ctaStart);
    clocks[warp][warp] = ctaStart + 1;
  }
}

void SharedMemory::orderWarps(uint32_t arrived, uint32_t released) {
  WarpClocks joined(warpCount, 0);
  for (unsigned warp = 0; warp < warpCount; ++warp)
    if (arrived >> warp & 1)
      for (unsigned other = 0; other < warpCount; ++other)
        joined[other] = std::max(joined[other], clocks[warp][other]);
  for (unsigned warp = 0; warp < warpCount; ++warp) {
    if (released >> warp & 1)
      for (unsigned other = 0; other < warpCount; ++other)
        clocks[warp][other] = std::max(joined[other], clocks[warp][other]);
    // What a warp does after it arrived is not ordered before what the others do next.
    if (arrived >> warp & 1)
      ++clocks[warp][warp];
  }
}

std::optional<SharedConflict> SharedMemory::access(uint32_t address, uint32_t bytes, SharedAccess kind, unsigned warp,
                                                   uint32_t instruction) {
  size_t first = (address - sharedBase) / granuleBytes;
  size_t end = (address - sharedBase + bytes - 1) / granuleBytes + 1;
  for (size_t index = first; index < end; ++index) {
    std::optional<SharedConflict> conflict = kind == SharedAccess::Read
                                                 ? read(index, warp, instruction)
                                                 : write(index, kind == SharedAccess::Atomic, warp, instruction);
    if (conflict) {
      conflict->address = sharedBase + uint32_t(index) * granuleBytes;
      return conflict;
    }
  }
  return std::nullopt;
}

std::optional<SharedConflict> SharedMemory::read(size_t index, unsigned warp, uint32_t instruction) {
  Granule &granule = granules[index];
  if (granule.writeClock <= ctaStart)
    return SharedConflict{SharedConflict::Kind::Uninitialized, 0, 0, 0};
  if (!checkRaces)
    return std::nullopt;
  if (granule.writeClock > clocks[warp][granule.writeWarp] && granule.writeWarp != warp)
    return SharedConflict{SharedConflict::Kind::ReadAfterWrite, 0, granule.writeWarp, granule.writeInstruction};
  granule.readers |= uint32_t(1) << warp;
  granule.readInstruction = instruction;
  readClocks[index * warpCount + warp] = clocks[warp][warp];
  return std::nullopt;
}

std::optional<SharedConflict> SharedMemory::write(size_t index, bool atomic, unsigned warp, uint32_t instruction) {
  Granule &granule = granules[index];
  bool isWritten = granule.writeClock > ctaStart;
  if (atomic && !isWritten)
    return SharedConflict{SharedConflict::Kind::Uninitialized, 0, 0, 0};
  if (checkRaces) {
    if (isWritten && granule.writeWarp != warp && granule.writeClock > clocks[warp][granule.writeWarp] &&
        !(atomic && granule.writeAtomic))
      return SharedConflict{atomic ? SharedConflict::Kind::ReadAfterWrite : SharedConflict::Kind::WriteAfterWrite, 0,
                            granule.writeWarp, granule.writeInstruction};
    for (uint32_t readers = granule.readers & ~(uint32_t(1) << warp); readers; readers &= readers - 1) {
      auto reader = unsigned(__builtin_ctz(readers));
      uint32_t clock = readClocks[index * warpCount + reader];
      if (clock > ctaStart && clock > clocks[warp][reader])
        return SharedConflict{SharedConflict::Kind::WriteAfterRead, 0, reader, granule.readInstruction};
    }
  }
  granule.readers = 0;
  granule.writeClock = clocks[warp][warp];
  granule.writeInstruction = instruction;
  granule.writeWarp = uint8_t(warp);
  granule.writeAtomic = atomic;
  return std::nullopt;
}

} // namespace fastnorm::emulator
