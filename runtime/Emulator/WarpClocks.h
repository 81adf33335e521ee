//===- WarpClocks.h - What is ordered before what ---------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector clock for each warp of a cluster. An agent is a warp, or the
// asynchronous stores of a warp, whose writes arrive at a time of their own.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_WARPCLOCKS_H
#define FASTNORM_RUNTIME_EMULATOR_WARPCLOCKS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fastnorm::emulator {

/// For each agent, up to when its accesses are ordered before. Empty: nothing is.
using Clocks = std::vector<uint32_t>;

class WarpClocks {
public:
  WarpClocks(unsigned warpCount, bool hasAsyncStores);

  /// For the next cluster: whatever is stamped so far counts as absent. True if the clocks started over, so that
  /// stamps of before must be cleared.
  bool begin();
  /// What is stamped up to here is an earlier cluster's.
  uint32_t start() const { return startClock; }

  unsigned agentCount() const { return agents; }
  bool isAsync(unsigned agent) const { return agent >= warps; }
  /// The warp that an agent is, or whose stores it is.
  unsigned warpOf(unsigned agent) const { return agent >= warps ? agent - warps : agent; }
  unsigned asyncAgent(unsigned warp) const { return warps + warp; }

  /// The stamp of what an agent does now.
  uint32_t now(unsigned agent) const { return agent < warps ? row(agent)[agent] : asyncNow[agent - warps]; }
  /// Whether what an agent did at a time is ordered before what a warp does now.
  bool isBefore(unsigned agent, uint32_t clock, unsigned warp) const { return clock <= row(warp)[agent]; }

  /// What a warp did so far, and what is ordered before it, becomes part of `released`.
  void release(unsigned warp, Clocks &released);
  /// What a warp's asynchronous store did becomes part of `released`, with what the warp did before it.
  void releaseAsync(unsigned warp, Clocks &released);
  /// What was released is ordered before what a warp does next.
  void acquire(unsigned warp, const Clocks &released);
  /// Warps first + i (bit i of `arrived`) meet; those in `released` go on knowing what all of them did.
  void meet(unsigned first, uint32_t arrived, uint32_t released);

private:
  uint32_t *row(unsigned warp) { return table.data() + size_t(warp) * agents; }
  const uint32_t *row(unsigned warp) const { return table.data() + size_t(warp) * agents; }

  unsigned warps;
  unsigned agents;
  uint32_t startClock = 0;
  std::vector<uint32_t> table; ///< [warp][agent]
  std::vector<uint32_t> asyncNow;
  Clocks joined; ///< scratch of meet()
};

/// `into` becomes the later of both for each agent.
void join(Clocks &into, const uint32_t *other, size_t count);

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_WARPCLOCKS_H
