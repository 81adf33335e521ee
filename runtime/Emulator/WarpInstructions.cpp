//===- WarpInstructions.cpp - Lanes that exchange values ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shfl, vote, redux and activemask. The member mask is the last operand; the
// warp has already seen to it that the members are together.
//
//===----------------------------------------------------------------------===//

#include "InstructionDecoder.h"
#include "Lanes.h"

#include <algorithm>

namespace fastnorm::emulator {

namespace {

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };
enum class Vote : uint8_t { All, Any, Uniform, Ballot };
enum class Reduction : uint8_t { Add, Min, Max, And, Or, Xor };

/// False after a finding: the lanes that run an instruction are not the ones its member mask names.
bool checkMembers(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const auto *members = warp.lanes<uint32_t>(instruction.operands[instruction.operandCount - 1]);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctz(rest));
    if ((members[lane] & warp.live()) == mask)
      continue;
    warp.report(lane, "expected the member mask to name the lanes that take part, " + std::to_string(mask) +
                          ", but got " + std::to_string(members[lane]));
    return false;
  }
  return true;
}

/// The lane to read and whether it is in range, as the PTX manual defines them.
bool shuffleSource(Shuffle mode, int lane, uint32_t b, uint32_t c, int &source) {
  int segment = int(c >> 8 & 0x1f), clamp = int(c & 0x1f), distance = int(b & 0x1f);
  int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  bool inRange = false;
  switch (mode) {
  case Shuffle::Up:
    source = lane - distance;
    inRange = source >= last;
    break;
  case Shuffle::Down:
    source = lane + distance;
    inRange = source <= last;
    break;
  case Shuffle::Butterfly:
    source = lane ^ distance;
    inRange = source <= last;
    break;
  case Shuffle::Index:
    source = first | (distance & ~segment);
    inRange = source <= last;
    break;
  }
  if (!inRange)
    source = lane;
  return inRange;
}

/// Operands: value, in-range predicate, value, b, c, members.
void shuffle(Warp &warp, const Instruction &instruction, uint32_t mask) {
  if (!checkMembers(warp, instruction, mask))
    return;
  const auto *a = warp.lanes<uint32_t>(instruction.operands[2]);
  const auto *b = warp.lanes<uint32_t>(instruction.operands[3]);
  const auto *c = warp.lanes<uint32_t>(instruction.operands[4]);
  uint32_t values[warpLanes], inRange = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctz(rest));
    int source = 0;
    if (shuffleSource(Shuffle(instruction.mode), int(lane), b[lane], c[lane], source))
      inRange |= uint32_t(1) << lane;
    if (!(mask >> source & 1)) {
      warp.report(lane, "reads lane " + std::to_string(source) + ", which does not take part");
      return;
    }
    values[lane] = a[source];
  }
  storeLanes(warp.lanes<uint32_t>(instruction.operands[0]), mask, [&](unsigned lane) { return values[lane]; });
  storePredicate(warp, instruction.operands[1], mask, inRange);
}

void vote(Warp &warp, const Instruction &instruction, uint32_t mask) {
  if (!checkMembers(warp, instruction, mask))
    return;
  uint32_t bits = *warp.lanes<uint32_t>(instruction.operands[1]);
  if (instruction.sourceNegated)
    bits = ~bits;
  bits &= mask;
  switch (Vote(instruction.mode)) {
  case Vote::Ballot:
    return storeLanes(warp.lanes<uint32_t>(instruction.operands[0]), mask, [&](unsigned) { return bits; });
  case Vote::All: return storePredicate(warp, instruction.operands[0], mask, bits == mask ? allLanes : 0);
  case Vote::Any: return storePredicate(warp, instruction.operands[0], mask, bits ? allLanes : 0);
  case Vote::Uniform: return storePredicate(warp, instruction.operands[0], mask, bits == mask || !bits ? allLanes : 0);
  }
}

template <typename T> void reduce(Warp &warp, const Instruction &instruction, uint32_t mask) {
  if (!checkMembers(warp, instruction, mask))
    return;
  const T *values = warp.lanes<T>(instruction.operands[1]);
  T result = values[__builtin_ctz(mask)];
  for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
    T value = values[__builtin_ctz(rest)];
    switch (Reduction(instruction.mode)) {
    case Reduction::Add: result = T(uint32_t(result) + uint32_t(value)); break;
    case Reduction::Min: result = std::min(result, value); break;
    case Reduction::Max: result = std::max(result, value); break;
    case Reduction::And: result &= value; break;
    case Reduction::Or: result |= value; break;
    case Reduction::Xor: result ^= value; break;
    }
  }
  storeLanes(warp.lanes<T>(instruction.operands[0]), mask, [&](unsigned) { return result; });
}

