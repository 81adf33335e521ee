//===- CopyGroups.h - Copies that lanes commit and wait for -----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of one warp: each lane gathers copies into its group that is open, commits the
// group and waits until all but its newest groups are done.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_COPYGROUPS_H
#define FASTNORM_RUNTIME_EMULATOR_COPYGROUPS_H

#include "Program.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fastnorm::emulator {

/// What every copy has that lanes wait for by groups.
struct GroupedCopy {
  unsigned lane = 0;
  uint32_t group = 0;
  uint32_t clock = 0; ///< of its agent, when it was issued
};

template <typename Copy> class CopyGroups {
public:
  void begin() {
    copies.clear();
    open.fill(0);
  }
  void add(Copy copy) {
    copy.group = open[copy.lane];
    copies.push_back(std::move(copy));
  }
  void commit(uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1)
      ++open[unsigned(__builtin_ctz(lanes))];
  }
  /// Calls visit(copy) for the copies of lanes that are in none of their `newest` last committed groups, nor in the
  /// open one; those for which it returns true are done.
  template <typename Visit> void complete(uint32_t lanes, uint32_t newest, Visit &&visit) {
    removeIf([&](Copy &copy) {
      return (lanes >> copy.lane & 1) && uint64_t(copy.group) + newest < open[copy.lane] && visit(copy);
    });
  }
  template <typename Visit> void removeIf(Visit &&visit) {
    copies.erase(std::remove_if(copies.begin(), copies.end(), visit), copies.end());
  }
  const std::vector<Copy> &pending() const { return copies; }

private:
  std::vector<Copy> copies; ///< in the order of issue
  std::array<uint32_t, warpLanes> open = {};
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_COPYGROUPS_H
