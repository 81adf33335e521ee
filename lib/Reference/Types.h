//===- Types.h - MLIR types and host tensors --------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_REFERENCE_TYPES_H
#define FASTNORM_LIB_REFERENCE_TYPES_H

#include "fastnorm/Support/DType.h"

#include "mlir/IR/BuiltinTypes.h"

#include <string>
#include <vector>

namespace fastnorm::reference {

/// Nothing for a type that no file and no buffer holds, such as i1.
std::optional<DType> dtypeOf(mlir::Type elementType);

/// Whether a shape is one of the type's: of its rank, and equal where the type is static.
bool fits(const std::vector<int64_t> &shape, mlir::RankedTensorType type);

/// An MLIR object as it prints.
template <typename T> std::string textOf(T object) {
  std::string text;
  llvm::raw_string_ostream(text) << object;
  return text;
}

} // namespace fastnorm::reference

#endif // FASTNORM_LIB_REFERENCE_TYPES_H
