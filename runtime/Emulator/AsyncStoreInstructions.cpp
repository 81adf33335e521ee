//===- AsyncStoreInstructions.cpp - st.async ---------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores to shared memory of the cluster that complete on an mbarrier beside them. They
// are done at once; that they may as well have come later is the clocks' business.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "InstructionDecoder.h"
#include "MBarrierAccess.h"
#include "MemoryAccess.h"

#include <cstring>

namespace fastnorm::emulator {

namespace {

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
    std::optional<SharedPlace> place =
        locateMBarrier(warp, lane, address, instruction.space,
                       warp.cta.cluster.clocks.agent(AgentKind::AsyncStore, warp.cta.clusterWarp(warp)));
    MBarrier *mbarrier = place ? findMBarrier(warp, lane, *place) : nullptr;
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

bool decodeAsyncStore(InstructionDecoder &decoder) {
  if (decoder.name != "st" || !decoder.take("async"))
    return false;
  decodeStoreAsync(decoder);
  return true;
}

} // namespace fastnorm::emulator
