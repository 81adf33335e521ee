//===- DType.cpp - Element types of host and device tensors ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Support/DType.h"

#include <cstring>

namespace fastnorm {

int64_t byteWidth(DType dtype) {
  switch (dtype) {
  case DType::BF16: return 2;
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
  case DType::I32: return "i32";
  case DType::I64: return "i64";
  }
  return "unknown";
}

std::optional<DType> parseDType(std::string_view text) {
  for (DType dtype : {DType::F32, DType::BF16, DType::I32, DType::I64})
    if (text == name(dtype))
      return dtype;
  return std::nullopt;
}

bool isInteger(DType dtype) { return dtype == DType::I32 || dtype == DType::I64; }

uint16_t bf16FromF32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if ((bits & 0x7fffffffu) > 0x7f800000u)
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

} // namespace fastnorm
