//===- MBarrierInstructions.cpp - mbarrier --------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes act in order.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "InstructionDecoder.h"
#include "Lanes.h"
#include "MBarrierAccess.h"

namespace fastnorm::emulator {

namespace {

MBarrier *mbarrierOf(Warp &warp, const Instruction &instruction, OperandCode code, unsigned lane) {
  uint64_t address = addressOf(warp, code, lane, instruction.mode, instruction.offset);
  std::optional<SharedPlace> place = locateMBarrier(warp, lane, address, instruction.space);
  return place ? findMBarrier(warp, lane, *place) : nullptr;
}

/// Initialization and its end write where the mbarrier is.
bool claim(Warp &warp, unsigned lane, const SharedPlace &place) {
  unsigned self = warp.cta.clusterWarp(warp);
  if (!place.cta->shared.access(place.address, MBarrier::byteCount, SharedAccess::Write,
                                {warp.laneGroup(self, uint32_t(1) << lane), self, warp.currentInstruction()}))
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
    std::optional<SharedPlace> place = locateMBarrier(warp, lane, address, instruction.space);
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
    mbarrier.number = warp.cta.cluster.copies.nextMBarrier();
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
    std::optional<SharedPlace> place = locateMBarrier(warp, lane, address, instruction.space);
    if (!place || !findMBarrier(warp, lane, *place) || !claim(warp, lane, *place))
      return;
    if (warp.cta.cluster.copies.completesOn(*place->cta, place->address))
      return warp.report(lane, "ends the mbarrier at " + describeShared(warp.cta, *place->cta, place->address) +
                                   " while copies that complete on it are under way");
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

/// What mbarrier.arrive and mbarrier.expect_tx do, a bit each.
enum ArriveEffect : uint8_t {
  arrives = 1,
  expects = 2,
  drops = 4,          ///< in later phases one arrival less is expected
  neverCompletes = 8, ///< the program says that the phase does not complete by it
};

/// False after a finding.
bool countArrivals(Warp &warp, unsigned lane, MBarrier &mbarrier, uint32_t arrivals, uint8_t effects) {
  auto fail = [&](const std::string &what) {
    warp.report(lane, what);
    return false;
  };
  std::string pending = std::to_string(mbarrier.pendingArrivals) + " of " + std::to_string(mbarrier.expectedArrivals) +
                        " arrivals are pending";
  if (arrivals == 0 || arrivals > mbarrier.pendingArrivals)
    return fail("arrives " + std::to_string(arrivals) + " times, but " + pending);
  if ((effects & neverCompletes) && arrivals == mbarrier.pendingArrivals)
    return fail("expected not to complete the phase, but " + pending);
  if (effects & drops) {
    if (arrivals >= mbarrier.expectedArrivals)
      return fail("drops the last of the arrivals that are expected");
    mbarrier.expectedArrivals -= arrivals;
  }
  mbarrier.pendingArrivals -= arrivals;
  warp.cta.cluster.clocks.release(warp.cta.clusterWarp(warp), mbarrier.arriving);
  return true;
}

/// Operands: the phase's token, the count of arrivals or of bytes, the address. instruction.elementCount:
/// ArriveEffects.
void arrive(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const uint8_t effects = instruction.elementCount;
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    MBarrier *mbarrier = mbarrierOf(warp, instruction, instruction.operands[2], lane);
    if (!mbarrier)
      return;
    uint32_t count = warp.lanes<uint32_t>(instruction.operands[1])[lane];
    warp.lanes<uint64_t>(instruction.operands[0])[lane] = mbarrier->phase;
    if ((effects & expects) && !expectBytes(warp, lane, *mbarrier, count))
      return;
    if ((effects & arrives) && !countArrivals(warp, lane, *mbarrier, effects & expects ? 1 : count, effects))
      return;
    settle(warp, *mbarrier);
  }
}

/// Bytes that come by no copy. Operands: their count, the address.
void completeBytes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    MBarrier *mbarrier = mbarrierOf(warp, instruction, instruction.operands[1], lane);
    if (!mbarrier)
      return;
    mbarrier->pendingBytes -= warp.lanes<uint32_t>(instruction.operands[0])[lane];
    if (mbarrier->pendingBytes < -MBarrier::maxCount)
      return warp.report(lane, "expected at most " + std::to_string(MBarrier::maxCount) +
                                   " bytes before they are expected, but got " +
                                   std::to_string(-mbarrier->pendingBytes));
    settle(warp, *mbarrier);
  }
}

/// Operands: whether the phase is complete, its token or parity, the address. instruction.elementCount: 1 for parity.
template <typename Token> void test(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t complete = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctz(rest));
    MBarrier *mbarrier = mbarrierOf(warp, instruction, instruction.operands[2], lane);
    if (!mbarrier)
      return;
    uint64_t token = warp.lanes<Token>(instruction.operands[1])[lane];
    bool isParity = sizeof(Token) == 4;
    if (isParity && token > 1)
      return warp.report(lane, "expected a parity of 0 or 1, but got " + std::to_string(token));
    if (!isParity && token + 1 < mbarrier->phase)
      return warp.report(lane, "waits for phase " + std::to_string(token) + ", but phase " +
                                   std::to_string(mbarrier->phase - 1) + " is complete already");
    if (isParity ? token == (mbarrier->phase & 1) : token >= mbarrier->phase) {
      warp.waitingFor = mbarrier;
      continue;
    }
    complete |= uint32_t(1) << lane;
    warp.noteMeeting();
    warp.cta.cluster.clocks.acquire(warp.cta.clusterWarp(warp), mbarrier->passed);
  }
  storePredicate(warp, instruction.operands[0], mask, complete);
  if (complete != mask)
    warp.waitForChange();
}

StateSpace takeSpace(InstructionDecoder &decoder) {
  if (decoder.take("shared::cluster"))
    return StateSpace::SharedCluster;
  return decoder.take("shared") || decoder.take("shared::cta") ? StateSpace::Shared : StateSpace::Generic;
}

void decodeArrive(InstructionDecoder &decoder, StateSpace space, uint8_t effects) {
  decoder.result.run = arrive;
  decoder.result.elementCount = effects;
  const size_t address = effects & arrives ? 1 : 0;
  if (!decoder.expectOperands(address + (effects & expects ? 2 : 1), address + 2))
    return;
  PtxOperand token = effects & arrives ? decoder.source.operands[0] : PtxOperand();
  if (space == StateSpace::SharedCluster && token.kind != PtxOperand::Kind::Sink) {
    decoder.fail("expected '_' for the phase of an mbarrier in .shared::cluster");
    return;
  }
  decoder.addResult(token, 8);
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
  bool drop = decoder.take("arrive_drop");
  auto effects = uint8_t((drop                     ? arrives | drops
                          : decoder.take("arrive") ? arrives
                                                   : 0) |
                         (decoder.take("expect_tx") ? expects : 0) | (decoder.take("noComplete") ? neverCompletes : 0));
  if (effects & (arrives | expects)) {
    decodeArrive(decoder, space, effects);
  } else if (decoder.take("complete_tx")) {
    decoder.result.run = completeBytes;
    if (decoder.expectOperands(2, 2)) {
      decoder.addSource(1, PtxType::B32);
      decoder.addAddress(0, space);
    }
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

} // namespace

bool decodeMBarrier(InstructionDecoder &decoder) {
  if (decoder.name != "mbarrier")
    return false;
  decodeMBarrierOperation(decoder);
  return true;
}

} // namespace fastnorm::emulator
