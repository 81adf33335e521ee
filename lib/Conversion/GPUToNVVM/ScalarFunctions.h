//===- ScalarFunctions.h - Scalar functions as NVPTX instructions -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_GPUTONVVM_SCALARFUNCTIONS_H
#define FASTNORM_LIB_CONVERSION_GPUTONVVM_SCALARFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace fastnorm {

/// Patterns that turn ops of the math dialect on f32, and vectors of it, into intrinsics that are one instruction each:
/// no call to a math library is left.
void populateScalarFunctionPatterns(mlir::RewritePatternSet &patterns);

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_GPUTONVVM_SCALARFUNCTIONS_H
