//===- RowRing.h - Rows on their way into shared memory ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a row group: rows of all streamed inputs, which asynchronous
// copies bring while rows before them are worked on. BulkRing and ThreadRing say
// who copies, and how threads learn that a row is there.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWRING_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWRING_H

#include "RowPosition.h"
#include "SharedMemory.h"

namespace fastnorm {

class RowRing {
public:
  /// Gives the address (i64) where a row (i64) of an input begins for this CTA.
  using RowAddress = llvm::function_ref<mlir::Value(mlir::BlockArgument argument, mlir::Value row)>;

  virtual ~RowRing() = default;

  /// Readies the ring, and has stage 0 filled with a row where the condition (i1) holds. All threads come here, and go
  /// on to a barrier of their CTA before anything else of the ring.
  virtual void start(mlir::Value condition, mlir::Value row, RowAddress rowAddress) = 0;
  /// Has a stage (i32) filled with a row, where the condition holds. All threads of the group come here, each when it
  /// has read what was in the stage before, and where `readsTogether` says so when all of them have.
  virtual void fill(mlir::Value condition, mlir::Value stage, mlir::Value row, RowAddress rowAddress) = 0;
  /// Whether a stage may be filled only when all threads of the group have read it.
  virtual bool readsTogether() const = 0;
  /// Waits for a stage to be filled for the time whose parity (i32) is given.
  virtual void wait(mlir::Value stage, mlir::Value parity) = 0;
  /// A vector of a streamed input from the stage that was last waited for; zeros where `inside` (may be null) is false.
  mlir::Value load(mlir::BlockArgument argument, mlir::VectorType type, int64_t vector, mlir::Value inside);

protected:
  RowRing(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule, const SharedLayout &layout,
          mlir::Value sharedBase, const RowPosition &position);

  mlir::Value constant(int64_t value) { return memory.constant(value); }
  mlir::Value placeOf(mlir::Value stage);
  /// Bytes from the start of an input's part of a row to this thread's vector; the first part is i32.
  mlir::Value laneBytes(mlir::BlockArgument argument);
  int64_t vectorOffset(mlir::BlockArgument argument, int64_t vector) const;
  int64_t vectorBytes(mlir::BlockArgument argument) const;
  virtual mlir::Value read(mlir::VectorType type, mlir::Value pointer, mlir::Value inside, mlir::Value stagePlace) = 0;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  const SharedLayout &layout;
  SharedMemory memory;
  RowPosition position;
  mlir::Value ring; ///< of the group
  mlir::Value lane; ///< i32
  mlir::Value stagePlace;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_ROWRING_H
