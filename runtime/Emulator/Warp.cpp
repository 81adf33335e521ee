//===- Warp.cpp - 32 lanes that run one program ---------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction loop, and how lanes part and meet again.
//
//===----------------------------------------------------------------------===//

#include "Warp.h"

#include "Cluster.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace fastnorm::emulator {

static std::string describeLanes(uint32_t lanes) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", lanes);
  return text;
}

Warp::Warp(Cta &cta, unsigned index) : cta(cta), index(index) {
  const KernelProgram &kernel = *cta.launch.kernel;
  registers.resize(kernel.registerFileUnits);
  local.resize((kernel.localBytes * warpLanes + sizeof(SlotUnit) - 1) / sizeof(SlotUnit));
  bases[0] = registers.empty() ? nullptr : registers.data()->bytes;
  // Constants are only read; the cast lets sources and results be addressed alike.
  bases[1] = const_cast<std::byte *>(kernel.constants.empty() ? nullptr : kernel.constants.data()->bytes);
  for (size_t slot = 0; slot < kernel.registerSlots.size(); ++slot)
    header(kernel.registerSlots[slot].first).registerId = uint32_t(slot);
}

std::byte *Warp::localMemory(unsigned lane) { return local.data()->bytes + lane * cta.launch.kernel->localBytes; }

void Warp::begin() {
  const KernelProgram &kernel = *cta.launch.kernel;
  unsigned firstThread = index * warpLanes;
  unsigned lanes = std::min(warpLanes, cta.launch.threads - firstThread);
  liveLanes = lanes == warpLanes ? allLanes : (uint32_t(1) << lanes) - 1;
  active = liveLanes;
  programCounter = 0;
  lowestPending = UINT32_MAX;
  groups.clear();
  executed = 0;
  noteMeeting();
  polls = pollsGlobal = failed = false;
  waitingFor = nullptr;
  lastSeen.clear();
  for (const auto &[code, written] : kernel.registerSlots) {
    header(code).writtenLanes = written;
    header(code).halfLanes[0] = header(code).halfLanes[1] = 0;
  }
  fillSpecials();
}

static uint32_t specialValue(SpecialSlot::Value value, const Cta &cta, unsigned warp, unsigned lane) {
  const Launch &launch = cta.launch;
  uint32_t bit = uint32_t(1) << lane;
  switch (value) {
  case SpecialSlot::Value::ThreadX: return warp * warpLanes + lane;
  case SpecialSlot::Value::ThreadsX: return launch.threads;
  case SpecialSlot::Value::CtaX: return cta.ctaIndex;
  case SpecialSlot::Value::CtasX: return launch.grid;
  case SpecialSlot::Value::ThreadsYZ:
  case SpecialSlot::Value::CtasYZ: return 1;
  case SpecialSlot::Value::ClusterRank: return cta.rank;
  case SpecialSlot::Value::ClusterCtas: return launch.cluster;
  case SpecialSlot::Value::ClusterX: return cta.ctaIndex / launch.cluster;
  case SpecialSlot::Value::ClustersX: return launch.grid / launch.cluster;
  case SpecialSlot::Value::Lane: return lane;
  case SpecialSlot::Value::Warp: return warp;
  case SpecialSlot::Value::Warps: return cta.warpCount;
  case SpecialSlot::Value::LanesEqual: return bit;
  case SpecialSlot::Value::LanesLess: return bit - 1;
  case SpecialSlot::Value::LanesLessEqual: return bit | (bit - 1);
  case SpecialSlot::Value::LanesGreater: return ~(bit | (bit - 1));
  case SpecialSlot::Value::LanesGreaterEqual: return ~(bit - 1);
  case SpecialSlot::Value::DynamicSharedBytes: return uint32_t(launch.dynamicSharedBytes);
  case SpecialSlot::Value::TotalSharedBytes:
    return uint32_t(launch.kernel->staticSharedBytes + launch.dynamicSharedBytes);
  case SpecialSlot::Value::ThreadY:
  case SpecialSlot::Value::ThreadZ:
  case SpecialSlot::Value::CtaYZ:
  case SpecialSlot::Value::Clock:
  case SpecialSlot::Value::Clock64: return 0;
  }
  return 0;
}

