//===- Gradients.h - What gradients are built from -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_IR_GRADIENTS_H
#define FASTNORM_IR_GRADIENTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace fastnorm {

/// A value that an op's gradients are computed from, and what the op calls it: "rstd".
struct SavedValue {
  llvm::StringRef name;
  mlir::Value value;
};

/// What is asked for of an operand's gradient.
struct GradientRequest {
  mlir::RankedTensorType type; ///< dense, of the operand's shape, of f32, bf16 or f16; null where it is not wanted
  mlir::Value known;           ///< of that type, to be added: what is known of the gradient already; null for nothing
};

/// A gradient as `type`, plus what is known already (null for nothing): the sum is taken in f32 and rounded once. The
/// gradient itself where nothing is to be done, else one new op.
mlir::Value gradientAs(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value gradient, mlir::Value known,
                       mlir::RankedTensorType type);

} // namespace fastnorm

#endif // FASTNORM_IR_GRADIENTS_H
