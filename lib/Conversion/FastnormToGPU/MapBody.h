//===- MapBody.h - A map's scalar body on scalars and vectors -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_MAPBODY_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_MAPBODY_H

#include "fastnorm/IR/KernelOps.h"

namespace fastnorm {

/// Repeats the scalar body of a map at the builder's place, one op for all elements of a vector. `operands` are scalars
/// or vectors of `width` elements; a scalar stands for all elements. A width of 0 makes everything scalar. The target
/// decides how conversions are made, `forms` (by operand; none: 0) in which form operands are widened.
mlir::Value emitMapBody(mlir::OpBuilder &builder, MapOp map, llvm::ArrayRef<mlir::Value> operands, int64_t width,
                        TargetAttr target, llvm::ArrayRef<int64_t> forms = {});

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_MAPBODY_H
