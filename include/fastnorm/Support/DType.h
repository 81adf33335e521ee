//===- DType.h - Element types of host and device tensors -------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The storage types a graph may name, their sizes and spellings.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_SUPPORT_DTYPE_H
#define FASTNORM_SUPPORT_DTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace fastnorm {

enum class DType : uint8_t { F32, BF16, I32, I64 };

/// Bytes of one element.
int64_t byteWidth(DType dtype);

/// The spelling used in messages, Plan files and .mlir: "f32", "bf16", "i32", "i64".
std::string_view name(DType dtype);

/// The inverse of name(); nothing for an unknown spelling.
std::optional<DType> parseDType(std::string_view text);

/// True for i32 and i64.
bool isInteger(DType dtype);

/// bf16 bits of a value, rounded to nearest even. Every NaN becomes the quiet NaN 0x7fc0 with its sign.
uint16_t bf16FromF32(float value);

/// The exact f32 value of bf16 bits.
float f32FromBf16(uint16_t bits);

} // namespace fastnorm

#endif // FASTNORM_SUPPORT_DTYPE_H
