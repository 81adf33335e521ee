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

/// Beside warps, what completes at a time of its own: st.async, cp.async and copies from shared memory, each of a warp
/// in the order of issue; and copies that complete on an mbarrier, each such mbarrier for itself.
enum class AgentKind : uint8_t { Warp, AsyncStore, AsyncCopy, BulkStore, BulkLoad };

/// What the kernels of a launch need.
struct AgentCounts {
  unsigned warps = 0;
  bool hasAsyncStores = false;
  bool hasAsyncCopies = false;
  bool hasBulkCopies = false;
  unsigned mbarriers = 0; ///< that bulk loads are told apart by
};

class WarpClocks {
public:
  explicit WarpClocks(const AgentCounts &counts);

  /// For the next cluster: whatever is stamped so far counts as absent. True if the clocks started over, so that
  /// stamps of before must be cleared.
  bool begin();
  /// What is stamped up to here is an earlier cluster's.
  uint32_t start() const { return startClock; }

  unsigned agentCount() const { return agents; }
  /// `index` is a warp, or a number of an mbarrier.
  unsigned agent(AgentKind kind, unsigned index) const { return firstOf[size_t(kind)] + index; }
  AgentKind kindOf(unsigned agent) const;
  /// The warp that an agent is, or whose stores or copies it is; of bulk loads the number of the mbarrier.
  unsigned indexOf(unsigned agent) const { return agent - firstOf[size_t(kindOf(agent))]; }

  /// The stamp of what an agent does now.
  uint32_t now(unsigned agent) const { return agent < warps ? row(agent)[agent] : asyncNow[agent - warps]; }
  /// Whether what an agent did at a time is ordered before what a warp does now.
  bool isBefore(unsigned agent, uint32_t clock, unsigned warp) const { return clock <= row(warp)[agent]; }

  /// The same for what the async proxy may see: a proxy fence stands between too.
  bool isFenced(unsigned agent, uint32_t clock, unsigned warp) const { return clock <= row(warp)[agents + agent]; }

  /// What a warp did so far, and what is ordered before it, becomes part of `released`.
  void release(unsigned warp, Clocks &released);
  /// What a warp's asynchronous store did becomes part of `released`, with what the warp did before it.
  void releaseAsync(unsigned warp, Clocks &released);
  /// What an agent did up to a time becomes part of `released`.
  void releaseAgent(unsigned agent, uint32_t clock, Clocks &released) const;
  /// What an agent does next is later than what it did so far.
  void tick(unsigned agent) { ++asyncNow[agent - warps]; }
  /// What an agent did up to a time is ordered before what a warp does next.
  void acquireAgent(unsigned warp, unsigned agent, uint32_t clock);
  /// The async proxy may see what the warp knows of now, wherever that is ordered before.
  void fenceProxy(unsigned warp);
  /// What was released is ordered before what a warp does next.
  void acquire(unsigned warp, const Clocks &released);
  /// Warps first + i (bit i of `arrived`) meet; those in `released` go on knowing what all of them did.
  void meet(unsigned first, uint32_t arrived, uint32_t released);

private:
  uint32_t *row(unsigned warp) { return table.data() + size_t(warp) * width; }
  const uint32_t *row(unsigned warp) const { return table.data() + size_t(warp) * width; }

  unsigned warps;
  unsigned firstOf[6]; ///< by kind; the last is the count of all agents
  unsigned agents;
  unsigned width; ///< with bulk copies, a row has every agent twice: as ordered, and as fenced for the async proxy
  uint32_t startClock = 0;
  std::vector<uint32_t> table; ///< [warp][width]
  std::vector<uint32_t> asyncNow;
  Clocks joined; ///< scratch of meet()
};

/// `into` becomes the later of both for each agent.
void join(Clocks &into, const uint32_t *other, size_t count);

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_WARPCLOCKS_H
