//===- FloatFormats.cpp - f16 and bf16 on the host ------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rounding routine for every narrow format.
//
//===----------------------------------------------------------------------===//

#include "FloatFormats.h"

namespace fastnorm::emulator {

uint16_t narrowFromF64(double value, int exponentBits, int mantissaBits) {
  auto bits = bitsAs<uint64_t>(value);
  auto sign = uint16_t(bits >> 63 << 15);
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  int exponent = int(bits >> 52 & 0x7ff);
  uint16_t infinity = uint16_t(((1 << exponentBits) - 1) << mantissaBits);
  if (exponent == 0x7ff)
    return fraction ? canonicalNaN16 : uint16_t(sign | infinity);
  if (exponent == 0)
    return sign; // far below half of the smallest subnormal of any narrow format
  int bias = (1 << (exponentBits - 1)) - 1;
  int narrow = exponent - 1023 + bias; // the biased exponent in the narrow format, before rounding
  uint64_t significand = fraction | uint64_t(1) << 52;
  int shift = 52 - mantissaBits;
  if (narrow < 1) {
    shift += 1 - narrow;
    narrow = 0;
    if (shift > 54)
      return sign;
  }
  uint64_t kept = significand >> shift;
  uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // A carry out of the significand is a carry into the exponent, and out of the largest finite value it is infinity.
  uint64_t result = narrow == 0 ? kept : (uint64_t(narrow) << mantissaBits) + (kept - (uint64_t(1) << mantissaBits));
  return uint16_t(sign | (result >= infinity ? infinity : uint16_t(result)));
}

float f32OfF16(uint16_t bits) {
  uint32_t sign = uint32_t(bits >> 15) << 31;
  uint32_t exponent = bits >> 10 & 0x1f;
  uint32_t fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return bitsAs<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent == 0) {
    auto magnitude = float(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return bitsAs<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

} // namespace fastnorm::emulator
