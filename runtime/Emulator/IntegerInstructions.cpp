//===- IntegerInstructions.cpp - Integer arithmetic and logic -------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrapping arithmetic is done on unsigned types, where C++ defines it; what PTX
// leaves open (division by zero) gets the hardware's answer.
//
//===----------------------------------------------------------------------===//

#include "InstructionDecoder.h"
#include "IntegerShifts.h"
#include "Lanes.h"

namespace fastnorm::emulator {

namespace {

struct Add {
  template <typename T> static T apply(T a, T b) { return T(a + b); }
};
struct Subtract {
  template <typename T> static T apply(T a, T b) { return T(a - b); }
};
struct And {
  template <typename T> static T apply(T a, T b) { return T(a & b); }
};
struct Or {
  template <typename T> static T apply(T a, T b) { return T(a | b); }
};
struct Xor {
  template <typename T> static T apply(T a, T b) { return T(a ^ b); }
};
struct Min {
  template <typename T> static T apply(T a, T b) { return b < a ? b : a; }
};
struct Max {
  template <typename T> static T apply(T a, T b) { return a < b ? b : a; }
};
struct Not {
  template <typename T> static T apply(T a) { return T(~a); }
};
struct LogicalNot {
  template <typename T> static T apply(T a) { return T(a == 0); }
};
struct Negate {
  template <typename T> static T apply(T a) { return T(0 - a); }
};

struct Absolute {
  template <typename T> static T apply(T a) {
    using U = std::make_unsigned_t<T>;
    return a < 0 ? T(U(0) - U(a)) : a;
  }
};

struct MultiplyLow {
  template <typename T> static T apply(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
};

struct MultiplyHigh {
  template <typename T> static T apply(T a, T b) {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return T((Wide(a) * Wide(b)) >> bitsOf<T>);
  }
};

template <typename Wide> struct MultiplyWide {
  template <typename T> static Wide apply(T a, T b) { return Wide(Wide(a) * Wide(b)); }
};

template <typename Product> struct MultiplyAdd {
  template <typename T, typename C> static C apply(T a, T b, C c) {
    using U = std::make_unsigned_t<C>;
    return C(U(Product::apply(a, b)) + U(c));
  }
};

struct Divide {
  template <typename T> static T apply(T a, T b) {
    if (b == 0)
      return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1))
      return Negate::apply(std::make_unsigned_t<T>(a));
    return T(a / b);
  }
};

struct Remainder {
  template <typename T> static T apply(T a, T b) {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == T(-1))
      return 0;
    return T(a % b);
  }
};

template <typename Op> Handler unsignedBinary(PtxType type) {
  switch (bytesOf(type)) {
  case 2: return binary<uint16_t, uint16_t, uint16_t, Op>;
  case 4: return binary<uint32_t, uint32_t, uint32_t, Op>;
  case 8: return binary<uint64_t, uint64_t, uint64_t, Op>;
  default: return nullptr;
  }
}

template <typename Op> Handler signedBinary(PtxType type) {
  switch (type) {
  case PtxType::S16: return binary<int16_t, int16_t, int16_t, Op>;
  case PtxType::S32: return binary<int32_t, int32_t, int32_t, Op>;
  case PtxType::S64: return binary<int64_t, int64_t, int64_t, Op>;
  default: return unsignedBinary<Op>(type);
  }
}

template <typename Op> Handler signedUnary(PtxType type) {
  switch (type) {
  case PtxType::S16: return unary<int16_t, int16_t, Op>;
  case PtxType::S32: return unary<int32_t, int32_t, Op>;
  case PtxType::S64: return unary<int64_t, int64_t, Op>;
  default: return nullptr;
  }
}

template <typename Op> Handler unsignedUnary(PtxType type) {
  switch (bytesOf(type)) {
  case 2: return unary<uint16_t, uint16_t, Op>;
  case 4: return unary<uint32_t, uint32_t, Op>;
  case 8: return unary<uint64_t, uint64_t, Op>;
  default: return nullptr;
  }
}

template <typename Op> Handler shift(PtxType type) {
  switch (type) {
  case PtxType::S16: return binary<int16_t, int16_t, uint32_t, Op>;
  case PtxType::S32: return binary<int32_t, int32_t, uint32_t, Op>;
  case PtxType::S64: return binary<int64_t, int64_t, uint32_t, Op>;
  default: break;
  }
  switch (bytesOf(type)) {
  case 2: return binary<uint16_t, uint16_t, uint32_t, Op>;
  case 4: return binary<uint32_t, uint32_t, uint32_t, Op>;
  case 8: return binary<uint64_t, uint64_t, uint32_t, Op>;
  default: return nullptr;
  }
}

/// The type one step wider, for mul.wide and mad.wide.
PtxType widened(PtxType type) {
  switch (type) {
  case PtxType::U16: return PtxType::U32;
  case PtxType::S16: return PtxType::S32;
  case PtxType::S32: return PtxType::S64;
  default: return PtxType::U64;
  }
}

