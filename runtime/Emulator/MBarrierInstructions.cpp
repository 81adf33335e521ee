//===- MBarrierInstructions.cpp - mbarrier and st.async -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes act in order. An asynchronous store is done at once; that it may as well
// have come later is the clocks' business.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "InstructionDecoder.h"
#include "Lanes.h"
#include "MemoryAccess.h"
#include "SharedAddress.h"

#include <iterator>

namespace fastnorm::emulator {

namespace {

uint64_t addressOf(Warp &warp, OperandCode code, unsigned lane, uint8_t bytes, int64_t offset) {
  return bytes == 8 ? warp.lanes<uint64_t>(code)[lane] + uint64_t(offset)
                    : uint32_t(warp.lanes<uint32_t>(code)[lane] + uint32_t(offset));
}

/// The place of the mbarrier that a lane names; a generic address must be one of shared memory.
std::optional<SharedPlace> locate(Warp &warp, unsigned lane, uint64_t address, StateSpace space, bool isAsync = false) {
  if (space == StateSpace::Generic) {
    if (address < sharedWindow || address >= localWindow) {
      warp.report(lane, "expected an mbarrier in shared memory, but got another address");
      return std::nullopt;
    }
    address -= sharedWindow;
  }
  return locateShared(warp, lane, address, space, MBarrier::byteCount, "uses an mbarrier of ", isAsync);
}

/// The mbarrier at a place, once it is known to the warp; null after a finding.
MBarrier *find(Warp &warp, unsigned lane, const SharedPlace &place) {
  auto found = place.cta->mbarriers.find(place.address);
  auto describe = [&] { return describeShared(warp.cta, *place.cta, place.address); };
  if (found == place.cta->mbarriers.end()) {
    warp.report(lane, "uses an mbarrier at " + describe() + ", but none was initialized there");
    return nullptr;
  }
  MBarrier &mbarrier = found->second;
  const Cluster &cluster = warp.cta.cluster;
  unsigned self = warp.cta.clusterWarp(warp);
  bool isKnown = mbarrier.initWarp == self || cluster.clocks.isBefore(mbarrier.initWarp, mbarrier.initClock, self) ||
                 cluster.barrier.waitedPhases(self) > mbarrier.fencedPhase;
  if (isKnown || !warp.cta.launch.checkRaces)
    return &mbarrier;
  const SourceLine &source = warp.cta.launch.kernel->sources[mbarrier.initInstruction];
  warp.report(lane, "uses an mbarrier at " + describe() + ", which " +
                        warp.cta.cluster.describeAgent(mbarrier.initWarp, warp.cta) + " at PTX line " +
                        std::to_string(source.line) + " '" + source.text + "' initialized with no barrier between");
  return nullptr;
}

MBarrier *locateMBarrier(Warp &warp, const Instruction &instruction, OperandCode code, unsigned lane) {
  uint64_t address = addressOf(warp, code, lane, instruction.mode, instruction.offset);
  std::optional<SharedPlace> place = locate(warp, lane, address, instruction.space);
  return place ? find(warp, lane, *place) : nullptr;
}

void settle(Warp &warp, MBarrier &mbarrier) {
  mbarrier.completeIfDone();
  warp.cta.cluster.noteEffect();
}

/// Initialization and its end write where the mbarrier is.
bool claim(Warp &warp, unsigned lane, const SharedPlace &place) {
  unsigned self = warp.cta.clusterWarp(warp);
  if (!place.cta->shared.access(place.address, MBarrier::byteCount, SharedAccess::Write, self,
                                warp.currentInstruction()))
    return true;
  warp.report(lane, "writes an mbarrier at " + describeShared(warp.cta, *place.cta, place.address) +
                        ", which another warp uses with no barrier between");
  return false;
}

/// Operands: count, address.
void initialize(Warp &warp, const Instruction &instruction, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    uint32_t count = warp.lanes<uint32_t>(instruction.operands[0])[lane];
    uint64_t address = addressOf(warp, instruction.operands[1], lane, instruction.mode, instruction.offset);
    std::optional<SharedPlace> place = locate(warp, lane, address, instruction.space);
    if (!place)
      return;
    if (count == 0 || count > MBarrier::maxCount)
      return warp.report(lane, "expected a count of 1 to " + std::to_string(MBarrier::maxCount) + ", but got " +
                                   std::to_string(count));
    if (place->cta->mbarriers.count(place->address))
      return warp.report(lane, "initializes the mbarrier at " + describeShared(warp.cta, *place->cta, place->address) +
                                   ", which is in use");
    if (!claim(warp, lane, *place))
      return;
    MBarrier mbarrier;
    mbarrier.expectedArrivals = mbarrier.pendingArrivals = count;
    mbarrier.initWarp = warp.cta.clusterWarp(warp);
    mbarrier.initClock = warp.cta.cluster.clocks.now(mbarrier.initWarp);
    mbarrier.initInstruction = warp.currentInstruction();
    place->cta->mbarriers.emplace(place->address, std::move(mbarrier));
  }
}

/// Operands: address.
void invalidate(Warp &warp, const Instruction &instruction, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    uint64_t address = addressOf(warp, instruction.operands[0], lane, instruction.mode, instruction.offset);
    std::optional<SharedPlace> place = locate(warp, lane, address, instruction.space);
    if (!place || !find(warp, lane, *place) || !claim(warp, lane, *place))
      return;
    place->cta->mbarriers.erase(place->address);
  }
}

