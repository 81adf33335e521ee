//===- AsyncRing.h - Rows on their way into shared memory -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ASYNCRING_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ASYNCRING_H

#include "RowPosition.h"
#include "SharedMemory.h"

#include "fastnorm/Analysis/SharedLayout.h"

namespace fastnorm {

/// The stages of a row group: rows of all streamed inputs, copied by the first thread of the group, each stage with a
/// barrier that its bytes complete. There are no barriers that say a stage is free: it is filled again only behind a
/// barrier of the group that everyone reaches after reading it.
class AsyncRing {
public:
  /// `rowAddress` gives the address (i64) where a row (i64) of an input begins for this CTA.
  using RowAddress = llvm::function_ref<mlir::Value(mlir::BlockArgument argument, mlir::Value row)>;

  AsyncRing(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule, const SharedLayout &layout,
            mlir::Value sharedBase, const RowPosition &position);

  /// Readies the barriers of the group's stages; by its first thread.
  void initialize();
  /// Starts to fill a stage (i32) with a row, where the condition (i1) holds; by the first thread of the group.
  void fill(mlir::Value condition, mlir::Value stage, mlir::Value row, RowAddress rowAddress);
  /// Waits for a stage to be filled for the time whose parity (i32) is given.
  void wait(mlir::Value stage, mlir::Value parity);
  /// A vector of a streamed input from the stage that was last waited for; zeros where `inside` (may be null) is false.
  mlir::Value load(mlir::BlockArgument argument, mlir::VectorType type, int64_t vector, mlir::Value inside);

private:
  mlir::Value constant(int64_t value) { return memory.constant(value); }
  mlir::Value barrierOf(mlir::Value stage);
  mlir::Value placeOf(mlir::Value stage);
  /// Bytes of an input's part of a row: the last CTA of a cluster may have less.
  mlir::Value partBytes(mlir::BlockArgument argument);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  const SharedLayout &layout;
  SharedMemory memory;
  const RowPosition &position;
  mlir::Value barriers; ///< of the group
  mlir::Value ring;     ///< of the group
  mlir::Value lane;     ///< i32
  mlir::Value stagePlace;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ASYNCRING_H
