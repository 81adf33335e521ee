//===- Roundings.h - What values are rounded to on their way ----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_REFERENCE_ROUNDINGS_H
#define FASTNORM_REFERENCE_ROUNDINGS_H

#include "fastnorm/Support/DType.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace fastnorm {

/// The coarsest dtype below f32 that a function rounds a value to which its result `number` is computed from: what ops
/// hand to one another, casts in the algebra, and xhat where a norm rounds it. Nothing where there is none; the
/// result's own last rounding does not count, nor what arguments have.
std::optional<DType> roundedOnTheWay(mlir::func::FuncOp function, unsigned number);

} // namespace fastnorm

#endif // FASTNORM_REFERENCE_ROUNDINGS_H