bool expectBytes(Warp &warp, unsigned lane, MBarrier &mbarrier, uint32_t bytes) {
  if (mbarrier.pendingBytes + int64_t(bytes) > MBarrier::maxCount) {
    warp.report(lane, "expected at most " + std::to_string(MBarrier::maxCount) + " bytes pending, but " +
                          std::to_string(bytes) + " more than " + std::to_string(mbarrier.pendingBytes) +
                          " are expected");
    return false;
  }
  mbarrier.pendingBytes += bytes;
  return true;
}

/// Operands: the phase's token, the count of arrivals or of bytes, the address. instruction.elementCount: 1 to arrive,
/// 2 to expect bytes, 3 for both.
void arrive(Warp &warp, const Instruction &instruction, uint32_t mask) {
  constexpr uint8_t arrives = 1, expects = 2;
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    MBarrier *mbarrier = locateMBarrier(warp, instruction, instruction.operands[2], lane);
    if (!mbarrier)
      return;
    uint32_t count = warp.lanes<uint32_t>(instruction.operands[1])[lane];
    warp.lanes<uint64_t>(instruction.operands[0])[lane] = mbarrier->phase;
    if ((instruction.elementCount & expects) && !expectBytes(warp, lane, *mbarrier, count))
      return;
    if (instruction.elementCount & arrives) {
      uint32_t arrivals = instruction.elementCount & expects ? 1 : count;
      if (arrivals == 0 || arrivals > mbarrier->pendingArrivals)
        return warp.report(lane, "arrives " + std::to_string(arrivals) + " times, but " +
                                     std::to_string(mbarrier->pendingArrivals) + " of " +
                                     std::to_string(mbarrier->expectedArrivals) + " arrivals are pending");
      mbarrier->pendingArrivals -= arrivals;
      warp.cta.cluster.clocks.release(warp.cta.clusterWarp(warp), mbarrier->arriving);
    }
    settle(warp, *mbarrier);
  }
}

/// Operands: whether the phase is complete, its token or parity, the address. instruction.elementCount: 1 for parity.
template <typename Token> void test(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t complete = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctz(rest));
    MBarrier *mbarrier = locateMBarrier(warp, instruction, instruction.operands[2], lane);
    if (!mbarrier)
      return;
    uint64_t token = warp.lanes<Token>(instruction.operands[1])[lane];
    bool isParity = sizeof(Token) == 4;
    if (isParity && token > 1)
      return warp.report(lane, "expected a parity of 0 or 1, but got " + std::to_string(token));
    if (isParity ? token == (mbarrier->phase & 1) : token >= mbarrier->phase)
      continue;
    complete |= uint32_t(1) << lane;
    warp.cta.cluster.clocks.acquire(warp.cta.clusterWarp(warp), mbarrier->passed);
  }
  storePredicate(warp, instruction.operands[0], mask, complete);
  if (complete != mask)
    warp.waitForChange();
}

/// Operands: the elements, the address of the mbarrier, the address. instruction.target is the offset of the first.
void storeAsync(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const unsigned count = instruction.elementCount, part = instruction.elementBytes, bytes = count * part;
  LaneMemory memory;
  if (!accessMemory(warp, instruction, mask, instruction.operands[count + 1], AccessKind::AsyncStore, nullptr, memory))
    return;
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    for (unsigned i = 0; i < count; ++i)
      std::memcpy(memory.lanes[lane] + i * part, warp.lanes<std::byte>(instruction.operands[i]) + size_t(lane) * part,
                  part);
    uint64_t address =
        addressOf(warp, instruction.operands[count], lane, instruction.mode, int32_t(instruction.target));
    std::optional<SharedPlace> place = locate(warp, lane, address, instruction.space, true);
    MBarrier *mbarrier = place ? find(warp, lane, *place) : nullptr;
    if (!mbarrier)
      return;
    if (!place->cta->shared.holds(memory.lanes[lane]))
      return warp.report(lane, "stores to another CTA than that of the mbarrier");
    mbarrier->pendingBytes -= bytes;
    if (mbarrier->pendingBytes < -MBarrier::maxCount)
      return warp.report(lane, "expected at most " + std::to_string(MBarrier::maxCount) +
                                   " bytes before they are expected, but got " +
                                   std::to_string(-mbarrier->pendingBytes));
    warp.cta.cluster.clocks.releaseAsync(warp.cta.clusterWarp(warp), mbarrier->arriving);
    settle(warp, *mbarrier);
  }
}

