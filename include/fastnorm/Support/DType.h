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
#include <string>
#include <string_view>

namespace fastnorm {

enum class DType : uint8_t { F32, BF16, F16, F8E4M3FN, I8, I32, I64 };

/// All of them, in the order in which messages list them.
inline constexpr DType kAllDTypes[] = {DType::F32, DType::BF16, DType::F16, DType::F8E4M3FN,
                                       DType::I8,  DType::I32,  DType::I64};

/// Bytes of one element.
int64_t byteWidth(DType dtype);

/// The spelling used in messages, Plan files and .mlir: "f32", "bf16", "f16", "f8E4M3FN", "i8", "i32", "i64".
std::string_view name(DType dtype);

/// The inverse of name(); nothing for an unknown spelling.
std::optional<DType> parseDType(std::string_view text);

/// "f32, bf16, f16, f8E4M3FN, i8, i32 or i64", for messages.
std::string allDTypeNames();

/// True for i8, i32 and i64.
bool isInteger(DType dtype);

/// True for the dtypes that a row index may have: i32 and i64.
bool isIndex(DType dtype);

/// bf16 bits of a value, rounded to nearest even. Every NaN becomes the quiet NaN 0x7fc0 with its sign.
uint16_t bf16FromF32(float value);

/// The exact f32 value of bf16 bits.
float f32FromBf16(uint16_t bits);

/// f16 bits of a value, rounded to nearest even; what rounds past 65504 becomes Inf. Every NaN becomes the quiet NaN
/// 0x7e00 with its sign.
uint16_t f16FromF32(float value);

/// The exact f32 value of f16 bits.
float f32FromF16(uint16_t bits);

/// f8E4M3FN bits of a value, rounded to nearest even and saturated: what lies past 448 becomes 448, Inf too, and every
/// NaN becomes 0x7f. This is what PTX calls cvt.rn.satfinite.
uint8_t f8E4M3FNFromF32(float value);

/// The exact f32 value of f8E4M3FN bits; 0x7f and 0xff are NaN, and there is no Inf.
float f32FromF8E4M3FN(uint8_t bits);

} // namespace fastnorm

#endif // FASTNORM_SUPPORT_DTYPE_H
