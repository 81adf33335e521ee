//===- ClusterReduction.h - Row sums over the CTAs of a cluster -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_CLUSTERREDUCTION_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_CLUSTERREDUCTION_H

#include "mlir/IR/Builders.h"

namespace fastnorm {

/// Says that this CTA has started: its shared memory may be written by the others of its cluster. First thing in a
/// kernel, so that nobody waits for it at `emitClusterStarted`.
void emitClusterStarts(mlir::OpBuilder &builder, mlir::Location loc);

/// Waits until all CTAs of the cluster have started.
void emitClusterStarted(mlir::OpBuilder &builder, mlir::Location loc);

/// What every thread of the cluster wrote before, in any CTA's shared memory, every thread may read after.
void emitClusterBarrier(mlir::OpBuilder &builder, mlir::Location loc);

/// An LLVM pointer to a buffer in shared memory.
mlir::Value emitSharedPointer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slots);

/// The same place in the shared memory of another CTA of the cluster: an LLVM pointer. `slots` is a buffer in shared
/// memory, `rank` (i32) the other's number.
mlir::Value emitPeerPointer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slots, mlir::Value rank);

/// Stores an f32 at element `index` (index type) behind a peer pointer.
void emitPeerStore(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Value pointer,
                   mlir::Value index);

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_CLUSTERREDUCTION_H
