//===- ElementConversions.h - Between storage and f32 -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ELEMENTCONVERSIONS_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ELEMENTCONVERSIONS_H

#include "fastnorm/IR/Dialect.h"

#include "mlir/IR/Builders.h"

namespace fastnorm {

/// f32 from bf16, f16 or f8E4M3FN, exactly; of a scalar or of a vector. Vectors of bf16 can be widened in several
/// `form`s, numbered from 0: by instructions that differ, so that ptxas does not take a value widened again for the
/// one it has, and keep that in twice the registers.
mlir::Value emitWiden(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t form = 0);

/// bf16, f16 or f8E4M3FN from f32, to nearest even; f8E4M3FN saturates at ±448 and keeps NaN. Of a scalar or a vector.
mlir::Value emitNarrow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type element,
                       TargetAttr target);

/// i8 or i32 from f32, toward zero; saturates, and NaN becomes 0. Of a scalar or a vector.
mlir::Value emitToInteger(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type element);

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ELEMENTCONVERSIONS_H