void Warp::fillSpecials() {
  for (const SpecialSlot &special : cta.launch.kernel->specials) {
    header(special.code).writtenLanes = allLanes;
    if (special.value == SpecialSlot::Value::Clock64) {
      std::fill_n(lanes<uint64_t>(special.code), warpLanes, 0);
      continue;
    }
    auto *values = lanes<uint32_t>(special.code);
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      values[lane] = specialValue(special.value, cta, index, lane);
  }
}

void Warp::report(unsigned lane, const std::string &what) {
  failed = true;
  const SourceLine &source = cta.launch.kernel->sources[programCounter];
  cta.report("warp " + std::to_string(index) + ", lane " + std::to_string(lane) + ", PTX line " +
                 std::to_string(source.line) + " '" + source.text + "'",
             what);
}

void Warp::reportAll(const std::string &what) {
  failed = true;
  const SourceLine &source = cta.launch.kernel->sources[programCounter];
  cta.report("warp " + std::to_string(index) + ", PTX line " + std::to_string(source.line) + " '" + source.text + "'",
             what);
}

bool Warp::checkSources(const Instruction &instruction, uint32_t mask) {
  uint32_t written = allLanes;
  for (unsigned i = instruction.resultCount; i < instruction.operandCount; ++i)
    written &= header(instruction.operands[i]).writtenLanes;
  return (mask & ~written) == 0 || checkParts(instruction, mask);
}

uint32_t Warp::guardedLanes(const Instruction &instruction) {
  if (instruction.guard == noOperand)
    return active;
  if (uint32_t missing = active & ~header(instruction.guard).writtenLanes) {
    reportUnwritten(instruction.guard, missing);
    return 0;
  }
  uint32_t bits = *lanes<uint32_t>(instruction.guard);
  return active & (instruction.guardNegated ? ~bits : bits);
}

void Warp::setAside(uint32_t counter, uint32_t lanes, bool parked) {
  if (!lanes)
    return;
  if (!parked) {
    lowestPending = std::min(lowestPending, counter);
    for (Group &group : groups)
      if (group.programCounter == counter && !group.parked) {
        group.lanes |= lanes;
        return;
      }
  }
  groups.push_back({counter, lanes, parked, /*polls=*/false});
}

bool Warp::standBack() {
  bool othersRun = lowestPending != UINT32_MAX;
  auto other = std::find_if(groups.begin(), groups.end(), [](const Group &group) { return group.polls; });
  if (!othersRun && other == groups.end())
    return false;
  uint32_t next = othersRun ? programCounter : other->programCounter;
  groups.push_back({programCounter, active, /*parked=*/true, /*polls=*/true});
  active = 0;
  if (!othersRun) {
    programCounter = next;
    mergeAt(next);
  }
  return othersRun;
}

void Warp::mergeAt(uint32_t counter) {
  auto meets = [&](const Group &group) {
    if (group.programCounter != counter)
      return false;
    active |= group.lanes;
    return true;
  };
  groups.erase(std::remove_if(groups.begin(), groups.end(), meets), groups.end());
  lowestPending = UINT32_MAX;
  for (const Group &group : groups)
    if (!group.parked)
      lowestPending = std::min(lowestPending, group.programCounter);
}

