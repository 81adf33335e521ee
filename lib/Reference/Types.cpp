//===- Types.cpp - MLIR types and host tensors ----------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Types.h"

using namespace mlir;
using namespace fastnorm;

std::optional<DType> reference::dtypeOf(Type elementType) {
  if (elementType.isF32())
    return DType::F32;
  if (elementType.isBF16())
    return DType::BF16;
  if (elementType.isF16())
    return DType::F16;
  if (isa<Float8E4M3FNType>(elementType))
    return DType::F8E4M3FN;
  if (elementType.isInteger(8))
    return DType::I8;
  if (elementType.isInteger(32))
    return DType::I32;
  if (elementType.isInteger(64))
    return DType::I64;
  return std::nullopt;
}

bool reference::fits(const std::vector<int64_t> &shape, RankedTensorType type) {
  return static_cast<int64_t>(shape.size()) == type.getRank() &&
         llvm::all_of(llvm::zip(shape, type.getShape()), [](auto pair) {
           return ShapedType::isDynamic(std::get<1>(pair)) || std::get<0>(pair) == std::get<1>(pair);
         });
}
