//===- VectorAccess.h - Loads and stores of vectors -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that writes memory instructions with a cache policy. They are
// inline PTX because the NVPTX back end drops cache hints, and because what has
// side effects keeps its order: the loads are issued as written.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_VECTORACCESS_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_VECTORACCESS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace fastnorm {

enum class LoadPolicy {
  Streaming, ///< read once: evict first (ld.global.cs)
  Ordered,   ///< may be read again, stays where it is written (ld.global)
  ReadOnly,  ///< never written during the kernel, may be moved (ld.global.nc)
};

enum class StorePolicy {
  Streaming, ///< not read again soon (st.global.cs)
  Cached,    ///< st.global
};

/// A place in global memory: a 64-bit address plus a constant.
struct VectorAddress {
  mlir::Value base; ///< i64
  int64_t offsetBytes = 0;
};

/// Where a bare pointer points, as an integer (i64).
mlir::Value emitAddress(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer);

class VectorAccess {
public:
  VectorAccess(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  /// Reads consecutive elements in accesses of up to 16 bytes, which must be aligned to their size. Where the predicate
  /// (i1, may be null: true) is false nothing is read and the elements are zero.
  mlir::Value load(mlir::VectorType type, VectorAddress address, LoadPolicy policy, mlir::Value predicate);

  /// Reads one element of 1, 2 or 4 bytes into the low bits of an i32.
  mlir::Value loadElement(int64_t bytes, VectorAddress address, LoadPolicy policy, mlir::Value predicate);

  /// Writes consecutive elements likewise; nothing where the predicate is false.
  void store(mlir::Value vector, VectorAddress address, StorePolicy policy, mlir::Value predicate);

  /// Adds f32 to consecutive elements in global memory, each at once but in any order among all who do (red.add). With
  /// `inVectors`, which needs PTX 8.1, up to four elements in an instruction, aligned to their size. Nothing where the
  /// predicate is false.
  void addTo(mlir::Value vector, VectorAddress address, bool inVectors, mlir::Value predicate);

  /// Puts an i64 to a place, whoever else does so at the same time, and returns what was there.
  mlir::Value exchange(VectorAddress address, mlir::Value value);

  /// The same value, unknown to the optimizer: packed elements that must stay packed between their uses pass through
  /// this, else their unpacked forms are merged and held.
  mlir::Value opaque(mlir::Value vector);

private:
  mlir::Value fromWords(llvm::ArrayRef<mlir::Value> words, mlir::VectorType type);
  llvm::SmallVector<mlir::Value> toWords(mlir::Value vector);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_VECTORACCESS_H
