//===- ControlInstructions.cpp - Branches, exits and barriers -------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What changes the flow is done by the warp; here it is only named. Prefetches
// and hints do nothing.
//
//===----------------------------------------------------------------------===//

#include "InstructionDecoder.h"
#include "Lanes.h"

namespace fastnorm::emulator {

namespace {

void decodeBranch(InstructionDecoder &decoder) {
  decoder.take("uni");
  decoder.result.flow = Flow::Branch;
  if (!decoder.expectOperands(1, 1))
    return;
  const PtxOperand &target = decoder.source.operands[0];
  std::optional<uint32_t> index = target.kind == PtxOperand::Kind::Symbol
                                      ? decoder.builder.kernel.findLabel(decoder.source.scope, target.name)
                                      : std::nullopt;
  if (!index)
    decoder.fail("label '" + target.name + "' is not defined in this block or around it");
  else
    decoder.result.target = *index;
}

void decodeBarrier(InstructionDecoder &decoder) {
  decoder.drop({"cta", "aligned"});
  bool isArrive = decoder.take("arrive");
  if (!isArrive && !decoder.take("sync"))
    decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
  decoder.result.flow = Flow::Barrier;
  decoder.result.barrierMode = isArrive ? BarrierMode::Arrive : BarrierMode::Sync;
  if (!decoder.expectOperands(isArrive ? 2 : 1, 2))
    return;
  for (size_t i = 0; i < decoder.operandCount(); ++i)
    decoder.addSource(i, PtxType::B32);
}

/// Instructions without an effect on results, whatever their modifiers.
bool isSilent(const std::string &name) {
  for (const char *silent : {"prefetch", "prefetchu", "nanosleep", "pmevent", "discard", "applypriority"})
    if (name == silent)
      return true;
  return false;
}

/// How many registers a thread has, is no matter here.
void decodeRegisterCount(InstructionDecoder &decoder) {
  bool increases = decoder.take("inc"), decreases = decoder.take("dec");
  if (increases == decreases || !decoder.take("sync") || !decoder.take("aligned"))
    decoder.fail("expected 'setmaxnreg' to be .inc.sync.aligned or .dec.sync.aligned");
  decoder.takeType();
  if (!decoder.expectOperands(1, 1))
    return;
  uint32_t count = decoder.takeCount(0);
  if (count < 24 || count > 256 || count % 8 != 0)
    decoder.fail("expected a multiple of 8 from 24 to 256 registers, but got " + std::to_string(count));
}

/// How caches treat data changes no result: a policy is any value.
void decodePolicy(InstructionDecoder &decoder) {
  decoder.dropAll();
  if (!decoder.expectOperands(1, 4))
    return;
  decoder.result.run = [](Warp &warp, const Instruction &instruction, uint32_t mask) {
    storeLanes(warp.lanes<uint64_t>(instruction.operands[0]), mask, [](unsigned) { return uint64_t(0); });
  };
  decoder.addResult(0, PtxType::B64);
}

} // namespace

bool decodeControl(InstructionDecoder &decoder) {
  const std::string &name = decoder.name;
  if (name == "bra") {
    decodeBranch(decoder);
  } else if (name == "ret" || name == "exit") {
    decoder.take("uni");
    decoder.result.flow = Flow::Exit;
    decoder.expectOperands(0, 0);
  } else if (name == "trap") {
    decoder.result.flow = Flow::Trap;
    decoder.expectOperands(0, 0);
  } else if (name == "bar" || name == "barrier") {
    decodeBarrier(decoder);
  } else if (name == "setmaxnreg") {
    decodeRegisterCount(decoder);
  } else if (name == "createpolicy") {
    decodePolicy(decoder);
  } else if (isSilent(name)) {
    decoder.dropAll();
  } else if (name == "call") {
    decoder.fail("calls are not supported; every call must be inlined into its entry");
  } else {
    return false;
  }
  return true;
}

} // namespace fastnorm::emulator
