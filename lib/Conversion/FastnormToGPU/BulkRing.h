//===- BulkRing.h - Rows that one thread copies ------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_BULKRING_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_BULKRING_H

#include "RowRing.h"

namespace fastnorm {

/// A ring whose rows the first thread of the group copies in bulk. Each stage has a barrier that its bytes complete.
/// There are no barriers that say a stage is free: it is filled again only behind a barrier of the group that everyone
/// reaches after reading it.
class BulkRing : public RowRing {
public:
  BulkRing(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule, const SharedLayout &layout,
           mlir::Value sharedBase, const RowPosition &position);

  void start(mlir::Value condition, mlir::Value row, RowAddress rowAddress) override;
  void fill(mlir::Value condition, mlir::Value stage, mlir::Value row, RowAddress rowAddress) override;
  bool readsTogether() const override { return true; }
  void wait(mlir::Value stage, mlir::Value parity) override;

private:
  void copy(mlir::Value condition, mlir::Value stage, mlir::Value row, RowAddress rowAddress);
  mlir::Value barrierOf(mlir::Value stage);
  /// Bytes of an input's part of a row: the last CTA of a cluster may have less.
  mlir::Value partBytes(mlir::BlockArgument argument);
  mlir::Value read(mlir::VectorType type, mlir::Value pointer, mlir::Value inside, mlir::Value place) override;

  mlir::Value barriers; ///< of the group
  mlir::Value isFirst;  ///< i1: the first thread of the group
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_BULKRING_H