bool decodeMultiply(InstructionDecoder &decoder) {
  bool wide = decoder.take("wide"), high = decoder.take("hi"), add = decoder.name == "mad";
  decoder.take("lo");
  PtxType type = decoder.takeType();
  if (!decoder.expectOperands(add ? 4 : 3, add ? 4 : 3))
    return true;
  Handler run = nullptr;
  if (!add)
    run = high ? signedBinary<MultiplyHigh>(type) : unsignedBinary<MultiplyLow>(type);
  else if (type == PtxType::S32 && high)
    run = ternary<int32_t, int32_t, int32_t, int32_t, MultiplyAdd<MultiplyHigh>>;
  else if (type == PtxType::U32 && high)
    run = ternary<uint32_t, uint32_t, uint32_t, uint32_t, MultiplyAdd<MultiplyHigh>>;
  else if (!high && bytesOf(type) == 2)
    run = ternary<uint16_t, uint16_t, uint16_t, uint16_t, MultiplyAdd<MultiplyLow>>;
  else if (!high && bytesOf(type) == 4)
    run = ternary<uint32_t, uint32_t, uint32_t, uint32_t, MultiplyAdd<MultiplyLow>>;
  else if (!high && bytesOf(type) == 8)
    run = ternary<uint64_t, uint64_t, uint64_t, uint64_t, MultiplyAdd<MultiplyLow>>;
  if (wide) {
    switch (type) {
    case PtxType::U16:
      run = add ? Handler(ternary<uint32_t, uint16_t, uint16_t, uint32_t, MultiplyAdd<MultiplyWide<uint32_t>>>)
                : binary<uint32_t, uint16_t, uint16_t, MultiplyWide<uint32_t>>;
      break;
    case PtxType::S16:
      run = add ? Handler(ternary<int32_t, int16_t, int16_t, int32_t, MultiplyAdd<MultiplyWide<int32_t>>>)
                : binary<int32_t, int16_t, int16_t, MultiplyWide<int32_t>>;
      break;
    case PtxType::U32:
      run = add ? Handler(ternary<uint64_t, uint32_t, uint32_t, uint64_t, MultiplyAdd<MultiplyWide<uint64_t>>>)
                : binary<uint64_t, uint32_t, uint32_t, MultiplyWide<uint64_t>>;
      break;
    case PtxType::S32:
      run = add ? Handler(ternary<int64_t, int32_t, int32_t, int64_t, MultiplyAdd<MultiplyWide<int64_t>>>)
                : binary<int64_t, int32_t, int32_t, MultiplyWide<int64_t>>;
      break;
    default: run = nullptr;
    }
  }
  if (!run || isFloat(type))
    return decoder.unsupportedType(type), true;
  PtxType resultType = wide ? widened(type) : type;
  decoder.result.run = run;
  decoder.addResult(0, resultType);
  decoder.addSource(1, type);
  decoder.addSource(2, type);
  if (add)
    decoder.addSource(3, resultType);
  return true;
}

void logicPredicates(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t a = *warp.lanes<uint32_t>(instruction.operands[1]);
  uint32_t b = instruction.operandCount > 2 ? *warp.lanes<uint32_t>(instruction.operands[2]) : 0;
  uint32_t bits = instruction.mode == 'a'   ? a & b
                  : instruction.mode == 'o' ? a | b
                  : instruction.mode == 'x' ? a ^ b
                                            : ~a;
  storePredicate(warp, instruction.operands[0], mask, bits);
}

} // namespace

bool decodeInteger(InstructionDecoder &decoder) {
  const std::string &name = decoder.name;
  std::string_view typeName = std::string_view(decoder.source.opcode).substr(decoder.source.opcode.rfind('.') + 1);
  std::optional<PtxType> type = parsePtxType(typeName);
  if (!type || isFloat(*type))
    return false;
  if (name == "mul" || name == "mad")
    return decodeMultiply(decoder);
  Handler run = nullptr;
  size_t typed = 2, plain = 0;
  if (name == "add")
    run = unsignedBinary<Add>(*type);
  else if (name == "sub")
    run = unsignedBinary<Subtract>(*type);
  else if (name == "and")
    run = unsignedBinary<And>(*type);
  else if (name == "or")
    run = unsignedBinary<Or>(*type);
  else if (name == "xor")
    run = unsignedBinary<Xor>(*type);
  else if (name == "min")
    run = signedBinary<Min>(*type);
  else if (name == "max")
    run = signedBinary<Max>(*type);
  else if (name == "div")
    run = signedBinary<Divide>(*type);
  else if (name == "rem")
    run = signedBinary<Remainder>(*type);
  else if (name == "not")
    run = unsignedUnary<Not>(*type), typed = 1;
  else if (name == "cnot")
    run = unsignedUnary<LogicalNot>(*type), typed = 1;
  else if (name == "neg")
    run = unsignedUnary<Negate>(*type), typed = 1;
  else if (name == "abs")
    run = signedUnary<Absolute>(*type), typed = 1;
  else if (name == "shl")
    run = shift<ShiftLeft>(*type), typed = plain = 1;
  else if (name == "shr")
    run = shift<ShiftRight>(*type), typed = plain = 1;
  else
    return false;
  decoder.takeType();
  bool isLogic = name == "and" || name == "or" || name == "xor" || name == "not";
  if (*type == PtxType::Pred && isLogic) {
    run = logicPredicates;
    decoder.result.mode = uint8_t(name[0]);
  }
  if (!run)
    return decoder.unsupportedType(*type), true;
  decoder.result.run = run;
  decoder.addOperands(*type, *type, typed, plain);
  return true;
}

} // namespace fastnorm::emulator
