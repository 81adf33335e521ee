//===- BulkCopyInstructions.cpp - cp.async.bulk ---------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of the async proxy: from global to shared memory, completing on an
// mbarrier, and back, in groups that the issuing thread waits for.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "InstructionDecoder.h"
#include "MBarrierAccess.h"
#include "MemoryAccess.h"

namespace fastnorm::emulator {

namespace {

constexpr uint32_t bulkAlignment = 16;

const CopyOperands &operandsOf(Warp &warp, const Instruction &instruction) {
  return warp.cta.launch.kernel->copies[instruction.target];
}

/// The bytes that a lane copies; 0 after a finding.
uint32_t takeBytes(Warp &warp, const CopyOperands &operands, unsigned lane) {
  uint32_t bytes = warp.lanes<uint32_t>(operands.bytes)[lane];
  if (bytes != 0 && bytes % bulkAlignment == 0)
    return bytes;
  warp.report(lane, "expected a multiple of " + std::to_string(bulkAlignment) + " bytes above 0 to copy, but got " +
                        std::to_string(bytes));
  return 0;
}

/// False after a finding: the async proxy may not see that the mbarrier was initialized.
bool isSeenByCopies(Warp &warp, unsigned lane, const MBarrier &mbarrier) {
  const Cluster &cluster = warp.cta.cluster;
  if (mbarrier.fencedPhase != UINT32_MAX || !warp.cta.launch.checkRaces ||
      cluster.clocks.isFenced(mbarrier.initWarp, mbarrier.initClock, warp.cta.clusterWarp(warp)))
    return true;
  const SourceLine &source = warp.cta.launch.kernel->sources[mbarrier.initInstruction];
  warp.report(lane, "completes on the mbarrier of PTX line " + std::to_string(source.line) + " '" + source.text +
                        "', with neither fence.mbarrier_init nor fence.proxy.async between");
  return false;
}

bool loadLane(Warp &warp, const Instruction &instruction, unsigned lane) {
  const CopyOperands &operands = operandsOf(warp, instruction);
  Cluster &cluster = warp.cta.cluster;
  uint32_t bytes = takeBytes(warp, operands, lane);
  if (!bytes)
    return false;
  std::optional<SharedPlace> place =
      locateMBarrier(warp, lane, addressOf(warp, operands.mbarrier, lane), operands.mbarrier.space);
  MBarrier *mbarrier = place ? findMBarrier(warp, lane, *place) : nullptr;
  if (!mbarrier || !isSeenByCopies(warp, lane, *mbarrier))
    return false;
  const std::byte *source = accessGlobal(
      warp, instruction, lane, {addressOf(warp, operands.from, lane), StateSpace::Global, bytes, bulkAlignment},
      AccessKind::Load, nullptr);
  if (!source)
    return false;
  unsigned agent = cluster.clocks.agent(AgentKind::BulkLoad, mbarrier->number);
  std::optional<SharedPlace> to = accessShared(
      warp, instruction, lane, {addressOf(warp, operands.to, lane), operands.to.space, bytes, bulkAlignment},
      SharedAccess::BulkWrite, agent);
  if (!to)
    return false;
  if (to->cta != place->cta) {
    warp.report(lane, "copies to another CTA than that of the mbarrier");
    return false;
  }
  to->cta->noteForeignAccess(agent, warp.currentInstruction());
  cluster.copies.add({to->cta, to->address, bytes, source, place->address, agent, cluster.clocks.now(agent)});
  cluster.clocks.tick(agent);
  return true;
}

bool storeLane(Warp &warp, const Instruction &instruction, unsigned lane) {
  const CopyOperands &operands = operandsOf(warp, instruction);
  Cluster &cluster = warp.cta.cluster;
  unsigned self = warp.cta.clusterWarp(warp), agent = cluster.clocks.agent(AgentKind::BulkStore, self);
  uint32_t bytes = takeBytes(warp, operands, lane);
  if (!bytes)
    return false;
  std::optional<SharedPlace> from = accessShared(
      warp, instruction, lane, {addressOf(warp, operands.from, lane), operands.from.space, bytes, bulkAlignment},
      SharedAccess::BulkRead, agent);
  if (!from)
    return false;
  BulkStore store;
  store.lane = lane;
  store.clock = cluster.clocks.now(agent);
  store.cta = &warp.cta;
  store.source = from->cta->shared.at(from->address);
  store.address = addressOf(warp, operands.to, lane);
  store.bytes = bytes;
  store.instruction = warp.currentInstruction();
  if (!accessGlobal(warp, instruction, lane, {store.address, StateSpace::Global, bytes, bulkAlignment},
                    AccessKind::BulkStore, store.source))
    return false;
  store.buffer = warp.cta.launch.global->find(store.address);
  warp.cta.noteForeignAccess(agent, warp.currentInstruction());
  cluster.copies.add(self, std::move(store));
  return true;
}

template <bool (*copyLane)(Warp &, const Instruction &, unsigned)>
void copy(Warp &warp, const Instruction &instruction, uint32_t mask) {
  for (; mask; mask &= mask - 1)
    if (!copyLane(warp, instruction, unsigned(__builtin_ctz(mask))))
      return;
}

void commitGroup(Warp &warp, const Instruction &, uint32_t mask) {
  warp.cta.cluster.copies.commitStores(warp.cta.clusterWarp(warp), mask);
}

/// instruction.target: how many groups may be left; mode: 1 to wait only until the sources were read.
void waitGroup(Warp &warp, const Instruction &instruction, uint32_t mask) {
  warp.cta.cluster.copies.waitForStores(warp.cta.clusterWarp(warp), mask, instruction.target, instruction.mode == 1);
}

void decodeCopy(InstructionDecoder &decoder) {
  bool toCluster = decoder.take("shared::cluster"), cta = decoder.take("shared::cta");
  bool isLoad = decoder.take("mbarrier::complete_tx::bytes"), isStore = decoder.take("bulk_group");
  // Whichever of the two is first is written.
  const std::string &opcode = decoder.source.opcode;
  bool globalFirst = opcode.find(".global") < opcode.find(".shared");
  bool hasPolicy = decoder.take("L2::cache_hint");
  if (!decoder.take("global") || toCluster == cta || isLoad == isStore || globalFirst != isStore || (isStore && !cta)) {
    decoder.fail("instruction '" + opcode + "' is not supported");
    return;
  }
  size_t wanted = (isLoad ? 4 : 3) + (hasPolicy ? 1 : 0);
  if (!decoder.expectOperands(wanted, wanted))
    return;
  StateSpace shared = toCluster ? StateSpace::SharedCluster : StateSpace::Shared;
  CopyOperands operands;
  operands.to = decoder.takeAddress(0, isLoad ? shared : StateSpace::Global);
  operands.from = decoder.takeAddress(1, isLoad ? StateSpace::Global : shared);
  operands.bytes = decoder.takeSource(2, PtxType::B32);
  if (isLoad)
    operands.mbarrier = decoder.takeAddress(3, shared);
  if (hasPolicy)
    decoder.addSource(wanted - 1, PtxType::B64);
  KernelProgram &program = decoder.builder.program;
  program.usesBulkCopies = true;
  decoder.result.run = isLoad ? copy<loadLane> : Handler(copy<storeLane>);
  decoder.result.siteIndex = program.siteCount++;
  decoder.result.target = uint32_t(program.copies.size());
  program.copies.push_back(operands);
}

} // namespace

bool decodeBulkCopy(InstructionDecoder &decoder) {
  if (decoder.source.opcode.rfind("cp.async.bulk", 0) != 0)
    return false;
  decoder.drop({"async", "bulk"});
  if (decoder.take("prefetch")) {
    decoder.dropAll();
    return true;
  }
  if (decoder.take("commit_group")) {
    decoder.result.run = commitGroup;
    decoder.expectOperands(0, 0);
  } else if (decoder.take("wait_group")) {
    decoder.result.run = waitGroup;
    decoder.result.mode = decoder.take("read") ? 1 : 0;
    if (decoder.expectOperands(1, 1))
      decoder.result.target = decoder.takeCount(0);
  } else {
    decodeCopy(decoder);
  }
  // Waiting for what was never issued is legal too.
  decoder.builder.program.usesBulkCopies = true;
  return true;
}

} // namespace fastnorm::emulator
