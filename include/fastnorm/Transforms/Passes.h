//===- Passes.h - fastnorm to fastnorm -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TRANSFORMS_PASSES_H
#define FASTNORM_TRANSFORMS_PASSES_H

#include "fastnorm/IR/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"

namespace fastnorm {

#define GEN_PASS_DECL
#include "fastnorm/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fastnorm/Transforms/Passes.h.inc"

} // namespace fastnorm

#endif // FASTNORM_TRANSFORMS_PASSES_H
