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
  if (!place.cta->shared.access(place.address, MBarrier::byteCount, SharedAccess::Write, self, self,
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

/// Operands: the phase's token, the count of arrivals or of bytes, the address. instruction.elementCount: 1 to arrive,
/// 2 to expect bytes, 3 for both.
void arrive(Warp &warp, const Instruction &instruction, uint32_t mask) {
  constexpr uint8_t arrives = 1, expects = 2;
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    MBarrier *mbarrier = mbarrierOf(warp, instruction, instruction.operands[2], lane);
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
    MBarrier *mbarrier = mbarrierOf(warp, instruction, instruction.operands[2], lane);
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

} // namespace

bool decodeMBarrier(InstructionDecoder &decoder) {
  if (decoder.name != "mbarrier")
    return false;
  decodeMBarrierOperation(decoder);
  return true;
}

} // namespace fastnorm::emulator
