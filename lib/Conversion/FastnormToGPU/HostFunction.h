//===- HostFunction.h - What runs around the kernels -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_HOSTFUNCTION_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_HOSTFUNCTION_H

#include "ColumnFill.h"
#include "ColumnFinalize.h"
#include "KernelInterface.h"
#include "Strategies.h"

#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/Analysis/Traffic.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fastnorm {

/// Builds the host function that takes a graph function's place: its arguments are the memrefs of the graph's arguments
/// and, marked `fastnorm.result = n`, of its results, and behind them the SM limit (index) where the grid of a
/// persistent kernel follows it. The body is symbol arithmetic, memref.alloc for what passes between launches, and
/// gpu.launch_func.
class HostFunction {
public:
  HostFunction(mlir::OpBuilder &builder, mlir::func::FuncOp graph, const Symbols &symbols);

  /// Adds the launch of a kernel, whose inputs were bound or computed before; `phase` says which, where it takes
  /// several.
  void addLaunch(const AccessPattern &pattern, ScheduleAttr schedule, const KernelInterface &interface, int64_t phase);
  /// Adds a launch that sets what persistent CTAs will add to, before that of their kernel.
  void addFill(const AccessPattern &pattern, ScheduleAttr schedule, const FillInterface &interface);
  /// Adds a launch that adds up what persistent CTAs leave, behind that of their kernel.
  void addFinalize(const AccessPattern &pattern, ScheduleAttr schedule, const FinalizeInterface &interface);

private:
  struct LaunchShape {
    mlir::Value grid; ///< CTAs, index
    int64_t threads;  ///< of a CTA
    int64_t clusterCtas = 1;
    int64_t dynamicSharedBytes = 0;
  };
  void launch(const AccessPattern &pattern, ScheduleAttr schedule, mlir::gpu::GPUFuncOp function,
              const LaunchShape &shape, mlir::ValueRange operands, const Traffic &traffic, bool isDependent);
  mlir::Value constant(int64_t value);
  /// The rows of a value, as index.
  mlir::Value rowsOf(mlir::Value value);
  mlir::Value bufferOf(mlir::Value value);
  mlir::Value pointerTo(mlir::Value buffer);
  /// A stride known at run time, as index.
  mlir::Value strideOf(mlir::Value value, int64_t dimension);
  mlir::Value asI64(mlir::Value index);
  /// All rows of a kernel, as index.
  mlir::Value rowsOf(KernelOp kernel);
  /// The clusters, or CTAs, that work on a kernel's rows side by side, as index: of persistent ones as many as the rows
  /// and, where `isLimited`, the SM limit leave work for.
  mlir::Value clustersOf(const AccessPattern &pattern, ScheduleAttr schedule, bool isLimited);
  mlir::Value clustersOfHead(mlir::Value clusters, int64_t heads);
  mlir::Value setsOf(const AccessPattern &pattern, ScheduleAttr schedule, bool isLimited);
  mlir::Value gridOf(const AccessPattern &pattern, ScheduleAttr schedule);
  /// Of a launch that a scatter which adds up takes.
  mlir::Value gridOf(const AccessPattern &pattern, ScheduleAttr schedule, AccumulationStep step);
  /// All slots of a kernel, as index.
  mlir::Value slotsOf(const AccessPattern &pattern);
  /// What a scatter goes into has the buffer of its result.
  void shareScattered(mlir::func::FuncOp graph);
  // What the launches of a kernel pass on.
  /// Of a row split over a grid: [rows, row sums, ctas_per_row] f32.
  mlir::Value rowSumsOf(const AccessPattern &pattern, ScheduleAttr schedule);
  /// Of persistent CTAs that reduce over rows: sets of partials (PartialsLayout.h).
  mlir::Value columnSumsOf(const AccessPattern &pattern, ScheduleAttr schedule);
  /// Of a scatter that adds up: [2, rows of the result] and [2, slots] i64.
  std::pair<mlir::Value, mlir::Value> listsOf(const AccessPattern &pattern);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const Symbols &symbols;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<mlir::Operation *, mlir::Value> rowSums;                       ///< by kernel
  llvm::DenseMap<mlir::Operation *, mlir::Value> columnSums;                    ///< by kernel
  llvm::DenseMap<mlir::Operation *, std::pair<mlir::Value, mlir::Value>> lists; ///< by kernel
  llvm::DenseMap<mlir::Operation *, mlir::Value> fewerPartials; ///< left by the first of two finalize launches
  mlir::Value smLimit;                                          ///< index; null where no grid follows it
  llvm::SmallVector<mlir::Value> symbolValues;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_HOSTFUNCTION_H
