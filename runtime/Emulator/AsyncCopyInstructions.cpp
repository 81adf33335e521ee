//===- AsyncCopyInstructions.cpp - cp.async -------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of 4, 8 or 16 bytes a lane from global to shared memory, in groups that
// the issuing thread waits for, or that arrive at an mbarrier.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "InstructionDecoder.h"
#include "MBarrierAccess.h"
#include "MemoryAccess.h"

#include <algorithm>

namespace fastnorm::emulator {

namespace {

unsigned agentOf(Warp &warp) { return warp.cta.cluster.clocks.agent(AgentKind::AsyncCopy, warp.cta.clusterWarp(warp)); }

/// instruction.elementCount is how many bytes are written.
bool copyLane(Warp &warp, const Instruction &instruction, unsigned lane) {
  const CopyOperands &operands = warp.cta.launch.kernel->copies[instruction.target];
  WarpClocks &clocks = warp.cta.cluster.clocks;
  const uint32_t bytes = instruction.elementCount;
  uint32_t sourceBytes = operands.bytes == noOperand ? bytes : warp.lanes<uint32_t>(operands.bytes)[lane];
  if (operands.ignored != noOperand && (*warp.lanes<uint32_t>(operands.ignored) >> lane & 1))
    sourceBytes = 0;
  if (sourceBytes > bytes) {
    warp.report(lane, "expected to read at most the " + std::to_string(bytes) + " bytes that are written, but got " +
                          std::to_string(sourceBytes));
    return false;
  }
  LaneCopy copy;
  copy.lane = lane;
  copy.clock = clocks.now(agentOf(warp));
  copy.bytes = uint8_t(bytes);
  copy.sourceBytes = uint8_t(sourceBytes);
  if (sourceBytes) {
    copy.from = accessGlobal(warp, instruction, lane,
                             {addressOf(warp, operands.from, lane), StateSpace::Global, sourceBytes, bytes},
                             AccessKind::Load, nullptr);
    if (!copy.from)
      return false;
  }
  std::optional<SharedPlace> to =
      accessShared(warp, instruction, lane, {addressOf(warp, operands.to, lane), StateSpace::Shared, bytes, bytes},
                   SharedAccess::AsyncWrite, agentOf(warp));
  if (!to)
    return false;
  copy.to = to->cta->shared.at(to->address);
  warp.cta.cluster.copies.add(warp.cta.clusterWarp(warp), std::move(copy));
  return true;
}

void copy(Warp &warp, const Instruction &instruction, uint32_t mask) {
  for (; mask; mask &= mask - 1)
    if (!copyLane(warp, instruction, unsigned(__builtin_ctz(mask))))
      return;
}

void commitGroup(Warp &warp, const Instruction &, uint32_t mask) {
  warp.cta.cluster.copies.commitCopies(warp.cta.clusterWarp(warp), mask);
}

/// instruction.target: how many groups may be left; mode: 1 to wait for copies of no group too.
void waitGroup(Warp &warp, const Instruction &instruction, uint32_t mask) {
  warp.cta.cluster.copies.waitForCopies(warp.cta.clusterWarp(warp), mask, instruction.target, instruction.mode == 1);
}

/// Operands: address. instruction.elementCount: 1 where the arrival is one of those that the mbarrier expects.
void arriveWhenDone(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Cluster &cluster = warp.cta.cluster;
  const uint32_t clock = cluster.clocks.now(agentOf(warp));
  cluster.clocks.tick(agentOf(warp));
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    uint64_t address = addressOf(warp, instruction.operands[0], lane, instruction.mode, instruction.offset);
    std::optional<SharedPlace> place = locateMBarrier(warp, lane, address, instruction.space);
    MBarrier *mbarrier = place ? findMBarrier(warp, lane, *place) : nullptr;
    if (!mbarrier)
      return;
    uint32_t reserved = cluster.copies.arrivalsFor(*place->cta, place->address);
    if (instruction.elementCount == 0)
      ++mbarrier->pendingArrivals;
    else if (reserved >= mbarrier->pendingArrivals)
      return warp.report(lane, "arrives once more than the " + std::to_string(mbarrier->expectedArrivals) +
                                   " times that are expected");
    cluster.copies.add({place->cta, place->address, warp.cta.clusterWarp(warp), uint32_t(1) << lane, clock});
  }
}

void decodeCopy(InstructionDecoder &decoder) {
  bool onlyL2 = decoder.take("cg");
  if ((!onlyL2 && !decoder.take("ca")) || !decoder.take("global") ||
      (!decoder.take("shared") && !decoder.take("shared::cta"))) {
    decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
    return;
  }
  decoder.drop({"L2::64B", "L2::128B", "L2::256B"});
  bool hasPolicy = decoder.take("L2::cache_hint");
  if (!decoder.expectOperands(hasPolicy ? 4 : 3, hasPolicy ? 5 : 4))
    return;
  uint32_t bytes = decoder.takeCount(2);
  if (bytes != 16 && (onlyL2 || (bytes != 4 && bytes != 8))) {
    decoder.fail(std::string("expected 'cp.async' to copy ") + (onlyL2 ? "16" : "4, 8 or 16") + " bytes, but got " +
                 std::to_string(bytes));
    return;
  }
  CopyOperands operands;
  operands.to = decoder.takeAddress(0, StateSpace::Shared);
  operands.from = decoder.takeAddress(1, StateSpace::Global);
  if (decoder.operandCount() > (hasPolicy ? 4u : 3u)) {
    const PtxOperand &source = decoder.source.operands[3];
    bool isPredicate = source.kind == PtxOperand::Kind::Register && decoder.registerBytes(source) == 0;
    (isPredicate ? operands.ignored : operands.bytes) =
        decoder.takeSource(3, isPredicate ? PtxType::Pred : PtxType::B32);
  }
  if (hasPolicy)
    decoder.addSource(decoder.operandCount() - 1, PtxType::B64);
  KernelProgram &program = decoder.builder.program;
  decoder.result.run = copy;
  decoder.result.elementCount = uint8_t(bytes);
  decoder.result.siteIndex = program.siteCount++;
  decoder.result.target = uint32_t(program.copies.size());
  program.copies.push_back(operands);
}

void decodeArrive(InstructionDecoder &decoder) {
  decoder.result.run = arriveWhenDone;
  decoder.result.elementCount = decoder.take("noinc") ? 1 : 0;
  decoder.take("b64");
  StateSpace space = decoder.take("shared") || decoder.take("shared::cta") ? StateSpace::Shared : StateSpace::Generic;
  if (decoder.expectOperands(1, 1))
    decoder.addAddress(0, space);
}

} // namespace

bool decodeAsyncCopy(InstructionDecoder &decoder) {
  if (decoder.name != "cp" || !decoder.take("async"))
    return false;
  decoder.builder.program.usesAsyncCopies = true;
  if (decoder.take("commit_group")) {
    decoder.result.run = commitGroup;
    decoder.expectOperands(0, 0);
  } else if (decoder.take("wait_all")) {
    decoder.result.run = waitGroup;
    decoder.result.mode = 1;
    decoder.expectOperands(0, 0);
  } else if (decoder.take("wait_group")) {
    decoder.result.run = waitGroup;
    if (decoder.expectOperands(1, 1))
      decoder.result.target = decoder.takeCount(0);
  } else if (decoder.take("mbarrier")) {
    if (!decoder.take("arrive"))
      decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
    decodeArrive(decoder);
  } else {
    decodeCopy(decoder);
  }
  return true;
}

} // namespace fastnorm::emulator
