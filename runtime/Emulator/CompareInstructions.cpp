//===- CompareInstructions.cpp - Comparison and selection -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// setp, selp, slct and testp. A predicate is one word with a bit a lane.
//
//===----------------------------------------------------------------------===//

#include "FloatFormats.h"
#include "InstructionDecoder.h"
#include "Lanes.h"

#include <array>

namespace fastnorm::emulator {

namespace {

/// What a comparison yields for each way two values can stand; bits of Instruction::mode.
enum Outcome : uint8_t { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };
/// How setp joins its result with a predicate; Instruction::elementCount.
enum class Join : uint8_t { None, And, Or, Xor };

struct Comparison {
  std::string_view name;
  uint8_t outcomes;
  bool isUnsigned; ///< lo, ls, hi, hs: unsigned whatever the type says
};

constexpr Comparison comparisons[] = {
    {"eq", Equal, false},
    {"ne", Less | Greater, false},
    {"lt", Less, false},
    {"le", Less | Equal, false},
    {"gt", Greater, false},
    {"ge", Greater | Equal, false},
    {"lo", Less, true},
    {"ls", Less | Equal, true},
    {"hi", Greater, true},
    {"hs", Greater | Equal, true},
    {"equ", Equal | Unordered, false},
    {"neu", Less | Greater | Unordered, false},
    {"ltu", Less | Unordered, false},
    {"leu", Less | Equal | Unordered, false},
    {"gtu", Greater | Unordered, false},
    {"geu", Greater | Equal | Unordered, false},
    {"num", Less | Equal | Greater, false},
    {"nan", Unordered, false},
};

template <typename T> T comparable(T value) { return value; }
float comparable(F16 half) { return half.value(); }
float comparable(Bf16 half) { return half.value(); }

/// `part` takes of two operands what is compared.
template <typename T, typename Part>
uint32_t compareLanes(Warp &warp, const Instruction &instruction, const Part &part) {
  const T *a = warp.lanes<T>(instruction.operands[2]);
  const T *b = warp.lanes<T>(instruction.operands[3]);
  uint32_t less = 0, equal = 0, greater = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    auto x = comparable(part(a[lane])), y = comparable(part(b[lane]));
    less |= uint32_t(x < y) << lane;
    equal |= uint32_t(x == y) << lane;
    greater |= uint32_t(x > y) << lane;
  }
  uint8_t outcomes = instruction.mode;
  return (outcomes & Less ? less : 0) | (outcomes & Equal ? equal : 0) | (outcomes & Greater ? greater : 0) |
         (outcomes & Unordered ? ~(less | equal | greater) : 0);
}

uint32_t join(Join how, uint32_t compared, uint32_t other) {
  switch (how) {
  case Join::None: return compared;
  case Join::And: return compared & other;
  case Join::Or: return compared | other;
  case Join::Xor: return compared ^ other;
  }
  return compared;
}

/// The predicate that setp joins with, if it does.
uint32_t joined(Warp &warp, const Instruction &instruction) {
  uint32_t other = Join(instruction.elementCount) == Join::None ? 0 : *warp.lanes<uint32_t>(instruction.operands[4]);
  return instruction.sourceNegated ? ~other : other;
}

/// Operands: p, q, a, b and, when joined, c. q is of the opposite.
template <typename T> void setPredicate(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t compared = compareLanes<T>(warp, instruction, [](T value) { return value; });
  auto how = Join(instruction.elementCount);
  uint32_t other = joined(warp, instruction);
  storePredicate(warp, instruction.operands[0], mask, join(how, compared, other));
  storePredicate(warp, instruction.operands[1], mask, join(how, ~compared, other));
}

/// The same of two values in one register: p is of the lower, q of the upper.
template <typename T> void setPredicates(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t low = compareLanes<Pair<T>>(warp, instruction, [](Pair<T> pair) { return pair.low; });
  uint32_t high = compareLanes<Pair<T>>(warp, instruction, [](Pair<T> pair) { return pair.high; });
  auto how = Join(instruction.elementCount);
  uint32_t other = joined(warp, instruction);
  storePredicate(warp, instruction.operands[0], mask, join(how, low, other));
  storePredicate(warp, instruction.operands[1], mask, join(how, high, other));
}

Handler choosePredicate(PtxType type, bool forceUnsigned) {
  switch (type) {
  case PtxType::F32: return setPredicate<float>;
  case PtxType::F64: return setPredicate<double>;
  case PtxType::F16: return setPredicate<F16>;
  case PtxType::BF16: return setPredicate<Bf16>;
  case PtxType::F16x2: return setPredicates<F16>;
  case PtxType::BF16x2: return setPredicates<Bf16>;
  case PtxType::S16: return forceUnsigned ? setPredicate<uint16_t> : Handler(setPredicate<int16_t>);
  case PtxType::S32: return forceUnsigned ? setPredicate<uint32_t> : Handler(setPredicate<int32_t>);
  case PtxType::S64: return forceUnsigned ? setPredicate<uint64_t> : Handler(setPredicate<int64_t>);
  case PtxType::B16:
  case PtxType::U16: return setPredicate<uint16_t>;
  case PtxType::B32:
  case PtxType::U32: return setPredicate<uint32_t>;
  case PtxType::B64:
  case PtxType::U64: return setPredicate<uint64_t>;
  default: return nullptr;
  }
}

bool decodeSetPredicate(InstructionDecoder &decoder) {
  const Comparison *comparison = nullptr;
  for (const Comparison &known : comparisons)
    if (!comparison && decoder.take(known.name))
      comparison = &known;
  if (!comparison)
    return decoder.fail("expected 'setp' to have a comparison, such as .lt"), true;
  Join how = decoder.take("and")   ? Join::And
             : decoder.take("or")  ? Join::Or
             : decoder.take("xor") ? Join::Xor
                                   : Join::None;
  decoder.take("ftz");
  PtxType type = decoder.takeType();
  decoder.result.run = choosePredicate(type, comparison->isUnsigned);
  if (!decoder.result.run)
    return decoder.unsupportedType(type), true;
  decoder.result.mode = comparison->outcomes;
  decoder.result.elementCount = uint8_t(how);
  size_t wanted = how == Join::None ? 3 : 4;
  if (!decoder.expectOperands(wanted, wanted))
    return true;
  const PtxOperand &target = decoder.source.operands[0];
  bool isPair = target.kind == PtxOperand::Kind::Pair;
  decoder.addResult(isPair ? target.elements[0] : target, 0);
  decoder.addResult(isPair ? target.elements[1] : PtxOperand(), 0);
  decoder.addSource(1, type);
  decoder.addSource(2, type);
  if (how != Join::None) {
    decoder.result.sourceNegated = decoder.source.operands[3].negated;
    decoder.addSource(3, PtxType::Pred);
  }
  return true;
}

template <typename T> void selectByPredicate(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const T *a = warp.lanes<T>(instruction.operands[1]);
  const T *b = warp.lanes<T>(instruction.operands[2]);
  uint32_t predicate = *warp.lanes<uint32_t>(instruction.operands[3]);
  storeLanes(warp.lanes<T>(instruction.operands[0]), mask,
             [&](unsigned lane) { return predicate >> lane & 1 ? a[lane] : b[lane]; });
}

bool decodeSelect(InstructionDecoder &decoder) {
  PtxType type = decoder.takeType();
  switch (bytesOf(type)) {
  case 2: decoder.result.run = selectByPredicate<uint16_t>; break;
  case 4: decoder.result.run = selectByPredicate<uint32_t>; break;
  case 8: decoder.result.run = selectByPredicate<uint64_t>; break;
  default: return decoder.unsupportedType(type), true;
  }
  if (!decoder.expectOperands(4, 4))
    return true;
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  decoder.addSource(2, type);
  decoder.addSource(3, PtxType::Pred);
  return true;
}

template <typename T, typename C> struct SelectBySign {
  static T apply(T a, T b, C c) { return c >= 0 ? a : b; }
};

bool decodeSelectBySign(InstructionDecoder &decoder) {
  decoder.take("ftz");
  PtxType type = decoder.takeType(), signType = decoder.takeType();
  bool isF32 = signType == PtxType::F32;
  if (signType != PtxType::S32 && !isF32)
    return decoder.unsupportedType(signType), true;
  switch (bytesOf(type)) {
  case 4:
    decoder.result.run = isF32
                             ? ternary<uint32_t, uint32_t, uint32_t, float, SelectBySign<uint32_t, float>>
                             : Handler(ternary<uint32_t, uint32_t, uint32_t, int32_t, SelectBySign<uint32_t, int32_t>>);
    break;
  case 8:
    decoder.result.run = isF32
                             ? ternary<uint64_t, uint64_t, uint64_t, float, SelectBySign<uint64_t, float>>
                             : Handler(ternary<uint64_t, uint64_t, uint64_t, int32_t, SelectBySign<uint64_t, int32_t>>);
    break;
  default: return decoder.unsupportedType(type), true;
  }
  if (!decoder.expectOperands(4, 4))
    return true;
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  decoder.addSource(2, type);
  decoder.addSource(3, signType);
  return true;
}

constexpr std::array<std::string_view, 6> properties = {"finite",     "infinite", "number",
                                                        "notanumber", "normal",   "subnormal"};

template <typename T> bool hasProperty(T value, size_t property) {
  switch (property) {
  case 0: return std::isfinite(value);
  case 1: return std::isinf(value);
  case 2: return !std::isnan(value);
  case 3: return std::isnan(value);
  case 4: return std::isnormal(value);
  default: return std::fpclassify(value) == FP_SUBNORMAL;
  }
}

template <typename T> void testProperty(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const T *a = warp.lanes<T>(instruction.operands[1]);
  uint32_t bits = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    bits |= uint32_t(hasProperty(a[lane], instruction.mode)) << lane;
  storePredicate(warp, instruction.operands[0], mask, bits);
}

bool decodeTestProperty(InstructionDecoder &decoder) {
  size_t property = 0;
  while (property < properties.size() && !decoder.take(properties[property]))
    ++property;
  PtxType type = decoder.takeType();
  if (property == properties.size() || (type != PtxType::F32 && type != PtxType::F64))
    return decoder.fail("instruction '" + decoder.source.opcode + "' is not supported"), true;
  decoder.result.mode = uint8_t(property);
  decoder.result.run = type == PtxType::F32 ? testProperty<float> : Handler(testProperty<double>);
  if (decoder.expectOperands(2, 2)) {
    decoder.addResult(0, PtxType::Pred);
    decoder.addSource(1, type);
  }
  return true;
}

} // namespace

bool decodeCompare(InstructionDecoder &decoder) {
  if (decoder.name == "setp")
    return decodeSetPredicate(decoder);
  if (decoder.name == "selp")
    return decodeSelect(decoder);
  if (decoder.name == "slct")
    return decodeSelectBySign(decoder);
  if (decoder.name == "testp")
    return decodeTestProperty(decoder);
  return false;
}

} // namespace fastnorm::emulator
