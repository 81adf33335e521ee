//===- MoveInstructions.cpp - mov, packing and unpacking ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers are copied as bytes; a vector's first element is the lowest part.
// Of two parts one may be unwritten, as long as only the other is unpacked
// again: the back end moves the half of a register pair that way.
//
//===----------------------------------------------------------------------===//

#include "InstructionDecoder.h"
#include "Lanes.h"

namespace fastnorm::emulator {

namespace {

struct Copy {
  template <typename T> static T apply(T a) { return a; }
};

void copyPredicate(Warp &warp, const Instruction &instruction, uint32_t mask) {
  storePredicate(warp, instruction.operands[0], mask, *warp.lanes<uint32_t>(instruction.operands[1]));
}

/// elementBytes is the part's size; the whole has elementCount of them.
void pack(Warp &warp, const Instruction &instruction, uint32_t mask) {
  size_t part = instruction.elementBytes, whole = part * instruction.elementCount;
  auto *result = warp.lanes<std::byte>(instruction.operands[0]);
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    std::byte value[16];
    for (unsigned i = 0; i < instruction.elementCount; ++i)
      std::memcpy(value + i * part, warp.lanes<std::byte>(instruction.operands[1 + i]) + lane * part, part);
    std::memcpy(result + lane * whole, value, whole);
  }
}

void unpack(Warp &warp, const Instruction &instruction, uint32_t mask) {
  size_t part = instruction.elementBytes, whole = part * instruction.elementCount;
  const auto *source = warp.lanes<std::byte>(instruction.operands[instruction.elementCount]);
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    std::byte value[16];
    std::memcpy(value, source + lane * whole, whole);
    for (unsigned i = 0; i < instruction.elementCount; ++i)
      std::memcpy(warp.lanes<std::byte>(instruction.operands[i]) + lane * part, value + i * part, part);
  }
}

/// Packs two parts, of which each lane has written at least one, if only in part. Keeps account of written lanes
/// itself.
void packHalves(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const SlotHeader &low = warp.header(instruction.operands[1]), &high = warp.header(instruction.operands[2]);
  if (uint32_t missing = mask & ~(low.partLanes() | high.partLanes()))
    return warp.reportUnwritten(instruction.operands[1], missing);
  uint32_t whole = low.writtenLanes & high.writtenLanes;
  uint32_t halves[2] = {low.partLanes() & ~whole, high.partLanes() & ~whole};
  pack(warp, instruction, mask);
  SlotHeader &result = warp.header(instruction.operands[0]);
  result.writtenLanes = (result.writtenLanes & ~mask) | (mask & whole);
  for (unsigned half = 0; half < 2; ++half)
    result.halfLanes[half] = (result.halfLanes[half] & ~mask) | (mask & halves[half]);
}

/// The reverse; `mode` has a bit for each part that is dropped. A part that was not written is not in its register either.
void unpackHalves(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const SlotHeader source = warp.header(instruction.operands[2]);
  uint32_t taken = 0;
  for (unsigned half = 0; half < 2; ++half) {
    if (instruction.mode & (1u << half))
      continue;
    uint32_t written = source.writtenLanes | source.halfLanes[half];
    taken |= written;
    SlotHeader &result = warp.header(instruction.operands[half]);
    result.writtenLanes = (result.writtenLanes & ~mask) | (mask & written);
  }
  if (uint32_t missing = mask & ~taken)
    return warp.reportUnwritten(instruction.operands[2], missing);
  unpack(warp, instruction, mask);
}

/// Leaves the account of written lanes to packHalves or unpackHalves.
void decodeHalves(InstructionDecoder &decoder, const std::vector<PtxOperand> &elements, bool isPack) {
  decoder.result.run = isPack ? packHalves : unpackHalves;
  for (unsigned half = 0; half < 2; ++half)
    if (elements[half].kind == PtxOperand::Kind::Sink)
      decoder.result.mode |= uint8_t(1u << half);
  decoder.result.resultCount = decoder.result.operandCount = 0;
}

/// Bytes of each of `count` parts of a value; 0 if it does not divide into them.
uint8_t partBytes(InstructionDecoder &decoder, PtxType type, size_t count) {
  uint8_t bytes = bytesOf(type);
  if ((count == 2 || count == 4) && bytes / count >= 1 && bytes % count == 0)
    return uint8_t(bytes / count);
  decoder.fail("expected '" + decoder.source.opcode + "' to have 2 or 4 elements, but got " + std::to_string(count));
  return 0;
}

PtxType bitsType(uint8_t bytes) {
  switch (bytes) {
  case 1: return PtxType::B8;
  case 2: return PtxType::B16;
  case 4: return PtxType::B32;
  default: return PtxType::B64;
  }
}

void decodeVector(InstructionDecoder &decoder, PtxType type) {
  const PtxOperand &target = decoder.source.operands[0], &source = decoder.source.operands[1];
  bool isPack = source.kind == PtxOperand::Kind::Vector;
  const std::vector<PtxOperand> &elements = isPack ? source.elements : target.elements;
  uint8_t part = partBytes(decoder, type, elements.size());
  if (decoder.failed())
    return;
  decoder.result.elementBytes = part;
  decoder.result.elementCount = uint8_t(elements.size());
  decoder.result.run = isPack ? pack : unpack;
  if (isPack)
    decoder.addResult(target, bytesOf(type));
  for (const PtxOperand &element : elements)
    isPack ? decoder.addSource(element, bitsType(part)) : decoder.addResult(element, part);
  if (!isPack)
    decoder.addSource(source, type);
  if (elements.size() == 2 && !decoder.failed())
    decodeHalves(decoder, elements, isPack);
}

} // namespace

bool decodeMove(InstructionDecoder &decoder) {
  if (decoder.name != "mov")
    return false;
  PtxType type = decoder.takeType();
  if (!decoder.expectOperands(2, 2))
    return true;
  if (decoder.source.operands[0].kind == PtxOperand::Kind::Vector ||
      decoder.source.operands[1].kind == PtxOperand::Kind::Vector)
    return decodeVector(decoder, type), true;
  switch (bytesOf(type)) {
  case 0: decoder.result.run = copyPredicate; break;
  case 2: decoder.result.run = unary<uint16_t, uint16_t, Copy>; break;
  case 4: decoder.result.run = unary<uint32_t, uint32_t, Copy>; break;
  case 8: decoder.result.run = unary<uint64_t, uint64_t, Copy>; break;
  case 16: decoder.result.run = unary<unsigned __int128, unsigned __int128, Copy>; break;
  default: return decoder.unsupportedType(type), true;
  }
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  return true;
}

} // namespace fastnorm::emulator
