//===- LaneHistory.h - What lanes of a warp touch between meetings *- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clocks tell warps apart, not lanes. Where one lane issues a copy for its warp,
// the others' accesses must be over: the lanes have met since at a warp barrier,
// a shuffle or vote, a barrier of the CTA, or by waiting for an mbarrier.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_LANEHISTORY_H
#define FASTNORM_RUNTIME_EMULATOR_LANEHISTORY_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fastnorm::emulator {

/// Lanes of a warp between two meetings.
struct LaneGroup {
  unsigned warp = 0;
  uint32_t lanes = 0;
  uint32_t meetings = 0; ///< of the warp so far
};

class LaneHistory {
public:
  /// Of no granule where no lane issues copies.
  explicit LaneHistory(size_t granules) : reads(granules), writes(granules) {}

  void noteRead(size_t granule, const LaneGroup &who, uint32_t instruction) { note(reads, granule, who, instruction); }
  void noteWrite(size_t granule, const LaneGroup &who, uint32_t instruction) {
    note(writes, granule, who, instruction);
  }
  /// An instruction by which another lane of the warp read, or wrote, a granule since the lanes last met; or null.
  const uint32_t *findRead(size_t granule, const LaneGroup &who) const { return find(reads, granule, who); }
  const uint32_t *findWrite(size_t granule, const LaneGroup &who) const { return find(writes, granule, who); }

private:
  /// By the warp that was last there.
  struct Touch {
    uint32_t lanes = 0;
    uint32_t meetings = 0;
    uint32_t instruction = 0;
    uint32_t warp = UINT32_MAX;
  };

  static bool isOf(const Touch &touch, const LaneGroup &who) {
    return touch.warp == who.warp && touch.meetings == who.meetings;
  }
  static void note(std::vector<Touch> &touches, size_t granule, const LaneGroup &who, uint32_t instruction) {
    if (touches.empty())
      return;
    Touch &touch = touches[granule];
    uint32_t before = isOf(touch, who) ? touch.lanes : 0;
    touch = {before | who.lanes, who.meetings, instruction, who.warp};
  }
  static const uint32_t *find(const std::vector<Touch> &touches, size_t granule, const LaneGroup &who) {
    if (touches.empty())
      return nullptr;
    const Touch &touch = touches[granule];
    return isOf(touch, who) && (touch.lanes & ~who.lanes) ? &touch.instruction : nullptr;
  }

  std::vector<Touch> reads, writes;
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_LANEHISTORY_H
