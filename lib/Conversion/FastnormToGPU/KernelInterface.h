//===- KernelInterface.h - Arguments of a generated kernel -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_KERNELINTERFACE_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_KERNELINTERFACE_H

#include "fastnorm/Analysis/SharedLayout.h"
#include "fastnorm/Analysis/Symbols.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fastnorm {

/// The gpu.func of a kernel. Its arguments are, in order: a bare pointer for each input, a bare pointer for each
/// result, one for row sums where a row is split over a grid, one for column sums where rows are reduced over and the
/// sums are not added right to the results, two for lists of slots where a scatter adds up, the number of rows where
/// the schedule must check it, each dynamic number of rows that gathered and then scattered tables have, and each row
/// stride known at run time.
struct KernelInterface {
  /// Creates the function, with an empty body that ends in gpu.return, at the builder's place.
  KernelInterface(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule, llvm::StringRef name,
                  const Symbols &symbols);

  /// Whether the last CTA of a grid may have rows past the last.
  static bool needsRows(const AccessPattern &pattern, ScheduleAttr schedule);

  /// The strides that are arguments, in order: the input or yielded value, and the dimension.
  static llvm::SmallVector<std::pair<mlir::Value, int64_t>> runTimeStrides(const AccessPattern &pattern);

  /// The numbers of table rows that are arguments, in order: the tables of gathers and the results of scatters that
  /// have one dynamic number of rows.
  static llvm::SmallVector<llvm::SmallVector<mlir::Value>> tablesByRows(const AccessPattern &pattern,
                                                                        const Symbols &symbols);

  /// Mutable: an op is a handle, and its accessors are not const.
  mutable mlir::gpu::GPUFuncOp function;
  /// Pointer arguments by the body argument, or the yielded value, that they hold.
  llvm::DenseMap<mlir::Value, mlir::Value> inputPointers;
  llvm::SmallVector<mlir::Value> resultPointers;
  /// f32, of a row split over a grid: the sums of the row's CTAs, in the order [rows, row sums, ctas_per_row].
  /// Null where none are needed.
  mlir::Value rowSums;
  /// f32, of column reductions: what the CTAs leave (PartialsLayout). Null where there are none, or where
  /// they are added right to the results.
  mlir::Value columnSums;
  /// i64, of a scatter that adds up: two for each row of its result, and two for each slot (ScatterLists.cpp). Null
  /// where there is none.
  mlir::Value listHeads, listLinks;
  /// Begins while the launch before it drains.
  bool isDependent = false;
  /// i64; null when the schedule needs no check.
  mlir::Value rows;
  /// i64, by gathered table and by scattered result.
  llvm::DenseMap<mlir::Value, mlir::Value> tableRows;
  /// i64, in elements, by input or yielded value and the dimension whose stride it is.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> strides;
  /// One f32 per warp and value that warps leave (`valuesPerWarp`), in shared memory; null without CTA-wide reductions.
  mlir::Value reductionSlots;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_KERNELINTERFACE_H
