//===- LaunchAttributes.h - What a launch says beside its operands -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_CONVERSION_LAUNCHATTRIBUTES_H
#define FASTNORM_CONVERSION_LAUNCHATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace fastnorm {

/// The schedule of the kernel, for people.
inline constexpr llvm::StringLiteral kLaunchScheduleAttr = "fastnorm.schedule";
/// Unit: the launch may begin while the one before it drains, and its kernel waits for it.
inline constexpr llvm::StringLiteral kLaunchDependentAttr = "fastnorm.dependent";
/// Distinct bytes as [fixed, per row].
inline constexpr llvm::StringLiteral kReadBytesAttr = "fastnorm.read_bytes";
inline constexpr llvm::StringLiteral kWrittenBytesAttr = "fastnorm.written_bytes";
/// The rows those are counted for: a symbol's name or a number.
inline constexpr llvm::StringLiteral kLaunchRowsAttr = "fastnorm.rows";

/// On a GPU module: the PTX version, times ten, that its instructions need at least.
inline constexpr llvm::StringLiteral kPtxVersionAttr = "fastnorm.ptx_version";

} // namespace fastnorm

#endif // FASTNORM_CONVERSION_LAUNCHATTRIBUTES_H
