//===- MBarrier.h - The mbarriers in a CTA's shared memory ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An mbarrier counts arrivals and bytes. A phase completes when none of either
// is pending; what arrivals release, whoever waits for the phase acquires.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_MBARRIER_H
#define FASTNORM_RUNTIME_EMULATOR_MBARRIER_H

#include "WarpClocks.h"

#include <cstdint>
#include <map>

namespace fastnorm::emulator {

struct MBarrier {
  static constexpr uint32_t byteCount = 8;
  static constexpr int64_t maxCount = (1 << 20) - 1; ///< of arrivals, and of bytes in a phase

  uint32_t expectedArrivals = 1;
  uint32_t pendingArrivals = 1;
  int64_t pendingBytes = 0; ///< below 0 where bytes come before they are expected
  uint64_t phase = 0;       ///< the one that is not complete
  Clocks arriving;          ///< released in it
  Clocks passed;            ///< released in the phase before

  unsigned number = 0; ///< tells the copies that complete on it from those of others
  unsigned initWarp = 0;
  uint32_t initClock = 0;
  uint32_t initInstruction = 0;
  /// The cluster barrier's phase that makes the initialization known to others, by fence.mbarrier_init; or none.
  uint32_t fencedPhase = UINT32_MAX;

  /// True if the phase is now complete.
  bool completeIfDone();
};

/// By address. Those of one CTA.
using MBarriers = std::map<uint32_t, MBarrier>;

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_MBARRIER_H
