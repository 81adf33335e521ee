//===- ClusterExchange.h - Row sums of row groups in a cluster -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row groups of persistent CTAs walk at their own pace, so those of a cluster
// cannot meet at its barrier. Each warp stores its sums into the slots of every
// CTA of its row group, and what arrives completes a barrier of the receiver.
// There are two sets of slots and barriers: a set is written again only by
// those who have had this CTA's sums of the row between, which it sends after
// reading the set.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_CLUSTEREXCHANGE_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_CLUSTEREXCHANGE_H

#include "RowPosition.h"
#include "SharedMemory.h"

#include "fastnorm/Analysis/SharedLayout.h"

namespace fastnorm {

class ClusterExchange {
public:
  ClusterExchange(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                  const SharedLayout &layout, const KernelInterface &interface, mlir::Value sharedBase,
                  const RowPosition &position);

  /// Readies the barriers of the group, before a barrier of the cluster.
  void initialize();
  /// Starts the row of a number (i64), counted by the group.
  void enterRow(mlir::Value number);
  /// Starts the exchange that ends a phase.
  void enterPhase(int64_t phase) { current = phase; }

  /// The first of the slots that `warps` warps of this CTA fill; index type.
  mlir::Value firstSlot(int64_t warps);
  /// Stores an f32 to slot `slot` (index type) of the CTA whose number is this thread's lane in its warp.
  void send(mlir::Value value, mlir::Value slot);
  /// Waits for so many values of each warp of all CTAs, and readies the barrier for the row after the next.
  void meet(int64_t values);

private:
  mlir::Value barrierOf(mlir::Value buffer, int64_t phase);
  /// Bytes of so many values of each warp of the cluster.
  int64_t bytesOf(int64_t values) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const AccessPattern &pattern;
  ScheduleAttr schedule;
  const SharedLayout &layout;
  SharedMemory memory;
  mlir::Value barriers;     ///< of the group
  mlir::Value isFirst;      ///< i1: the group's first thread
  mlir::Value rank;         ///< index type: of this CTA in its cluster
  mlir::Value peerSlots;    ///< i32 address of the slots in the CTA that the lane sends to
  mlir::Value peerBarriers; ///< likewise of the group's barriers
  mlir::Value buffer;       ///< i32: 0 or 1
  mlir::Value parity;       ///< i32
  int64_t current = 0;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_CLUSTEREXCHANGE_H
