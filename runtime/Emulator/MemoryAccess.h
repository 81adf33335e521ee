//===- MemoryAccess.h - Where the lanes of an access point ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the addresses of a warp's access into host memory, after every check:
// alignment, bounds, initialization and races. Contiguous and uniform accesses,
// which are nearly all, are checked as one range.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_MEMORYACCESS_H
#define FASTNORM_RUNTIME_EMULATOR_MEMORYACCESS_H

#include "SharedAddress.h"
#include "SharedMemory.h"
#include "Warp.h"

namespace fastnorm::emulator {

/// AsyncStore: st.async, whose bytes arrive at a time of their own. BulkStore: what a copy will write to global memory.
enum class AccessKind : uint8_t { Load, Store, Atomic, AsyncStore, BulkStore };

struct LaneMemory {
  std::byte *lanes[warpLanes]; ///< valid for the mask asked for
};

/// `address` is the operand with the lanes' addresses; `values` gives, for a store, the bytes each lane will write
/// (bytes apart by the access's size), else it is null. False after a finding.
bool accessMemory(Warp &warp, const Instruction &instruction, uint32_t mask, OperandCode address, AccessKind kind,
                  const std::byte *values, LaneMemory &memory);

/// One lane's side of a copy in global memory: Load, or BulkStore of `values`. Null after a finding.
std::byte *accessGlobal(Warp &warp, const Instruction &instruction, unsigned lane, const MemoryRange &range,
                        AccessKind kind, const std::byte *values);
/// One lane's side of a copy in shared memory, by an asynchronous agent. Nothing after a finding.
std::optional<SharedPlace> accessShared(Warp &warp, const Instruction &instruction, unsigned lane,
                                        const MemoryRange &range, SharedAccess kind, unsigned agent);

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_MEMORYACCESS_H
