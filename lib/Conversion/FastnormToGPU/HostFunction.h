//===- HostFunction.h - What runs around the kernels -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_HOSTFUNCTION_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_HOSTFUNCTION_H

#include "KernelInterface.h"

#include "fastnorm/Analysis/Symbols.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fastnorm {

/// Builds the host function that takes a graph function's place: its arguments are the memrefs of the graph's arguments
/// and, marked `fastnorm.result = n`, of its results. The body is symbol arithmetic, memref.alloc for what passes
/// between kernels, and gpu.launch_func.
class HostFunction {
public:
  HostFunction(mlir::OpBuilder &builder, mlir::func::FuncOp graph, const Symbols &symbols);

  /// Adds the launch of a kernel, whose inputs were bound or computed before; `phase` says which, where it takes
  /// several.
  void addLaunch(const AccessPattern &pattern, ScheduleAttr schedule, const KernelInterface &interface, int64_t phase);

private:
  mlir::Value constant(int64_t value);
  /// The rows of a value, as index.
  mlir::Value rowsOf(mlir::Value value);
  mlir::Value bufferOf(mlir::Value value);
  mlir::Value pointerTo(mlir::Value buffer);
  /// A stride known at run time, as index.
  mlir::Value strideOf(mlir::Value value, int64_t dimension);
  /// What the launches of a kernel pass on: [rows, row reductions, ctas_per_row] f32.
  mlir::Value partialsOf(const AccessPattern &pattern, ScheduleAttr schedule);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const Symbols &symbols;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<mlir::Operation *, mlir::Value> partials; ///< by kernel
  llvm::SmallVector<mlir::Value> symbolValues;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_HOSTFUNCTION_H
