//===- Dialect.h - The fastnorm dialect and its attributes -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_IR_DIALECT_H
#define FASTNORM_IR_DIALECT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include <optional>
#include <string>

#include "fastnorm/IR/Enums.h.inc"

#include "fastnorm/IR/Dialect.h.inc"

#include "mlir/IR/TensorEncoding.h"

#define GET_ATTRDEF_CLASSES
#include "fastnorm/IR/Attributes.h.inc"

namespace fastnorm {

/// The attributes of functions and modules, by their full names.
inline constexpr llvm::StringLiteral kNameAttr = "fastnorm.name";
inline constexpr llvm::StringLiteral kSymbolsAttr = "fastnorm.symbols";
inline constexpr llvm::StringLiteral kResultAttr = "fastnorm.result";
inline constexpr llvm::StringLiteral kTiedAttr = "fastnorm.tied";
inline constexpr llvm::StringLiteral kIndexesAttr = "fastnorm.indexes";
/// Unit: the dimension of 1 that a tensor begins with is not the caller's, who has a row of rank 1.
inline constexpr llvm::StringLiteral kSingleRowAttr = "fastnorm.single_row";
/// Unit: an argument or result without a gradient.
inline constexpr llvm::StringLiteral kNoGradientAttr = "fastnorm.no_gradient";
/// Array of strings: the arguments, by name, whose gradient a result is.
inline constexpr llvm::StringLiteral kGradientOfAttr = "fastnorm.gradient_of";
inline constexpr llvm::StringLiteral kTargetAttr = "fastnorm.target";
/// Array of RangeAttr: the symbol values that a function serves; without it, all.
inline constexpr llvm::StringLiteral kRangesAttr = "fastnorm.ranges";
/// i64: bytes that the bases and row strides of a function's operands are multiples of, 16 or 1; without it, 16.
inline constexpr llvm::StringLiteral kAlignmentAttr = "fastnorm.alignment";
/// String: the graph that a function is a variant of; without it, the function itself.
inline constexpr llvm::StringLiteral kVariantOfAttr = "fastnorm.variant_of";

/// Elements of a row at most: offsets within a row are 32-bit byte counts with room to spare.
inline constexpr int64_t kMostHidden = int64_t(1) << 24;
/// Slots of a token at most: they are unrolled.
inline constexpr int64_t kMostSlots = 64;

/// The strides of a tensor in elements: those of its encoding, else dense and row-major.
llvm::SmallVector<int64_t> stridesOf(mlir::RankedTensorType type);

/// Whether files and operands may hold tensors of an element type: f32, bf16, f16, f8E4M3FN, i8, i32 and i64.
bool isStorable(mlir::Type element);

/// The target of the module that an op is or stands in; where it has none, a diagnostic that says which pass sets it.
mlir::FailureOr<TargetAttr> requireTarget(mlir::Operation *op);

} // namespace fastnorm

#endif // FASTNORM_IR_DIALECT_H
