//===- UnalignedAccess.h - Vectors of rows that start anywhere -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where rows start at any element, a vector is read as the aligned 16-byte
// granules that hold it, shifted into place; vectors at the ends of a row go
// element by element. No byte outside of the row is read or written.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_UNALIGNEDACCESS_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_UNALIGNEDACCESS_H

#include "VectorAccess.h"

namespace fastnorm {

/// The columns of a vector: some may lie before or past the row.
struct VectorColumns {
  mlir::Value first;                         ///< i32
  mlir::Value inside;                        ///< i1: all of them are in the row
  llvm::SmallVector<mlir::Value> eachInside; ///< i1, one a column
};

/// A row of an operand.
struct UnalignedRow {
  mlir::Value address;      ///< i64, of column 0
  bool sharesPhase = false; ///< its vectors are known to be aligned
};

/// A vector whose loads were issued and whose elements are not put together yet.
struct PendingVector {
  mlir::VectorType type;
  /// i32: an element each, or the words of the granules that hold the vector.
  llvm::SmallVector<mlir::Value> parts;
  mlir::Value byElements;   ///< i1: the parts are elements; null: always
  mlir::Value skippedBytes; ///< i32: of the words before the vector; null: none
};

class UnalignedAccess {
public:
  /// Rows of `hidden` elements.
  UnalignedAccess(mlir::OpBuilder &builder, mlir::Location loc, int64_t hidden)
      : builder(builder), loc(loc), access(builder, loc), hidden(hidden) {}

  /// Columns from `first` (i32) on.
  VectorColumns columns(mlir::Value first, int64_t width);

  /// Issues the loads of a vector; none where the predicate (i1, may be null: true) is false. Columns outside of the
  /// row are zero.
  PendingVector load(mlir::VectorType type, UnalignedRow row, const VectorColumns &columns, LoadPolicy policy,
                     mlir::Value predicate);
  mlir::Value finish(const PendingVector &pending);

  /// Writes the columns that are in the row; none where the predicate is false.
  void store(mlir::Value vector, UnalignedRow row, const VectorColumns &columns, StorePolicy policy,
             mlir::Value predicate);

private:
  mlir::Value constant(int64_t value);
  mlir::Value both(mlir::Value left, mlir::Value right);
  mlir::Value addressOf(UnalignedRow row, mlir::Value column, int64_t bytes);
  /// Where the granules of a vector lie, and whether all of them are in the row.
  struct Granules {
    mlir::Value address;  ///< i64
    mlir::Value areInRow; ///< i1
    mlir::Value past;     ///< i32: bytes from the first to the vector; null: none
  };
  Granules granulesOf(mlir::VectorType type, UnalignedRow row, const VectorColumns &columns);
  llvm::SmallVector<mlir::Value> loadWords(mlir::VectorType type, const Granules &granules, LoadPolicy policy,
                                           mlir::Value predicate);
  llvm::SmallVector<mlir::Value> loadElements(mlir::VectorType type, UnalignedRow row, const VectorColumns &columns,
                                              LoadPolicy policy, mlir::Value predicate);
  void storeElements(mlir::Value vector, UnalignedRow row, const VectorColumns &columns, StorePolicy policy,
                     mlir::Value predicate);
  llvm::SmallVector<mlir::Value> shifted(const PendingVector &pending);
  mlir::Value packed(const PendingVector &pending);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  VectorAccess access;
  int64_t hidden;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_UNALIGNEDACCESS_H
