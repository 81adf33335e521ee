//===- SharedMemory.h - A CTA's shared memory with its checks ---*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Knows, per granule, the last write and the reads since, stamped with the
// clocks of their warps. Clocks advance at barriers, so two accesses that no
// barrier orders are found whatever order the warps happened to run in. Warps of
// the whole cluster are numbered through; those of other CTAs read rarely, so
// their reads are kept apart.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_SHAREDMEMORY_H
#define FASTNORM_RUNTIME_EMULATOR_SHAREDMEMORY_H

#include "LaneHistory.h"
#include "Program.h"
#include "WarpClocks.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace fastnorm::emulator {

/// BulkRead and BulkWrite are the async proxy's: what warps wrote before must be fenced.
enum class SharedAccess : uint8_t { Read, Write, Atomic, AsyncWrite, BulkRead, BulkWrite };

/// What is wrong with an access, and the other one it collides with.
struct SharedConflict {
  enum class Kind : uint8_t { Uninitialized, ReadAfterWrite, WriteAfterRead, WriteAfterWrite, NotFenced };
  Kind kind;
  uint32_t address = 0;
  uint32_t otherAgent = 0;
  uint32_t otherInstruction = 0;
};

/// Who accesses. Warps are numbered through the cluster.
struct SharedAccessor {
  LaneGroup lanes;    ///< of the warp that does it or issues it
  unsigned agent = 0; ///< that warp unless the access is asynchronous
  uint32_t instruction = 0;
};

class SharedMemory {
public:
  /// For all CTAs of one rank that a host thread runs of a launch. Its own warps are firstWarp and up.
  SharedMemory(uint64_t byteCount, uint32_t granuleBytes, const WarpClocks &clocks, unsigned firstWarp,
               unsigned warpCount, bool checkRaces, bool tellsLanesApart);

  /// Forgets what the last CTA left: every byte counts as never written. `clocksStartOver` is what WarpClocks says.
  void begin(bool clocksStartOver);

  uint64_t byteCount() const { return byteTotal; }
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= sharedBase && bytes <= byteTotal && address - sharedBase <= byteTotal - bytes;
  }
  bool holds(const std::byte *where) const { return where >= data.data() && where < data.data() + byteTotal; }
  std::byte *at(uint64_t address) { return data.data() + (address - sharedBase); }

  /// The warp may be one of another CTA of the cluster.
  std::optional<SharedConflict> access(uint32_t address, uint32_t bytes, SharedAccess kind, const SharedAccessor &who);

private:
  struct Granule {
    uint32_t writeClock = 0;
    uint32_t writeInstruction = 0;
    uint32_t readers = 0; ///< own warps that read since the last write
    uint32_t readInstruction = 0;
    uint16_t writer = 0; ///< an agent
    bool writeAtomic = false;
  };
  struct RemoteRead {
    unsigned warp;
    uint32_t clock;
    uint32_t instruction;
  };

  /// Reads of the async proxy, which take their time.
  struct BulkRead {
    size_t begin, end; ///< granules
    unsigned agent;
    uint32_t clock;
    uint32_t instruction;
  };

  std::optional<SharedConflict> read(size_t index, unsigned warp, uint32_t instruction);
  std::optional<SharedConflict> bulkRead(size_t index, unsigned warp);
  void noteBulkRead(const BulkRead &read);
  std::optional<SharedConflict> write(size_t index, SharedAccess kind, const SharedAccessor &who);
  std::optional<SharedConflict> checkLanes(size_t index, SharedAccess kind, const SharedAccessor &who);
  bool isUnfenced(const Granule &granule, unsigned warp) const;
  /// A write that the warp does not know to be over, or that there was none.
  std::optional<SharedConflict> findUnorderedWrite(const Granule &granule, unsigned warp) const;
  std::optional<SharedConflict> findUnorderedRead(size_t index, unsigned warp);

  std::vector<std::byte> data;
  uint64_t byteTotal;
  uint32_t granuleBytes;
  const WarpClocks &clocks;
  unsigned firstWarp;
  unsigned warpCount;
  bool checkRaces;
  std::vector<Granule> granules;
  std::vector<uint32_t> readClocks; ///< [granule][own warp]
  std::unordered_map<size_t, std::vector<RemoteRead>> remoteReads;
  LaneHistory laneHistory;
  std::vector<BulkRead> bulkReads; ///< that not every warp of the CTA knows to be over
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_SHAREDMEMORY_H
