//===- UnalignedAccess.h - Vectors of rows that start anywhere -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where rows start at any element, vectors are counted so that they are aligned
// in the rows of one operand and of all that lie like it: one access each.
// Vectors of other operands are read as the aligned granules that hold them,
// and shifted into place. What reaches past an end of the row goes element by
// element, in a branch that few warps take. No byte outside of a row is read or
// written.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_UNALIGNEDACCESS_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_UNALIGNEDACCESS_H

#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fastnorm {

/// The columns of one of a thread's vectors: some may lie before or past the row.
struct VectorColumns {
  mlir::Value first;          ///< i32
  int64_t apart = 0;          ///< from those of the thread's first vector
  int64_t threads = 1;        ///< of the row, side by side
  bool mayBeAnywhere = false; ///< nothing is known of `first` where the kernel is compiled
  mlir::Value inside;         ///< i1: all columns are in the row; null: always
};

/// Where the vectors of a thread are read from.
struct UnalignedRow {
  mlir::Value address;        ///< i64, of the granule that the thread's first vector begins in
  mlir::Value columnsPast;    ///< i32: from there to the vector; null: 0, the vectors are known to be aligned
  mlir::Value skipsWord;      ///< i1: a word of the granules comes before the vector's first; null: never
  mlir::Value skippedBits;    ///< i32: and so many bits of the next one; null: none
  bool beginsGranule = false; ///< column 0 is known to be the first of a granule
};

/// Where the vectors of a thread are written to.
struct StoredRow {
  mlir::Value address;   ///< i64, of the thread's first vector
  mlir::Value isAligned; ///< i1: its vectors are; null: known to be
};

/// A vector whose loads were issued and whose elements are not put together yet.
struct PendingVector {
  mlir::VectorType type;
  UnalignedRow row;
  LoadPolicy policy;
  mlir::Value predicate; ///< i1, null: true
  /// i32: of the granules that hold the vector, or one for each element where a vector is shorter than a word.
  llvm::SmallVector<mlir::Value> words;
};

class UnalignedAccess {
public:
  /// Rows of `hidden` elements, read in vectors of `width`.
  UnalignedAccess(mlir::OpBuilder &builder, mlir::Location loc, int64_t hidden, int64_t width)
      : builder(builder), loc(loc), access(builder, loc), hidden(hidden), width(width) {}

  /// Columns of a row's vector whose other members are given.
  VectorColumns placed(VectorColumns columns);
  /// Whether a column of the vector is in the row, i1.
  mlir::Value isInside(const VectorColumns &columns, int64_t index);

  /// A row whose first vector of the thread begins at an address (i64).
  UnalignedRow rowAt(mlir::Value address, mlir::VectorType type, bool isAligned, bool beginsGranule);
  StoredRow storedRowAt(mlir::Value address, mlir::VectorType type, bool isAligned);

  /// Issues the loads of the granules of a vector, except at an end of the row that they reach past; none where the
  /// predicate (i1, may be null: true) is false.
  PendingVector load(mlir::VectorType type, const UnalignedRow &row, const VectorColumns &columns, LoadPolicy policy,
                     mlir::Value predicate);
  /// Reads vectors with the same columns whose granules reach past an end of the row; columns outside of it are zero.
  void completeEnds(llvm::ArrayRef<PendingVector *> vectors, const VectorColumns &columns);
  /// Puts the vector together.
  mlir::Value finish(const PendingVector &pending);

  /// Writes the columns that are in the row; none where the predicate is false.
  void store(mlir::Value vector, const StoredRow &row, const VectorColumns &columns, StorePolicy policy,
             mlir::Value predicate);

private:
  mlir::Value constant(int64_t value);
  mlir::Value both(mlir::Value left, mlir::Value right);
  mlir::Value remaining(mlir::Value condition, const VectorColumns &columns);
  bool mayBeginBefore(const VectorColumns &columns, int64_t margin);
  bool mayEndPast(const VectorColumns &columns, int64_t margin);
  mlir::Value isBetween(const VectorColumns &columns, int64_t before, int64_t after);
  mlir::Value isWhole(const PendingVector &pending, const VectorColumns &columns);
  mlir::Value isAtEnd(const PendingVector &pending, const VectorColumns &columns);
  mlir::Value isInside(const VectorColumns &columns, mlir::Value first, int64_t index);
  mlir::Value isInRow(mlir::Value first, int64_t index);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value column, int64_t bound);
  static bool hasWords(mlir::VectorType type);
  static int64_t granuleColumns(mlir::VectorType type);

  // Where granules reach past an end of the row (UnalignedEnds.cpp).
  struct EndLoads {
    llvm::SmallVector<mlir::Value> words;    ///< of granules in the row, zero of others
    llvm::SmallVector<mlir::Value> elements; ///< of all granules, or of the one that is partly in the row
    mlir::Value granule;                     ///< i32: its number; null: all
  };
  bool hasWholeGranules(const PendingVector &pending) const;
  EndLoads loadGranules(const PendingVector &pending, const VectorColumns &columns);
  EndLoads loadEnds(const PendingVector &pending, const VectorColumns &columns);
  llvm::SmallVector<mlir::Value> assembled(const PendingVector &pending, const EndLoads &loads);
  llvm::SmallVector<mlir::Value> loadElements(const PendingVector &pending, const VectorColumns &columns);
  llvm::SmallVector<mlir::Value> packed(mlir::VectorType type, llvm::ArrayRef<mlir::Value> elements);
  void storeElements(mlir::Value vector, const StoredRow &row, const VectorColumns &columns, StorePolicy policy,
                     mlir::Value predicate);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  VectorAccess access;
  int64_t hidden;
  int64_t width;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_UNALIGNEDACCESS_H