uint32_t Warp::neededLanes(uint32_t counter, uint32_t standing) {
  const Instruction &instruction = cta.launch.kernel->instructions[counter];
  uint32_t needed = liveLanes;
  if (instruction.flow == Flow::WarpSync) {
    // The member mask of a lane that the guard lets through; of one that it does not, it may hold anything.
    if (instruction.guard != noOperand) {
      uint32_t bits = *lanes<uint32_t>(instruction.guard);
      uint32_t through = standing & (instruction.guardNegated ? ~bits : bits);
      standing = through ? through : standing;
    }
    OperandCode member = instruction.operands[instruction.operandCount - 1];
    needed &= lanes<uint32_t>(member)[__builtin_ctz(standing)];
  }
  return needed;
}

bool Warp::pickGroup() {
  if (active)
    setAside(programCounter, active, false);
  active = 0;
  uint32_t next = lowestPending;
  if (next == UINT32_MAX) {
    // Lanes that ended are no longer waited for.
    for (const Group &group : groups)
      if (group.polls || (neededLanes(group.programCounter, group.lanes) & ~group.lanes) == 0)
        next = group.programCounter;
    if (next == UINT32_MAX)
      return false;
  }
  programCounter = next;
  mergeAt(next);
  return true;
}

bool Warp::gather() {
  mergeAt(programCounter);
  if ((neededLanes(programCounter, active) & ~active) == 0)
    return true;
  uint32_t lanes = active;
  active = 0;
  setAside(programCounter, lanes, true);
  if (!pickGroup())
    reportDivergence();
  return false;
}

void Warp::reportDivergence() {
  std::sort(groups.begin(), groups.end(),
            [](const Group &a, const Group &b) { return a.programCounter < b.programCounter; });
  programCounter = groups[0].programCounter;
  const char *what = cta.launch.kernel->instructions[programCounter].flow == Flow::Barrier
                         ? "divergent barrier: lanes "
                         : "lanes that must meet have diverged: lanes ";
  std::string message = what + describeLanes(groups[0].lanes) + " wait here";
  for (size_t i = 1; i < groups.size(); ++i) {
    const SourceLine &source = cta.launch.kernel->sources[groups[i].programCounter];
    message += ", lanes " + describeLanes(groups[i].lanes) + " at PTX line " + std::to_string(source.line);
  }
  reportAll(message);
}

uint32_t Warp::uniformValue(OperandCode code, uint32_t mask, const char *what) {
  const auto *values = lanes<uint32_t>(code);
  auto first = unsigned(__builtin_ctz(mask));
  for (unsigned lane = first; lane < warpLanes; ++lane)
    if ((mask >> lane & 1) && values[lane] != values[first]) {
      report(lane, std::string("expected one ") + what + " for the warp, but got " + std::to_string(values[first]) +
                       " and " + std::to_string(values[lane]));
      break;
    }
  return values[first];
}

bool Warp::arrive(const Instruction &instruction, uint32_t mask) {
  uint32_t barrier = uniformValue(instruction.operands[0], mask, "barrier");
  uint32_t threads = 0;
  if (instruction.operandCount > 1) {
    threads = uniformValue(instruction.operands[1], mask, "thread count");
    if (!failed && (threads == 0 || threads % warpLanes != 0 || threads > cta.warpCount * warpLanes))
      reportAll("expected a thread count that is a multiple of 32 of at most " +
                std::to_string(cta.warpCount * warpLanes) + ", but got " + std::to_string(threads));
  }
  if (!failed && barrier > 15)
    reportAll("expected a barrier of at most 15, but got " + std::to_string(barrier));
  if (failed)
    return false;
  return cta.arrive(*this, barrier, threads / warpLanes, instruction.barrierMode);
}

bool Warp::meet(const Instruction &instruction, uint32_t mask) {
  switch (instruction.barrierMode) {
  case BarrierMode::Sync: return arrive(instruction, mask);
  case BarrierMode::Arrive: arrive(instruction, mask); return false;
  case BarrierMode::ClusterArrive: cta.cluster.arrive(*this, false); return false;
  case BarrierMode::ClusterArriveRelaxed: cta.cluster.arrive(*this, true); return false;
  case BarrierMode::ClusterWait: return cta.cluster.wait(*this);
  }
  return false;
}

