//===- MakeKernels.h - Kernels from nothing -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TRANSFORMS_MAKEKERNELS_H
#define FASTNORM_LIB_TRANSFORMS_MAKEKERNELS_H

#include "fastnorm/IR/KernelOps.h"

#include "mlir/IR/Builders.h"

namespace fastnorm {

/// A kernel with an empty body that takes each of the inputs once; the builder stands behind it.
KernelOp createKernel(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                      llvm::ArrayRef<mlir::Value> inputs, mlir::TypeRange resultTypes);

/// Erases what no result needs, ops and then inputs: an op may be asked for some of its results only.
void dropUnread(KernelOp kernel);

/// What the kernel yields that copies a value of [row], or of [rows, hidden].
mlir::Value copyOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// Zeros of a type of [rows, hidden] from a kernel that reads nothing.
mlir::Value zerosOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type);

} // namespace fastnorm

#endif // FASTNORM_LIB_TRANSFORMS_MAKEKERNELS_H
