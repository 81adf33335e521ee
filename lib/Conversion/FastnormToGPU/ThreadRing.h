//===- ThreadRing.h - Rows of which each thread copies its own --*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_THREADRING_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_THREADRING_H

#include "RowRing.h"

namespace fastnorm {

/// A ring where each thread copies the vectors that it reads itself, and waits for its own copies: no barrier is
/// needed, neither for what arrives nor for what is free. A group of copies is closed each time a stage may be filled,
/// filled or not, so that the oldest of `stages` groups is always the one to wait for.
class ThreadRing : public RowRing {
public:
  /// `inside` says whether a vector of this thread lies in the row (i1); null: it does.
  using Inside = llvm::function_ref<mlir::Value(int64_t vector)>;

  ThreadRing(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule, const SharedLayout &layout,
             mlir::Value sharedBase, const RowPosition &position, Inside inside);

  void start(mlir::Value condition, mlir::Value row, RowAddress rowAddress) override;
  void fill(mlir::Value condition, mlir::Value stage, mlir::Value row, RowAddress rowAddress) override;
  bool readsTogether() const override { return false; }
  void wait(mlir::Value stage, mlir::Value parity) override;

private:
  void copyVectors(mlir::BlockArgument argument, mlir::Value place, mlir::Value rowStart);
  mlir::Value read(mlir::VectorType type, mlir::Value pointer, mlir::Value inside, mlir::Value place) override;

  llvm::SmallVector<mlir::Value> insideRow; ///< by vector; null: always
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_THREADRING_H
