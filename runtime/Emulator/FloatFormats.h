//===- FloatFormats.h - f16 and bf16 on the host ----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions by integer arithmetic, rounded to nearest even, so that every host
// agrees. A NaN becomes PTX's canonical one.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_FLOATFORMATS_H
#define FASTNORM_RUNTIME_EMULATOR_FLOATFORMATS_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace fastnorm::emulator {

template <typename To, typename From> inline To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

constexpr uint16_t canonicalNaN16 = 0x7fff;
constexpr uint32_t canonicalNaN32 = 0x7fffffff;

/// An f64 rounded to a narrower format, as its bits. Direct, since going through f32 would round twice.
uint16_t narrowFromF64(double value, int exponentBits, int mantissaBits);

inline uint16_t bf16Bits(float value) {
  auto bits = bitsAs<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (bits & 0x7fffffff) > 0x7f800000 ? canonicalNaN16 : uint16_t(rounded);
}

inline float f32OfBf16(uint16_t bits) { return bitsAs<float>(uint32_t(bits) << 16); }

inline uint16_t f16Bits(double value) { return narrowFromF64(value, 5, 10); }

float f32OfF16(uint16_t bits);

/// The storage types, with what arithmetic needs: an exact value, and rounding from f32 or f64.
struct Bf16 {
  uint16_t bits;
  float value() const { return f32OfBf16(bits); }
  static Bf16 round(float value) { return {bf16Bits(value)}; }
  static Bf16 round(double value) { return {narrowFromF64(value, 8, 7)}; }
  static constexpr uint16_t one = 0x3f80;
};

struct F16 {
  uint16_t bits;
  float value() const { return f32OfF16(bits); }
  static F16 round(float value) { return {f16Bits(value)}; }
  static F16 round(double value) { return {f16Bits(value)}; }
  static constexpr uint16_t one = 0x3c00;
};

/// Two in one register; the low half is the first.
template <typename T> struct Pair {
  T low, high;
};

/// Applies an operation to both halves.
template <typename Op> struct Both {
  template <typename T, typename... Rest> static Pair<T> apply(Pair<T> a, Rest... rest) {
    return {Op::apply(a.low, rest.low...), Op::apply(a.high, rest.high...)};
  }
};

/// a + b rounded to odd: a further rounding to any format at least two bits narrower is then the only one that counts.
inline double addRoundToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  double bPart = sum - a;
  double error = (a - (sum - bPart)) + (b - bPart);
  auto bits = bitsAs<uint64_t>(sum);
  if (error == 0 || (bits & 1))
    return sum;
  // Truncate towards the exact sum and set the last bit: the odd neighbour on the error's side.
  bool away = (error > 0) == (sum > 0);
  return bitsAs<double>(away ? bits + 1 : bits - 1);
}

inline float flushSubnormal(float value) {
  auto bits = bitsAs<uint32_t>(value);
  return (bits & 0x7f800000) == 0 ? bitsAs<float>(bits & 0x80000000) : value;
}

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_FLOATFORMATS_H
