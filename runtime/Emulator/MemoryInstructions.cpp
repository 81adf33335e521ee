//===- MemoryInstructions.cpp - ld and st ---------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves elements between memory and registers; a register may be wider than the
// element, which is then extended by its type.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "InstructionDecoder.h"
#include "Lanes.h"
#include "MemoryAccess.h"
#include "Priority.h"

#include <algorithm>

namespace fastnorm::emulator {

namespace {

/// What a volatile, relaxed or acquiring load saw, and where.
void notePoll(Warp &warp, const Instruction &instruction, uint32_t mask, const LaneMemory &memory) {
  uint64_t seen = mask;
  for (; mask; mask &= mask - 1) {
    const std::byte *where = memory.lanes[__builtin_ctz(mask)];
    uint64_t value = 0;
    std::memcpy(&value, where, std::min<size_t>(instruction.elementBytes, sizeof(value)));
    seen = mixBits(seen ^ uint64_t(reinterpret_cast<uintptr_t>(where))) ^ value;
  }
  warp.notePoll(instruction, seen, instruction.space == StateSpace::Global || instruction.space == StateSpace::Generic);
}

/// Operands: one result an element, then the address.
template <typename Element, typename Register> void load(Warp &warp, const Instruction &instruction, uint32_t mask) {
  LaneMemory memory;
  if (!accessMemory(warp, instruction, mask, instruction.operands[instruction.elementCount], AccessKind::Load, nullptr,
                    memory))
    return;
  if (instruction.space == StateSpace::Global || instruction.space == StateSpace::Generic) {
    LaunchCounters &counters = warp.cta.counters;
    ++counters.globalLoads;
    counters.globalLoadBytes += uint64_t(__builtin_popcount(mask)) * sizeof(Element) * instruction.elementCount;
  }
  if (instruction.flow == Flow::Poll)
    notePoll(warp, instruction, mask, memory);
  for (unsigned i = 0; i < instruction.elementCount; ++i)
    storeLanes(warp.lanes<Register>(instruction.operands[i]), mask, [&](unsigned lane) {
      Element element;
      std::memcpy(&element, memory.lanes[lane] + i * sizeof(Element), sizeof(Element));
      return Register(element);
    });
}

/// Operands: one source an element, then the address.
template <typename Element, typename Register> void store(Warp &warp, const Instruction &instruction, uint32_t mask) {
  // Gathered first: the checks compare what two CTAs write to one place.
  alignas(16) std::byte values[warpLanes * 32];
  const size_t bytes = sizeof(Element) * instruction.elementCount;
  for (unsigned i = 0; i < instruction.elementCount; ++i) {
    const Register *source = warp.lanes<Register>(instruction.operands[i]);
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      auto element = Element(source[lane]);
      std::memcpy(values + lane * bytes + i * sizeof(Element), &element, sizeof(Element));
    }
  }
  LaneMemory memory;
  if (!accessMemory(warp, instruction, mask, instruction.operands[instruction.elementCount], AccessKind::Store, values,
                    memory))
    return;
  if (instruction.space == StateSpace::Global || instruction.space == StateSpace::Generic) {
    LaunchCounters &counters = warp.cta.counters;
    ++counters.globalStores;
    counters.globalStoreBytes += uint64_t(__builtin_popcount(mask)) * bytes;
  }
  warp.cta.cluster.noteEffect();
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    std::memcpy(memory.lanes[lane], values + lane * bytes, bytes);
  }
}

template <typename Element, typename Register> Handler loadOrStore(bool isLoad) {
  return isLoad ? load<Element, Register> : Handler(store<Element, Register>);
}