/// Operands: the lane, whether this lane is it, members.
void elect(Warp &warp, const Instruction &instruction, uint32_t mask) {
  if (!checkMembers(warp, instruction, mask))
    return;
  auto leader = uint32_t(__builtin_ctz(mask));
  storeLanes(warp.lanes<uint32_t>(instruction.operands[0]), mask, [&](unsigned) { return leader; });
  storePredicate(warp, instruction.operands[1], mask, uint32_t(1) << leader);
}

void readActiveMask(Warp &warp, const Instruction &instruction, uint32_t mask) {
  storeLanes(warp.lanes<uint32_t>(instruction.operands[0]), mask, [&](unsigned) { return mask; });
}

void syncWarp(Warp &warp, const Instruction &instruction, uint32_t mask) { checkMembers(warp, instruction, mask); }

/// The index of the first modifier of a list that is there.
std::optional<uint8_t> takeOne(InstructionDecoder &decoder, std::initializer_list<std::string_view> names) {
  uint8_t index = 0;
  for (std::string_view name : names) {
    if (decoder.take(name))
      return index;
    ++index;
  }
  decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
  return std::nullopt;
}

/// Results `value|predicate`, or only the value.
void addPair(InstructionDecoder &decoder) {
  const PtxOperand &target = decoder.source.operands[0];
  bool isPair = target.kind == PtxOperand::Kind::Pair;
  decoder.addResult(isPair ? target.elements[0] : target, 4);
  decoder.addResult(isPair ? target.elements[1] : PtxOperand(), 0);
}

void decodeElect(InstructionDecoder &decoder) {
  decoder.result.run = elect;
  if (!decoder.expectOperands(2, 2))
    return;
  addPair(decoder);
  decoder.addSource(1, PtxType::B32);
}

void decodeShuffle(InstructionDecoder &decoder) {
  decoder.result.run = shuffle;
  decoder.result.mode = takeOne(decoder, {"up", "down", "bfly", "idx"}).value_or(0);
  if (PtxType type = decoder.takeType(); bytesOf(type) != 4) {
    decoder.unsupportedType(type);
    return;
  }
  if (!decoder.expectOperands(5, 5))
    return;
  addPair(decoder);
  for (size_t i = 1; i < 5; ++i)
    decoder.addSource(i, PtxType::B32);
}

void decodeVote(InstructionDecoder &decoder) {
  decoder.result.run = vote;
  decoder.result.mode = takeOne(decoder, {"all", "any", "uni", "ballot"}).value_or(0);
  bool isBallot = Vote(decoder.result.mode) == Vote::Ballot;
  if (PtxType type = decoder.takeType(); bytesOf(type) != (isBallot ? 4 : 0)) {
    decoder.unsupportedType(type);
    return;
  }
  if (!decoder.expectOperands(3, 3))
    return;
  decoder.result.sourceNegated = decoder.source.operands[1].negated;
  decoder.addResult(0, isBallot ? PtxType::B32 : PtxType::Pred);
  decoder.addSource(1, PtxType::Pred);
  decoder.addSource(2, PtxType::B32);
}

void decodeReduce(InstructionDecoder &decoder) {
  decoder.result.mode = takeOne(decoder, {"add", "min", "max", "and", "or", "xor"}).value_or(0);
  PtxType type = decoder.takeType();
  if (bytesOf(type) != 4 || isFloat(type)) {
    decoder.unsupportedType(type);
    return;
  }
  decoder.result.run = isSigned(type) ? reduce<int32_t> : Handler(reduce<uint32_t>);
  if (!decoder.expectOperands(3, 3))
    return;
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  decoder.addSource(2, PtxType::B32);
}

} // namespace

bool decodeWarpWide(InstructionDecoder &decoder) {
  if (decoder.name == "activemask") {
    decoder.takeType();
    decoder.result.run = readActiveMask;
    if (decoder.expectOperands(1, 1))
      decoder.addResult(0, PtxType::B32);
    return true;
  }
  bool isWarpBarrier = (decoder.name == "bar" || decoder.name == "barrier") && decoder.take("warp");
  if (!isWarpBarrier && decoder.name != "shfl" && decoder.name != "vote" && decoder.name != "redux" &&
      decoder.name != "elect")
    return false;
  decoder.result.flow = Flow::WarpSync;
  if (!decoder.take("sync"))
    decoder.fail("expected '" + decoder.name + "' to have .sync");
  if (decoder.name == "shfl") {
    decodeShuffle(decoder);
  } else if (decoder.name == "vote") {
    decodeVote(decoder);
  } else if (decoder.name == "redux") {
    decodeReduce(decoder);
  } else if (decoder.name == "elect") {
    decodeElect(decoder);
  } else {
    decoder.result.run = syncWarp;
    if (decoder.expectOperands(1, 1))
      decoder.addSource(0, PtxType::B32);
  }
  return true;
}

} // namespace fastnorm::emulator