void Warp::notePoll(const Instruction &access, uint64_t seen, bool isGlobal) {
  lastSeen.resize(cta.launch.kernel->siteCount);
  polls = std::exchange(lastSeen[access.siteIndex], seen) == seen;
  pollsGlobal = isGlobal;
  waitingFor = nullptr;
}

void Warp::branch(const Instruction &instruction, uint32_t taken) {
  uint32_t next = programCounter + 1;
  uint32_t others = active & ~taken;
  if (!taken) {
    programCounter = next;
  } else if (!others) {
    programCounter = instruction.target;
  } else {
    setAside(instruction.target, taken, false);
    active = others;
    programCounter = next;
  }
}

bool Warp::standOnGroup() {
  if (active && programCounter < lowestPending)
    return true;
  if (pickGroup())
    return true;
  if (!groups.empty())
    reportDivergence();
  return false;
}

WarpStop Warp::leave(const Instruction &instruction, uint32_t mask) {
  switch (instruction.flow) {
  case Flow::Exit:
    liveLanes &= ~mask;
    active &= ~mask;
    break;
  case Flow::Trap: report(unsigned(__builtin_ctz(mask)), "the kernel trapped"); break;
  case Flow::Poll:
    if (!failed && std::exchange(polls, false)) {
      ++programCounter;
      return standBack() ? WarpStop::Running : WarpStop::Polling;
    }
    break;
  case Flow::Barrier:
    if (mask != active) {
      reportAll("divergent barrier: only lanes " + describeLanes(mask) + " of " + describeLanes(active) + " take part");
    } else if (meet(instruction, mask)) {
      ++programCounter;
      return WarpStop::Waiting;
    }
    break;
  default: break;
  }
  // A report names the instruction that the program counter stands at.
  if (failed)
    return WarpStop::Failed;
  ++programCounter;
  return WarpStop::Running;
}

WarpStop Warp::step(const Instruction &instruction) {
  uint32_t mask = guardedLanes(instruction);
  if (failed)
    return WarpStop::Failed;
  if (instruction.flow == Flow::Branch) {
    branch(instruction, mask);
    return WarpStop::Running;
  }
  if (!mask) {
    ++programCounter;
    return WarpStop::Running;
  }
  if (instruction.flow >= Flow::WarpSync && !groups.empty()) {
    if (!gather())
      return WarpStop::Running;
    mask = guardedLanes(instruction);
  }
  if (instruction.flow >= Flow::WarpSync)
    noteMeeting();
  if (!checkSources(instruction, mask))
    return WarpStop::Failed;
  if (instruction.run)
    instruction.run(*this, instruction, mask);
  if (failed)
    return WarpStop::Failed;
  if (instruction.isPairwise)
    noteWrittenHalves(instruction, mask);
  for (unsigned i = 0; !instruction.isPairwise && i < instruction.resultCount; ++i)
    header(instruction.operands[i]).writtenLanes |= mask;
  if (instruction.flow != Flow::Next)
    return leave(instruction, mask);
  ++programCounter;
  return WarpStop::Running;
}

WarpStop Warp::run() {
  const Instruction *code = cta.launch.kernel->instructions.data();
  const uint64_t limit = cta.launch.maxWarpInstructions;
  const uint64_t executedBefore = executed;
  WarpStop stop = WarpStop::Running;
  while (stop == WarpStop::Running && !failed) {
    if (!standOnGroup()) {
      stop = WarpStop::Ended;
    } else if (++executed > limit) {
      reportAll("expected the warp to end within " + std::to_string(limit) +
                " instructions, but it runs on; is there an endless loop");
    } else {
      stop = step(code[programCounter]);
    }
  }
  cta.counters.warpInstructions += executed - executedBefore;
  return failed ? WarpStop::Failed : stop;
}

} // namespace fastnorm::emulator
