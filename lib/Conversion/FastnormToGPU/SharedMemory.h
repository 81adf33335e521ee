//===- SharedMemory.h - Dynamic shared memory and its barriers -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What persistent CTAs need beyond loads and stores; bulk copies want PTX 8.0,
// stores to a cluster that complete barriers 8.1.
// Addresses of a CTA's own shared memory go into the instructions as they are:
// they are addresses of its cluster's, too.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_SHAREDMEMORY_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_SHAREDMEMORY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fastnorm {

class SharedMemory {
public:
  SharedMemory(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  /// The start of the dynamic shared memory of a kernel's CTA: an LLVM pointer.
  mlir::Value base(mlir::gpu::GPUFuncOp function);
  /// `bytes` (i32) behind a pointer into shared memory.
  mlir::Value at(mlir::Value pointer, mlir::Value bytes);
  mlir::Value at(mlir::Value pointer, int64_t bytes);
  /// The part of a row group (i64; null: the only one) among parts of so many bytes.
  mlir::Value ofGroup(mlir::Value pointer, mlir::Value group, int64_t bytes);
  mlir::Value constant(int64_t value); ///< i32

  mlir::Value load(mlir::VectorType type, mlir::Value pointer);
  /// Where the predicate (i1) is false the elements are zero, and `elsewhere` is read.
  mlir::Value loadOr(mlir::VectorType type, mlir::Value pointer, mlir::Value predicate, mlir::Value elsewhere);
  void store(mlir::Value vector, mlir::Value pointer);

  /// Readies a barrier for phases of `arrivals` arrivals each, and of the bytes they announce.
  void initializeBarrier(mlir::Value barrier, int64_t arrivals);
  /// Makes initialized barriers known to asynchronous copies and to the cluster.
  void publishBarriers();
  /// Arrives, and announces `bytes` (i32) that the phase waits for.
  void arriveExpecting(mlir::Value barrier, mlir::Value bytes);
  /// Waits for the phase of a parity (i32: 0 or 1) to complete.
  void wait(mlir::Value barrier, mlir::Value parity);
  /// Starts to copy `bytes` (i32, a multiple of 16) from a global address (i64) to shared memory; both are multiples of
  /// 16. They count towards the barrier's phase when they are there.
  void copyAsync(mlir::Value to, mlir::Value from, mlir::Value bytes, mlir::Value barrier);

  /// Starts to copy this thread's own `bytes`, a power of two from 4 on, from `offset` bytes behind a global address
  /// (i64) to shared memory; zeros come where the condition (i1, may be null: true) is false, and nothing is read.
  void copyOwn(mlir::Value to, mlir::Value from, int64_t offset, int64_t bytes, mlir::Value condition);
  /// Makes a group of this thread's copies since the last.
  void closeCopies();
  /// Waits until all groups of this thread but the last `pending` are there.
  void waitForCopies(int64_t pending);

  /// The same place in the shared memory of another CTA of the cluster (i32, its number there): an i32 address.
  mlir::Value peerAddress(mlir::Value pointer, mlir::Value rank);
  /// Starts to store an f32 to an address of the cluster; its 4 bytes count towards a barrier there.
  void storeAsync(mlir::Value value, mlir::Value address, mlir::Value barrier);

  /// Says once per module that its PTX needs at least this version (times ten).
  static void requirePtx(mlir::gpu::GPUFuncOp function, int64_t version);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_SHAREDMEMORY_H
