//===- ConvertInstructions.cpp - cvt and cvta -----------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversions that norm kernels run per element have handlers of their own;
// all others go through one that reads types at run time.
//
//===----------------------------------------------------------------------===//

#include "FloatFormats.h"
#include "InstructionDecoder.h"
#include "Lanes.h"

#include "fastnorm/Support/DType.h"

#include <limits>

namespace fastnorm::emulator {

namespace {

enum class Rounding : uint8_t { Nearest, Zero, Down, Up, NearestInteger, ZeroInteger, DownInteger, UpInteger, None };

/// A value of any type on its way: integers exactly, floats as f64.
struct Passing {
  bool isFloat = false;
  __int128 integer = 0;
  double real = 0;
};

/// The general handler finds in an instruction: the source type in mode, the result type in elementBytes, the rounding
/// in elementCount, and in offset these flags and, a byte each, what the result's and the source's registers measure.
constexpr uint32_t Saturate = 1, Flush = 2, Relu = 4;

Passing readSource(const std::byte *lanes, uint8_t registerBytes, unsigned lane, PtxType type) {
  uint64_t bits = 0;
  std::memcpy(&bits, lanes + lane * registerBytes, std::min<size_t>(registerBytes, sizeof(bits)));
  Passing value;
  value.isFloat = isFloat(type);
  switch (type) {
  case PtxType::F32: value.real = bitsAs<float>(uint32_t(bits)); break;
  case PtxType::F64: value.real = bitsAs<double>(bits); break;
  case PtxType::F16: value.real = f32OfF16(uint16_t(bits)); break;
  case PtxType::BF16: value.real = f32OfBf16(uint16_t(bits)); break;
  case PtxType::S8: value.integer = int8_t(bits); break;
  case PtxType::S16: value.integer = int16_t(bits); break;
  case PtxType::S32: value.integer = int32_t(bits); break;
  case PtxType::S64: value.integer = int64_t(bits); break;
  case PtxType::U8: value.integer = uint8_t(bits); break;
  case PtxType::U16: value.integer = uint16_t(bits); break;
  case PtxType::U32: value.integer = uint32_t(bits); break;
  default: value.integer = bits; break;
  }
  return value;
}

double roundToInteger(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestInteger: return std::nearbyint(value); // the host's mode is to nearest even
  case Rounding::ZeroInteger: return std::trunc(value);
  case Rounding::DownInteger: return std::floor(value);
  case Rounding::UpInteger: return std::ceil(value);
  default: return value;
  }
}

uint64_t clampToInteger(__int128 value, PtxType type) {
  unsigned bits = bytesOf(type) * 8;
  __int128 least = isSigned(type) ? -(__int128(1) << (bits - 1)) : 0;
  __int128 most = (__int128(1) << (isSigned(type) ? bits - 1 : bits)) - 1;
  return uint64_t(value < least ? least : value > most ? most : value);
}

uint64_t integerFromFloat(double value, PtxType type) {
  // NaN becomes 0, or the most negative value in 64 bits.
  if (std::isnan(value))
    return bytesOf(type) == 8 ? uint64_t(1) << 63 : 0;
  if (std::fabs(value) >= 0x1p65)
    return clampToInteger(value < 0 ? -(__int128(1) << 100) : __int128(1) << 100, type);
  return clampToInteger(__int128(value), type);
}

/// An f64 on the right side of an integer for any later rounding to a narrower format.
double doubleFromInteger(__int128 value) {
  auto magnitude = uint64_t(value < 0 ? -value : value);
  // The high part has at most 53 bits, so the sum is the only rounding.
  double high = double(magnitude & ~uint64_t(0x7ff)), low = double(magnitude & 0x7ff);
  double sum = addRoundToOdd(high, low);
  return value < 0 ? -sum : sum;
}

float floatFromDouble(double value, Rounding rounding) {
  auto nearest = float(value);
  if (std::isnan(value) || double(nearest) == value || rounding == Rounding::Nearest || rounding == Rounding::None)
    return nearest;
  bool roundsDown = rounding == Rounding::Down || (rounding == Rounding::Zero && value > 0);
  if (roundsDown)
    return double(nearest) > value ? std::nextafter(nearest, -std::numeric_limits<float>::infinity()) : nearest;
  return double(nearest) < value ? std::nextafter(nearest, std::numeric_limits<float>::infinity()) : nearest;
}

uint64_t writeFloat(double value, PtxType type, Rounding rounding, uint32_t flags) {
  value = roundToInteger(value, rounding);
  if (flags & Saturate)
    value = value > 0 ? std::min(value, 1.0) : 0.0;
  if ((flags & Relu) && value < 0)
    value = 0;
  switch (type) {
  case PtxType::F64: return bitsAs<uint64_t>(value);
  case PtxType::F16: return f16Bits(value);
  case PtxType::BF16: return narrowFromF64(value, 8, 7);
  default: {
    if (std::isnan(value))
      return canonicalNaN32;
    float narrow = floatFromDouble(value, rounding);
    return bitsAs<uint32_t>(flags & Flush ? flushSubnormal(narrow) : narrow);
  }
  }
}

uint64_t convert(Passing value, PtxType type, Rounding rounding, uint32_t flags) {
  if (!isFloat(type)) {
    if (value.isFloat)
      return integerFromFloat(roundToInteger(value.real, rounding), type);
    return flags & Saturate ? clampToInteger(value.integer, type) : uint64_t(value.integer);
  }
  if (value.isFloat)
    return writeFloat(value.real, type, rounding, flags);
  if (type == PtxType::F64)
    return bitsAs<uint64_t>(value.integer < 0 ? double(int64_t(value.integer)) : double(uint64_t(value.integer)));
  return writeFloat(doubleFromInteger(value.integer), type, rounding, flags);
}

/// The result as a value of a register that may be wider than its type.
uint64_t extend(uint64_t bits, PtxType type) {
  switch (type) {
  case PtxType::S8: return uint64_t(int64_t(int8_t(bits)));
  case PtxType::S16: return uint64_t(int64_t(int16_t(bits)));
  case PtxType::S32: return uint64_t(int64_t(int32_t(bits)));
  default: break;
  }
  unsigned width = bytesOf(type) * 8;
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

void convertAny(Warp &warp, const Instruction &instruction, uint32_t mask) {
  auto resultType = PtxType(instruction.elementBytes);
  auto rounding = Rounding(instruction.elementCount);
  auto flags = uint32_t(instruction.offset & 0xff);
  auto resultBytes = uint8_t(instruction.offset >> 8), sourceBytes = uint8_t(instruction.offset >> 16);
  auto *result = warp.lanes<std::byte>(instruction.operands[0]);
  const auto *source = warp.lanes<std::byte>(instruction.operands[1]);
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    Passing value = readSource(source, sourceBytes, lane, PtxType(instruction.mode));
    if ((flags & Flush) && PtxType(instruction.mode) == PtxType::F32)
      value.real = flushSubnormal(float(value.real));
    uint64_t bits = extend(convert(value, resultType, rounding, flags), resultType);
    std::memcpy(result + lane * resultBytes, &bits, resultBytes);
  }
}

struct Resize {
  template <typename T> static T apply(T a) { return a; }
};
struct Bf16ToF32 {
  static float apply(uint16_t a) { return f32OfBf16(a); }
};
struct F32ToBf16 {
  static uint16_t apply(float a) { return bf16Bits(a); }
};
struct F32PairToBf16 {
  /// The first source is the upper half.
  static uint32_t apply(float high, float low) { return uint32_t(bf16Bits(high)) << 16 | bf16Bits(low); }
};
struct F16ToF32 {
  static float apply(uint16_t a) { return f32OfF16(a); }
};
struct F32ToF16 {
  static uint16_t apply(float a) { return f16Bits(a); }
};
struct F32PairToF16 {
  static uint32_t apply(float high, float low) { return uint32_t(f16Bits(high)) << 16 | f16Bits(low); }
};
struct F32PairToE4M3 {
  static uint16_t apply(float high, float low) { return uint16_t(f8E4M3FNFromF32(high) << 8 | f8E4M3FNFromF32(low)); }
};
template <typename Op> struct Rectified {
  static auto apply(float high, float low) { return Op::apply(high < 0 ? 0 : high, low < 0 ? 0 : low); }
};
struct F16PairToE4M3 {
  static uint16_t apply(Pair<F16> a) { return F32PairToE4M3::apply(a.high.value(), a.low.value()); }
};
/// Exact, but for the NaN, which is PTX's canonical one.
struct E4M3PairToF16 {
  static uint32_t apply(uint16_t a) {
    return F32PairToF16::apply(f32FromF8E4M3FN(uint8_t(a >> 8)), f32FromF8E4M3FN(uint8_t(a)));
  }
};
struct U32ToF32 {
  static float apply(uint32_t a) { return float(a); }
};
struct S16ToF32 {
  static float apply(int16_t a) { return float(a); }
};
struct S32ToF32 {
  static float apply(int32_t a) { return float(a); }
};

struct Types {
  PtxType result, source;
};

/// Handlers for conversions between registers of just their types, plain rounding; null for others.
Handler chooseFast(Types types) {
  auto is = [&](PtxType result, PtxType source) { return types.result == result && types.source == source; };
  if (is(PtxType::F32, PtxType::BF16))
    return unary<float, uint16_t, Bf16ToF32>;
  if (is(PtxType::BF16, PtxType::F32))
    return unary<uint16_t, float, F32ToBf16>;
  if (is(PtxType::F32, PtxType::F16))
    return unary<float, uint16_t, F16ToF32>;
  if (is(PtxType::F16, PtxType::F32))
    return unary<uint16_t, float, F32ToF16>;
  if (is(PtxType::F32, PtxType::S16))
    return unary<float, int16_t, S16ToF32>;
  if (is(PtxType::F32, PtxType::U32))
    return unary<float, uint32_t, U32ToF32>;
  if (is(PtxType::F32, PtxType::S32))
    return unary<float, int32_t, S32ToF32>;
  bool from32 = bytesOf(types.source) == 4 && !isFloat(types.source);
  bool from64 = bytesOf(types.source) == 8 && !isFloat(types.source);
  if (from32 && bytesOf(types.result) == 8 && !isFloat(types.result))
    return isSigned(types.source) ? unary<int64_t, int32_t, Resize> : Handler(unary<uint64_t, uint32_t, Resize>);
  if (from64 && bytesOf(types.result) == 4 && !isFloat(types.result))
    return unary<uint32_t, uint64_t, Resize>;
  return nullptr;
}

Rounding takeRounding(InstructionDecoder &decoder) {
  constexpr std::string_view names[] = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"};
  for (size_t i = 0; i < std::size(names); ++i)
    if (decoder.take(names[i]))
      return Rounding(i);
  return Rounding::None;
}

/// The handler of a conversion to or from two narrow floats in one register; null for others.
Handler choosePair(Types types, bool saturates, bool relu) {
  auto is = [&](PtxType result, PtxType source) { return types.result == result && types.source == source; };
  if (is(PtxType::E4M3x2, PtxType::F32) && saturates)
    return relu ? binary<uint16_t, float, float, Rectified<F32PairToE4M3>>
                : Handler(binary<uint16_t, float, float, F32PairToE4M3>);
  if (is(PtxType::E4M3x2, PtxType::F16x2) && saturates && !relu)
    return unary<uint16_t, Pair<F16>, F16PairToE4M3>;
  if (saturates)
    return nullptr;
  if (is(PtxType::F16x2, PtxType::E4M3x2) && !relu)
    return unary<uint32_t, uint16_t, E4M3PairToF16>;
  if (is(PtxType::BF16x2, PtxType::F32))
    return relu ? binary<uint32_t, float, float, Rectified<F32PairToBf16>>
                : Handler(binary<uint32_t, float, float, F32PairToBf16>);
  if (is(PtxType::F16x2, PtxType::F32))
    return relu ? binary<uint32_t, float, float, Rectified<F32PairToF16>>
                : Handler(binary<uint32_t, float, float, F32PairToF16>);
  return nullptr;
}

void decodePair(InstructionDecoder &decoder, PtxType type, Rounding rounding, bool relu) {
  bool saturates = decoder.take("satfinite");
  PtxType sourceType = decoder.takeType();
  if (rounding == Rounding::Nearest)
    decoder.result.run = choosePair({type, sourceType}, saturates, relu);
  if (!decoder.result.run) {
    decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
    return;
  }
  decoder.addOperands(type, sourceType, sourceType == PtxType::F32 ? 2 : 1);
}

void decodeCvt(InstructionDecoder &decoder) {
  Rounding rounding = takeRounding(decoder);
  uint32_t flags =
      (decoder.take("sat") ? Saturate : 0u) | (decoder.take("ftz") ? Flush : 0u) | (decoder.take("relu") ? Relu : 0u);
  PtxType type = decoder.takeType();
  if (type == PtxType::BF16x2 || type == PtxType::F16x2 || type == PtxType::E4M3x2)
    return decodePair(decoder, type, rounding, flags & Relu);
  PtxType sourceType = decoder.takeType();
  bool narrowRounds = (type == PtxType::F16 || type == PtxType::BF16) &&
                      (rounding == Rounding::Zero || rounding == Rounding::Down || rounding == Rounding::Up);
  auto unusable = [](PtxType t) {
    return t == PtxType::Pred || t == PtxType::B128 || t == PtxType::F16x2 || t == PtxType::F32x2 ||
           t == PtxType::BF16x2 || t == PtxType::E4M3x2;
  };
  if (unusable(type) || unusable(sourceType) || narrowRounds) {
    decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
    return;
  }
  if (!decoder.expectOperands(2, 2))
    return;
  const PtxOperand &target = decoder.source.operands[0], &source = decoder.source.operands[1];
  decoder.addResult(target, bytesOf(type), true);
  decoder.addSource(source, sourceType, true);
  uint8_t resultBytes = decoder.registerBytes(target), sourceBytes = decoder.registerBytes(source);
  resultBytes = resultBytes ? resultBytes : bytesOf(type);
  sourceBytes = sourceBytes ? sourceBytes : bytesOf(sourceType);
  bool plain = flags == 0 && (rounding == Rounding::None || rounding == Rounding::Nearest) &&
               resultBytes == bytesOf(type) && sourceBytes == bytesOf(sourceType);
  if (plain)
    decoder.result.run = chooseFast({type, sourceType});
  if (decoder.result.run)
    return;
  decoder.result.run = convertAny;
  decoder.result.mode = uint8_t(sourceType);
  decoder.result.elementBytes = uint8_t(type);
  decoder.result.elementCount = uint8_t(rounding);
  decoder.result.offset = flags | int64_t(resultBytes) << 8 | int64_t(sourceBytes) << 16;
}

/// Adds or takes away the window that marks a generic address.
template <typename T> void shiftWindow(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const T *a = warp.lanes<T>(instruction.operands[1]);
  auto window = T(instruction.offset);
  storeLanes(warp.lanes<T>(instruction.operands[0]), mask, [&](unsigned lane) { return T(a[lane] + window); });
}

void decodeCvta(InstructionDecoder &decoder) {
  bool toSpace = decoder.take("to");
  bool isShared = decoder.take("shared") || decoder.take("shared::cta") || decoder.take("shared::cluster"),
       isLocal = decoder.take("local");
  if (!isShared && !isLocal && !decoder.take("global") && !decoder.take("const") && !decoder.take("param"))
    decoder.fail("expected 'cvta' to name a state space");
  PtxType type = decoder.takeType();
  if (type != PtxType::U64) {
    decoder.unsupportedType(type);
    return;
  }
  uint64_t window = isShared ? sharedWindow : isLocal ? localWindow : 0;
  decoder.result.offset = int64_t(toSpace ? 0 - window : window);
  decoder.result.run = shiftWindow<uint64_t>;
  if (decoder.expectOperands(2, 2)) {
    decoder.addResult(0, type);
    decoder.addSource(1, type);
  }
}

} // namespace

bool decodeConvert(InstructionDecoder &decoder) {
  if (decoder.name == "cvt")
    return decodeCvt(decoder), true;
  if (decoder.name == "cvta")
    return decodeCvta(decoder), true;
  return false;
}

} // namespace fastnorm::emulator