StateSpace takeSpace(InstructionDecoder &decoder) {
  if (decoder.take("shared::cluster"))
    return StateSpace::SharedCluster;
  return decoder.take("shared") || decoder.take("shared::cta") ? StateSpace::Shared : StateSpace::Generic;
}

void decodeArrive(InstructionDecoder &decoder, StateSpace space, bool arrives, bool expects) {
  decoder.result.run = arrive;
  decoder.result.elementCount = uint8_t((arrives ? 1 : 0) | (expects ? 2 : 0));
  const size_t address = arrives ? 1 : 0;
  if (!decoder.expectOperands(address + (expects ? 2 : 1), address + 2))
    return;
  decoder.addResult(arrives ? decoder.source.operands[0] : PtxOperand(), 8);
  PtxOperand one;
  one.kind = PtxOperand::Kind::Integer;
  one.bits = 1;
  decoder.addSource(decoder.operandCount() > address + 1 ? decoder.source.operands[address + 1] : one, PtxType::B32);
  decoder.addAddress(address, space);
}

void decodeTest(InstructionDecoder &decoder, StateSpace space, bool mayHint) {
  bool isParity = decoder.take("parity");
  decoder.result.run = isParity ? test<uint32_t> : Handler(test<uint64_t>);
  decoder.result.flow = Flow::Poll;
  if (!decoder.expectOperands(3, mayHint ? 4 : 3))
    return;
  decoder.addResult(0, PtxType::Pred);
  decoder.addSource(2, isParity ? PtxType::B32 : PtxType::B64);
  decoder.addAddress(1, space);
}

void decodeMBarrierOperation(InstructionDecoder &decoder) {
  StateSpace space = takeSpace(decoder);
  decoder.drop({"b64", "relaxed", "acquire", "release", "cta", "cluster"});
  bool arrives = decoder.take("arrive"), expects = decoder.take("expect_tx");
  if (arrives || expects) {
    decodeArrive(decoder, space, arrives, expects);
  } else if (decoder.take("test_wait")) {
    decodeTest(decoder, space, false);
  } else if (decoder.take("try_wait")) {
    decodeTest(decoder, space, true);
  } else if (decoder.take("init")) {
    decoder.result.run = initialize;
    if (decoder.expectOperands(2, 2)) {
      decoder.addSource(1, PtxType::B32);
      decoder.addAddress(0, space);
    }
  } else if (decoder.take("inval")) {
    decoder.result.run = invalidate;
    if (decoder.expectOperands(1, 1))
      decoder.addAddress(0, space);
  } else {
    decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
  }
}

void decodeStoreAsync(InstructionDecoder &decoder) {
  decoder.drop({"weak", "shared::cluster", "mbarrier::complete_tx::bytes"});
  unsigned count = decoder.takeVector();
  PtxType type = decoder.takeType();
  if (!decoder.expectOperands(3, 3))
    return;
  const PtxOperand &source = decoder.source.operands[1];
  std::vector<PtxOperand> elements =
      source.kind == PtxOperand::Kind::Vector ? source.elements : std::vector<PtxOperand>{source};
  if (elements.size() != count || count > 4 || bytesOf(type) < 4 || bytesOf(type) > 8) {
    decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
    return;
  }
  for (const PtxOperand &element : elements)
    decoder.addSource(element, type);
  decoder.addAddress(2, StateSpace::SharedCluster);
  decoder.result.target = uint32_t(decoder.result.offset);
  uint8_t addressBytes = decoder.result.mode;
  decoder.addAddress(0, StateSpace::SharedCluster);
  if (decoder.result.mode != addressBytes)
    decoder.fail("expected both addresses of '" + decoder.source.opcode + "' to be of one width");
  decoder.result.run = storeAsync;
  decoder.result.elementBytes = bytesOf(type);
  decoder.result.elementCount = uint8_t(count);
  decoder.builder.program.usesAsyncStores = true;
}

} // namespace

bool decodeMBarrier(InstructionDecoder &decoder) {
  if (decoder.name == "mbarrier")
    decodeMBarrierOperation(decoder);
  else if (decoder.name == "st" && decoder.take("async"))
    decodeStoreAsync(decoder);
  else
    return false;
  return true;
}

} // namespace fastnorm::emulator
