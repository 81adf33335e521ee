//===- Warp.h - 32 lanes that run one program -------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a warp until it waits or ends. Lanes that diverge run lowest program
// counter first; before an instruction that needs lanes together, those that
// are there wait for the others.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_WARP_H
#define FASTNORM_RUNTIME_EMULATOR_WARP_H

#include "LaneHistory.h"
#include "Program.h"

#include <string>
#include <vector>

namespace fastnorm::emulator {

class Cta;
struct MBarrier;

/// Polling: what it looked for is not there yet.
enum class WarpStop : uint8_t { Running, Waiting, Polling, Ended, Failed };

class Warp {
public:
  Warp(Cta &cta, unsigned index);

  /// Back to the first instruction, with registers unwritten.
  void begin();
  WarpStop run();

  Cta &cta;
  const unsigned index; ///< in the CTA

  template <typename T> T *lanes(OperandCode code) { return reinterpret_cast<T *>(bases[code & 1] + (code >> 1)); }
  SlotHeader &header(OperandCode code) {
    return *reinterpret_cast<SlotHeader *>(bases[code & 1] + (code >> 1) - sizeof(SlotHeader));
  }
  std::byte *localMemory(unsigned lane);
  /// Lanes that have not ended.
  uint32_t live() const { return liveLanes; }
  uint32_t currentInstruction() const { return programCounter; }

  /// An access that may be part of a waiting loop read something. `seen` stands for what and where; the same as it read
  /// last means that the warp waits for it to change.
  void notePoll(const Instruction &access, uint64_t seen, bool isGlobal);
  /// An instruction found that what it tests for has not come.
  void waitForChange() { polls = true, pollsGlobal = false; }
  /// Whether others than its cluster may bring what it polls for.
  bool watchesGlobal() const { return pollsGlobal; }

  /// Its lanes meet, or one of them learns where the others are.
  void noteMeeting() { ++meetings; }
  LaneGroup laneGroup(unsigned clusterWarp, uint32_t lanes) const { return {clusterWarp, lanes, meetings}; }

  /// The mbarrier that it last found incomplete, while it polls; may have ended since.
  const MBarrier *waitingFor = nullptr;
  /// The instruction that it waits at.
  uint32_t waitingAt() const { return programCounter - 1; }

  /// Records what a lane did wrong in the current instruction; the first report counts. "reads 4 bytes at …".
  void report(unsigned lane, const std::string &what);
  void reportAll(const std::string &what);
  /// A register is read in lanes that have not written it.
  void reportUnwritten(OperandCode code, uint32_t lanes);

private:
  /// Lanes at one program counter that are not running now.
  struct Group {
    uint32_t programCounter;
    uint32_t lanes;
    bool parked; ///< stands before an instruction that needs more lanes, or polls
    bool polls;  ///< stands back for others, which may bring what it polls for
  };

  void fillSpecials();
  bool standOnGroup();
  WarpStop step(const Instruction &instruction);
  WarpStop leave(const Instruction &instruction, uint32_t mask);
  /// Of the one result of an instruction on halves.
  void noteWrittenHalves(const Instruction &instruction, uint32_t mask);
  bool checkSources(const Instruction &instruction, uint32_t mask);
  /// The same where a source is not written as a whole.
  bool checkParts(const Instruction &instruction, uint32_t mask);
  uint32_t guardedLanes(const Instruction &instruction);
  void branch(const Instruction &instruction, uint32_t taken);
  void setAside(uint32_t counter, uint32_t lanes, bool parked);
  void mergeAt(uint32_t counter);
  /// Makes the group with the lowest program counter among those that can run current; false if none can.
  bool pickGroup();
  /// Lanes that poll stand back behind those that diverged from them. Whether these can run now; if they poll, too,
  /// lanes take turns.
  bool standBack();
  /// True when the lanes an instruction needs stand together; else sets the current ones aside.
  bool gather();
  /// The lanes that an instruction wants together.
  uint32_t neededLanes(uint32_t counter, uint32_t standing);
  void reportDivergence();
  uint32_t uniformValue(OperandCode code, uint32_t mask, const char *what);
  bool arrive(const Instruction &instruction, uint32_t mask);
  /// True if the warp must wait.
  bool meet(const Instruction &instruction, uint32_t mask);

  std::byte *bases[2];
  std::vector<SlotUnit> registers;
  std::vector<SlotUnit> local;
  std::vector<Group> groups;
  uint32_t programCounter = 0;
  uint32_t active = 0;
  uint32_t liveLanes = 0;
  uint32_t lowestPending = UINT32_MAX; ///< the lowest program counter of groups that can run
  uint64_t executed = 0;
  uint32_t meetings = 0;          ///< never starts over: shared memory remembers them
  std::vector<uint64_t> lastSeen; ///< by access site
  bool polls = false;
  bool pollsGlobal = false;
  bool failed = false;
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_WARP_H