/// For elements and registers of these bytes; signed elements are extended with their sign.
template <typename Unsigned, typename Signed> Handler chooseRegister(bool isLoad, bool sign, uint8_t registerBytes) {
  switch (registerBytes) {
  case 2: return sign ? loadOrStore<Signed, int16_t>(isLoad) : loadOrStore<Unsigned, uint16_t>(isLoad);
  case 4: return sign ? loadOrStore<Signed, int32_t>(isLoad) : loadOrStore<Unsigned, uint32_t>(isLoad);
  case 8: return sign ? loadOrStore<Signed, int64_t>(isLoad) : loadOrStore<Unsigned, uint64_t>(isLoad);
  default: return nullptr;
  }
}

Handler chooseHandler(bool isLoad, PtxType type, uint8_t registerBytes) {
  bool sign = isSigned(type);
  if (registerBytes < bytesOf(type))
    return nullptr;
  switch (bytesOf(type)) {
  case 1: return chooseRegister<uint8_t, int8_t>(isLoad, sign, registerBytes);
  case 2: return chooseRegister<uint16_t, int16_t>(isLoad, sign, registerBytes);
  case 4: return chooseRegister<uint32_t, int32_t>(isLoad, sign, registerBytes);
  case 8: return chooseRegister<uint64_t, int64_t>(isLoad, sign, registerBytes);
  case 16: return registerBytes == 16 ? loadOrStore<unsigned __int128, unsigned __int128>(isLoad) : nullptr;
  default: return nullptr;
  }
}

/// The same value for every lane, from the launch's parameters; offset says where.
void loadParameter(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const std::byte *source = warp.cta.launch.parameters.data() + instruction.offset;
  size_t bytes = instruction.elementBytes;
  for (unsigned i = 0; i < instruction.elementCount; ++i) {
    auto *result = warp.lanes<std::byte>(instruction.operands[i]);
    for (uint32_t rest = mask; rest; rest &= rest - 1)
      std::memcpy(result + unsigned(__builtin_ctz(rest)) * bytes, source + i * bytes, bytes);
  }
}

StateSpace takeSpace(InstructionDecoder &decoder) {
  if (decoder.take("global"))
    return StateSpace::Global;
  if (decoder.take("shared") || decoder.take("shared::cta"))
    return StateSpace::Shared;
  if (decoder.take("shared::cluster"))
    return StateSpace::SharedCluster;
  if (decoder.take("local"))
    return StateSpace::Local;
  if (decoder.take("const"))
    return StateSpace::Constant;
  if (decoder.take("param") || decoder.take("param::entry"))
    return StateSpace::Param;
  return StateSpace::Generic;
}

void takeCacheHints(InstructionDecoder &decoder) {
  // What the caches do changes no result.
  decoder.drop({"ca",
                "cg",
                "cs",
                "lu",
                "cv",
                "wb",
                "wt",
                "L1::evict_normal",
                "L1::evict_unchanged",
                "L1::evict_first",
                "L1::evict_last",
                "L1::no_allocate",
                "L2::evict_first",
                "L2::evict_last",
                "L2::evict_normal",
                "L2::64B",
                "L2::128B",
                "L2::256B",
                "weak",
                "cta",
                "cluster",
                "gpu",
                "sys"});
}

std::vector<PtxOperand> elementsOf(const PtxOperand &operand) {
  return operand.kind == PtxOperand::Kind::Vector ? operand.elements : std::vector<PtxOperand>{operand};
}

void decodeParameter(InstructionDecoder &decoder, PtxType type, const std::vector<PtxOperand> &elements) {
  const PtxOperand &address = decoder.source.operands[1];
  auto symbol = address.kind == PtxOperand::Kind::Address && address.elements[0].kind == PtxOperand::Kind::Symbol
                    ? decoder.builder.symbol(address.elements[0].name)
                    : std::nullopt;
  if (!symbol || symbol->space != StateSpace::Param) {
    decoder.fail("expected 'ld.param' to name a parameter of the entry");
    return;
  }
  uint64_t offset = symbol->address + address.bits, bytes = bytesOf(type) * elements.size();
  uint64_t end = decoder.builder.program.parameterBytes;
  if (offset > end || bytes > end - offset || bytesOf(type) == 0) {
    decoder.fail("expected 'ld.param' to stay within the " + std::to_string(end) + " bytes of parameters");
    return;
  }
  decoder.result.run = loadParameter;
  decoder.result.elementBytes = bytesOf(type);
  decoder.result.elementCount = uint8_t(elements.size());
  for (const PtxOperand &element : elements)
    decoder.addResult(element, bytesOf(type));
  decoder.result.offset = int64_t(offset);
}

