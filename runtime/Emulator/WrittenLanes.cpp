//===- WrittenLanes.cpp - Which lanes of a register may be read -----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A register that nothing wrote holds anything. One of two parts may be
// written by half, as the back end leaves it where it needs the other alone.
//
//===----------------------------------------------------------------------===//

#include "Warp.h"

#include "Cluster.h"

namespace fastnorm::emulator {

void Warp::reportUnwritten(OperandCode code, uint32_t lanes) {
  report(unsigned(__builtin_ctz(lanes)),
         "register '" + cta.launch.kernel->registerNames[header(code).registerId] + "' is read before it is written");
}

bool Warp::checkParts(const Instruction &instruction, uint32_t mask) {
  for (unsigned i = instruction.resultCount; i < instruction.operandCount; ++i)
    if (const SlotHeader &source = header(instruction.operands[i]);
        uint32_t missing =
            mask & ~(instruction.movesBits || instruction.isPairwise ? source.partLanes() : source.writtenLanes)) {
      reportUnwritten(instruction.operands[i], missing);
      return false;
    }
  return true;
}

void Warp::noteWrittenHalves(const Instruction &instruction, uint32_t mask) {
  uint32_t halves[2] = {allLanes, allLanes};
  for (unsigned i = instruction.resultCount; i < instruction.operandCount; ++i) {
    const SlotHeader &source = header(instruction.operands[i]);
    for (unsigned half = 0; half < 2; ++half)
      halves[half] &= source.writtenLanes | source.halfLanes[half];
  }
  SlotHeader &result = header(instruction.operands[0]);
  uint32_t whole = halves[0] & halves[1];
  result.writtenLanes = (result.writtenLanes & ~mask) | (mask & whole);
  for (unsigned half = 0; half < 2; ++half)
    result.halfLanes[half] = (result.halfLanes[half] & ~mask) | (mask & halves[half] & ~whole);
}

} // namespace fastnorm::emulator
