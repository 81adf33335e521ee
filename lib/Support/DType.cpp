//===- DType.cpp - Element types of host and device tensors ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Support/DType.h"

#include <cmath>
#include <cstring>

namespace fastnorm {

namespace {

constexpr uint32_t kF32Infinity = 0x7f800000u;
constexpr int kF32MantissaBits = 23;
constexpr int kF32Bias = 127;

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// The bits of a finite f32 magnitude in a narrower format, rounded to nearest even. Exponents past the format's
/// largest are written as if it had more, so that the caller sees an overflow as a large number.
uint32_t narrowMagnitude(uint32_t magnitude, int mantissaBits, int bias) {
  int exponent = static_cast<int>(magnitude >> kF32MantissaBits) - kF32Bias + bias;
  uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  // Below the smallest normal number the place of the last bit stays where it is.
  int cut = kF32MantissaBits - mantissaBits + (exponent < 1 ? 1 - exponent : 0);
  if (cut > kF32MantissaBits + 1)
    return 0;
  uint32_t kept = significand >> cut;
  uint32_t rest = significand & ((1u << cut) - 1);
  uint32_t half = 1u << (cut - 1);
  if (rest > half || (rest == half && (kept & 1u) != 0))
    ++kept;
  // A normal number keeps its leading one, which counts as one in the exponent; so does a carry out of the mantissa.
  uint32_t below = exponent > 1 ? static_cast<uint32_t>(exponent - 1) << mantissaBits : 0;
  return below + kept;
}

/// The value of the magnitude bits of a narrower format, none of them Inf or NaN.
float widenMagnitude(uint32_t magnitude, int mantissaBits, int bias) {
  int exponent = static_cast<int>(magnitude >> mantissaBits);
  uint32_t mantissa = magnitude & ((1u << mantissaBits) - 1);
  if (exponent != 0)
    mantissa |= 1u << mantissaBits;
  return std::ldexp(static_cast<float>(mantissa), (exponent != 0 ? exponent : 1) - bias - mantissaBits);
}

constexpr int kF16MantissaBits = 10;
constexpr int kF16Bias = 15;
constexpr uint32_t kF16Infinity = 0x7c00u;

constexpr int kF8MantissaBits = 3;
constexpr int kF8Bias = 7;
constexpr uint32_t kF8Largest = 0x7eu; // 448
constexpr uint32_t kF8Nan = 0x7fu;

} // namespace

int64_t byteWidth(DType dtype) {
  switch (dtype) {
  case DType::F8E4M3FN:
  case DType::I8: return 1;
  case DType::BF16:
  case DType::F16: return 2;
  case DType::F32:
  case DType::I32: return 4;
  case DType::I64: return 8;
  }
  return 0;
}

std::string_view name(DType dtype) {
  switch (dtype) {
  case DType::F32: return "f32";
  case DType::BF16: return "bf16";
  case DType::F16: return "f16";
  case DType::F8E4M3FN: return "f8E4M3FN";
  case DType::I8: return "i8";
  case DType::I32: return "i32";
  case DType::I64: return "i64";
  }
  return "unknown";
}

std::optional<DType> parseDType(std::string_view text) {
  for (DType dtype : kAllDTypes)
    if (text == name(dtype))
      return dtype;
  return std::nullopt;
}

std::string allDTypeNames() {
  std::string text;
  for (DType dtype : kAllDTypes) {
    if (dtype != kAllDTypes[0])
      text += dtype == DType::I64 ? " or " : ", ";
    text += name(dtype);
  }
  return text;
}

bool isInteger(DType dtype) { return dtype == DType::I8 || isIndex(dtype); }

bool isIndex(DType dtype) { return dtype == DType::I32 || dtype == DType::I64; }

uint16_t bf16FromF32(float value) {
  uint32_t bits = bitsOf(value);
  if ((bits & 0x7fffffffu) > kF32Infinity)
    return static_cast<uint16_t>(((bits >> 16) & 0x8000u) | 0x7fc0u);
  // Adding just under half of the last kept place, and one more where that place is odd, rounds to nearest even; a
  // carry out of the mantissa lands in the exponent, where it belongs.
  uint32_t lastKeptBit = (bits >> 16) & 1u;
  return static_cast<uint16_t>((bits + 0x7fffu + lastKeptBit) >> 16);
}

float f32FromBf16(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

uint16_t f16FromF32(float value) {
  uint32_t sign = (bitsOf(value) >> 16) & 0x8000u;
  uint32_t magnitude = bitsOf(value) & 0x7fffffffu;
  if (magnitude > kF32Infinity)
    return static_cast<uint16_t>(sign | 0x7e00u);
  uint32_t narrow = narrowMagnitude(magnitude, kF16MantissaBits, kF16Bias);
  return static_cast<uint16_t>(sign | (narrow < kF16Infinity ? narrow : kF16Infinity));
}

float f32FromF16(uint16_t bits) {
  uint32_t magnitude = bits & 0x7fffu;
  uint32_t sign = (bits & 0x8000u) << 16;
  // Inf and NaN keep their payload.
  uint32_t wide = magnitude >= kF16Infinity
                      ? kF32Infinity | (magnitude & 0x3ffu) << (kF32MantissaBits - kF16MantissaBits)
                      : bitsOf(widenMagnitude(magnitude, kF16MantissaBits, kF16Bias));
  wide |= sign;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

uint8_t f8E4M3FNFromF32(float value) {
  uint32_t sign = (bitsOf(value) >> 24) & 0x80u;
  uint32_t magnitude = bitsOf(value) & 0x7fffffffu;
  if (magnitude > kF32Infinity)
    return static_cast<uint8_t>(kF8Nan);
  uint32_t narrow = narrowMagnitude(magnitude, kF8MantissaBits, kF8Bias);
  return static_cast<uint8_t>(sign | (narrow < kF8Largest ? narrow : kF8Largest));
}

float f32FromF8E4M3FN(uint8_t bits) {
  uint32_t magnitude = bits & 0x7fu;
  if (magnitude == kF8Nan)
    return std::nanf("");
  float value = widenMagnitude(magnitude, kF8MantissaBits, kF8Bias);
  return (bits & 0x80u) != 0 ? -value : value;
}

} // namespace fastnorm
