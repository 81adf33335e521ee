//===- Passes.h - From the algebra to PTX -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_CONVERSION_PASSES_H
#define FASTNORM_CONVERSION_PASSES_H

#include "fastnorm/IR/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace fastnorm {

#define GEN_PASS_DECL
#include "fastnorm/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fastnorm/Conversion/Passes.h.inc"

} // namespace fastnorm

#endif // FASTNORM_CONVERSION_PASSES_H
