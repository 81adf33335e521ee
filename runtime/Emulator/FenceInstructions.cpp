//===- FenceInstructions.cpp - fence and membar ---------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fences are looked at for what a relaxed arrival at the cluster barrier passes
// on, and for what the async proxy may see; host threads see each other's memory
// as kernels that are free of races need it.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "InstructionDecoder.h"

namespace fastnorm::emulator {

namespace {

void fence(Warp &warp, const Instruction &, uint32_t) { warp.cta.cluster.barrier.fence(warp.cta.clusterWarp(warp)); }

void fenceProxy(Warp &warp, const Instruction &, uint32_t) {
  warp.cta.cluster.clocks.fenceProxy(warp.cta.clusterWarp(warp));
}

/// Others know of a warp's mbarriers from the next phase of the cluster barrier that it arrives in.
void fenceInitializations(Warp &warp, const Instruction &, uint32_t) {
  unsigned self = warp.cta.clusterWarp(warp);
  for (auto &[address, mbarrier] : warp.cta.mbarriers)
    if (mbarrier.initWarp == self && mbarrier.fencedPhase == UINT32_MAX)
      mbarrier.fencedPhase = warp.cta.cluster.barrier.nextArrival(self);
}

/// fence.proxy.kind: only .async with shared memory in it concerns what is checked.
void decodeProxyFence(InstructionDecoder &decoder) {
  bool isAsync = decoder.take("async");
  if (!isAsync && !decoder.take("alias")) {
    decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
    return;
  }
  bool onlyGlobal = isAsync && decoder.take("global");
  if (isAsync)
    decoder.drop({"shared::cta", "shared::cluster"});
  if (isAsync && !onlyGlobal)
    decoder.result.run = fenceProxy;
}

} // namespace

bool decodeFence(InstructionDecoder &decoder) {
  if (decoder.name != "fence" && decoder.name != "membar")
    return false;
  decoder.expectOperands(0, 0);
  if (decoder.take("mbarrier_init")) {
    decoder.result.run = fenceInitializations;
    if (!decoder.take("release") || !decoder.take("cluster"))
      decoder.fail("expected fence.mbarrier_init to be .release.cluster");
  } else if (decoder.take("proxy")) {
    decodeProxyFence(decoder);
  } else {
    decoder.drop({"acq_rel", "sc", "acquire", "release", "cluster", "gpu", "gl", "sys"});
    // Within the CTA its barriers do more.
    if (!decoder.take("cta"))
      decoder.result.run = fence;
  }
  return true;
}

} // namespace fastnorm::emulator
