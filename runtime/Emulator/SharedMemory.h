//===- SharedMemory.h - A CTA's shared memory with its checks ---*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Knows, per granule, the last write and the reads since, stamped with the
// clocks of their warps. Clocks advance at barriers, so two accesses that no
// barrier orders are found whatever order the warps happened to run in.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_SHAREDMEMORY_H
#define FASTNORM_RUNTIME_EMULATOR_SHAREDMEMORY_H

#include "Program.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fastnorm::emulator {

/// A vector clock: for each warp, up to when its accesses are ordered before.
using WarpClocks = std::vector<uint32_t>;

enum class SharedAccess : uint8_t { Read, Write, Atomic };

/// What is wrong with an access, and the other one it collides with.
struct SharedConflict {
  enum class Kind : uint8_t { Uninitialized, ReadAfterWrite, WriteAfterRead, WriteAfterWrite };
  Kind kind;
  uint32_t address = 0;
  uint32_t otherWarp = 0;
  uint32_t otherInstruction = 0;
};

class SharedMemory {
public:
  /// For all CTAs one host thread runs of a launch.
  SharedMemory(uint64_t byteCount, uint32_t granuleBytes, unsigned warpCount, bool checkRaces);

  /// Forgets what the last CTA left: every byte counts as never written.
  void beginCta();
  /// `participants` have met at a barrier: what each did before is ordered before what each does next.
  void orderWarps(uint32_t arrived, uint32_t released);

  uint64_t byteCount() const { return byteTotal; }
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= sharedBase && bytes <= byteTotal && address - sharedBase <= byteTotal - bytes;
  }
  std::byte *at(uint64_t address) { return data.data() + (address - sharedBase); }

  std::optional<SharedConflict> access(uint32_t address, uint32_t bytes, SharedAccess kind, unsigned warp,
                                       uint32_t instruction);

private:
  struct Granule {
    uint32_t writeClock = 0;
    uint32_t writeInstruction = 0;
    uint32_t readers = 0; ///< warps that read since the last write
    uint32_t readInstruction = 0;
    uint8_t writeWarp = 0;
    bool writeAtomic = false;
  };

  std::optional<SharedConflict> read(size_t index, unsigned warp, uint32_t instruction);
  std::optional<SharedConflict> write(size_t index, bool atomic, unsigned warp, uint32_t instruction);

  std::vector<std::byte> data;
  uint64_t byteTotal;
  uint32_t granuleBytes;
  unsigned warpCount;
  bool checkRaces;
  std::vector<Granule> granules;
  std::vector<uint32_t> readClocks; ///< [granule][warp]
  std::vector<WarpClocks> clocks;   ///< [warp]
  uint32_t ctaStart = 0;            ///< accesses stamped up to here are another CTA's
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_SHAREDMEMORY_H