/// Gives the access a number and notes what it means for the whole kernel.
void noteAccess(InstructionDecoder &decoder, uint32_t bytes) {
  KernelProgram &program = decoder.builder.program;
  decoder.result.siteIndex = program.siteCount++;
  StateSpace space = decoder.result.space;
  bool maybeShared = space == StateSpace::Shared || space == StateSpace::SharedCluster || space == StateSpace::Generic;
  if (maybeShared)
    program.sharedGranule = std::min(program.sharedGranule, bytes);
  bool maybeGlobal = space == StateSpace::Global || space == StateSpace::Generic;
  program.synchronizesThroughGlobal |= decoder.result.ordered && maybeGlobal;
}

void decodeLoadOrStore(InstructionDecoder &decoder, bool isLoad) {
  StateSpace space = takeSpace(decoder);
  takeCacheHints(decoder);
  decoder.result.readOnly = decoder.take("nc");
  for (const char *order : {"volatile", "relaxed", "acquire", "release", "mmio"})
    decoder.result.ordered |= decoder.take(order);
  if (isLoad && decoder.result.ordered)
    decoder.result.flow = Flow::Poll;
  unsigned count = decoder.takeVector();
  PtxType type = decoder.takeType();
  if (!decoder.expectOperands(2, 2))
    return;
  std::vector<PtxOperand> elements = elementsOf(decoder.source.operands[isLoad ? 0 : 1]);
  if (elements.size() != count) {
    decoder.fail("expected '" + decoder.source.opcode + "' to have " + std::to_string(count) + " elements, but got " +
                 std::to_string(elements.size()));
    return;
  }
  if (space == StateSpace::Param && isLoad)
    return decodeParameter(decoder, type, elements);
  uint32_t bytes = bytesOf(type) * count;
  if (space == StateSpace::Param || bytes == 0 || bytes > 32) {
    decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
    return;
  }
  // All elements go through registers of one width; LLVM never mixes them.
  uint8_t registerBytes = 0;
  for (const PtxOperand &element : elements)
    if (uint8_t elementRegister = decoder.registerBytes(element)) {
      if (registerBytes && registerBytes != elementRegister)
        decoder.fail("expected the registers of '" + decoder.source.opcode + "' to be of one width");
      registerBytes = elementRegister;
    }
  if (!registerBytes)
    registerBytes = std::max<uint8_t>(bytesOf(type), 2);
  PtxType registerType = registerBytes == 2   ? PtxType::B16
                         : registerBytes == 4 ? PtxType::B32
                         : registerBytes == 8 ? PtxType::B64
                                              : PtxType::B128;
  decoder.result.run = chooseHandler(isLoad, type, registerBytes);
  if (!decoder.result.run) {
    decoder.fail("expected '" + decoder.source.opcode + "' to have registers of at least " +
                 std::to_string(bytesOf(type) * 8) + " bits");
    return;
  }
  decoder.result.elementBytes = bytesOf(type);
  decoder.result.elementCount = uint8_t(count);
  for (const PtxOperand &element : elements)
    isLoad ? decoder.addResult(element, registerBytes) : decoder.addSource(element, registerType);
  decoder.addAddress(isLoad ? 1 : 0, space);
  noteAccess(decoder, bytesOf(type));
}

} // namespace

bool decodeMemory(InstructionDecoder &decoder) {
  if (decoder.name == "ldu")
    decoder.result.readOnly = true;
  else if (decoder.name != "ld" && decoder.name != "st")
    return false;
  decodeLoadOrStore(decoder, decoder.name != "st");
  return true;
}

} // namespace fastnorm::emulator
