//===- ClusterInstructions.cpp - CTAs and launches that meet --------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// barrier.cluster, mapa, getctarank and griddepcontrol.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "InstructionDecoder.h"
#include "Lanes.h"

#include <algorithm>

namespace fastnorm::emulator {

namespace {

/// Of what a 32-bit address has room for.
constexpr uint32_t maxRank = (uint32_t(1) << (32 - clusterRankShift)) - 2;
constexpr uint64_t addressMask = (uint64_t(1) << clusterRankShift) - 1;

/// The address of the same variable in the CTA of a rank; instruction.offset is the window of generic addresses.
template <typename T> void mapToRank(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const T *a = warp.lanes<T>(instruction.operands[1]);
  const auto *ranks = warp.lanes<uint32_t>(instruction.operands[2]);
  auto window = uint64_t(instruction.offset);
  T mapped[warpLanes] = {};
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctz(rest));
    uint64_t address = uint64_t(a[lane]) - window;
    if (address > UINT32_MAX)
      return warp.report(lane, "expected a generic address of shared memory");
    // A rank that the cluster does not have is reported where the address is used.
    uint64_t rank = std::min<uint32_t>(ranks[lane], maxRank);
    mapped[lane] = T(window + ((rank + 1) << clusterRankShift | (address & addressMask)));
  }
  storeLanes(warp.lanes<T>(instruction.operands[0]), mask, [&](unsigned lane) { return mapped[lane]; });
}

template <typename T> void readRank(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const T *a = warp.lanes<T>(instruction.operands[1]);
  storeLanes(warp.lanes<uint32_t>(instruction.operands[0]), mask, [&](unsigned lane) {
    auto rankBits = uint32_t(a[lane]) >> clusterRankShift;
    return rankBits == 0 ? warp.cta.rank : rankBits - 1;
  });
}

void waitForGrid(Warp &warp, const Instruction &, uint32_t) { warp.cta.noteGridWait(warp); }

void decodeClusterBarrier(InstructionDecoder &decoder) {
  decoder.drop({"aligned"});
  Instruction &result = decoder.result;
  result.flow = Flow::Barrier;
  if (decoder.take("arrive")) {
    bool relaxed = decoder.take("relaxed");
    decoder.take("release");
    result.barrierMode = relaxed ? BarrierMode::ClusterArriveRelaxed : BarrierMode::ClusterArrive;
  } else if (decoder.take("wait")) {
    decoder.take("acquire");
    result.barrierMode = BarrierMode::ClusterWait;
  } else {
    decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
  }
  decoder.expectOperands(0, 0);
}

/// mapa and getctarank.
void decodeRank(InstructionDecoder &decoder, bool isMap) {
  bool isGeneric = !decoder.take("shared::cluster");
  PtxType type = decoder.takeType();
  bool is64 = type == PtxType::U64;
  if (!is64 && (type != PtxType::U32 || (isGeneric && isMap))) {
    decoder.unsupportedType(type);
    return;
  }
  decoder.result.offset = isGeneric ? int64_t(sharedWindow) : 0;
  if (!decoder.expectOperands(isMap ? 3 : 2, isMap ? 3 : 2))
    return;
  if (isMap)
    decoder.result.run = is64 ? mapToRank<uint64_t> : Handler(mapToRank<uint32_t>);
  else if (decoder.registerBytes(decoder.source.operands[1]) == 8)
    decoder.result.run = readRank<uint64_t>;
  else
    decoder.result.run = readRank<uint32_t>;
  decoder.addResult(0, isMap ? type : PtxType::U32);
  decoder.addSource(1, isMap ? type : decoder.result.run == readRank<uint64_t> ? PtxType::U64 : PtxType::U32);
  if (isMap)
    decoder.addSource(2, PtxType::U32);
}

void decodeGridDependence(InstructionDecoder &decoder) {
  if (decoder.take("wait"))
    decoder.result.run = waitForGrid;
  else if (!decoder.take("launch_dependents"))
    decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
  decoder.expectOperands(0, 0);
}

} // namespace

bool decodeCluster(InstructionDecoder &decoder) {
  const std::string &name = decoder.name;
  if (name == "barrier" && decoder.take("cluster"))
    decodeClusterBarrier(decoder);
  else if (name == "mapa" || name == "getctarank")
    decodeRank(decoder, name == "mapa");
  else if (name == "griddepcontrol")
    decodeGridDependence(decoder);
  else
    return false;
  return true;
}

} // namespace fastnorm::emulator
