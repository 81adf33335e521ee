//===- RowProgram.h - The kernel algebra, row by row ------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_REFERENCE_ROWPROGRAM_H
#define FASTNORM_LIB_REFERENCE_ROWPROGRAM_H

#include "ScalarBody.h"
#include "Tensor.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace fastnorm::reference {

/// Ops of the kernel algebra prepared for evaluation. But for a reduction over row, no op reads another row of what it
/// computes, so all of them are evaluated for one row before the next, and only the outputs are ever held in full. What
/// follows from reductions over row is evaluated after the last row.
class RowProgram {
public:
  /// The body of a fastnorm.kernel, or one map, reduce, gather or scatter that stands in a function. `operands` are the
  /// op's, in order; `rowsByUse` says of each of its results how many rows it has, where no operand tells: where it is
  /// scattered, or the op has none.
  static Result<RowProgram> of(mlir::Operation *op, const std::vector<const Tensor *> &operands,
                               const std::vector<int64_t> &rowsByUse);

  /// One tensor per result of the op.
  std::vector<Tensor> run() const;

private:
  /// The row dimensions and the size of the axes inside a row; -1 while nothing has told. All values of a program
  /// agree.
  struct Extents {
    std::vector<int64_t> rows;
    int64_t slot = -1;
    int64_t group = -1;
    int64_t hidden = -1;
    /// The extent of a dimension of a value with these axes; null for a row dimension that the program does not have.
    int64_t *of(AxesAttr axes, int64_t dimension);
    /// Rows in all.
    int64_t rowCount() const;
  };

  /// A value of the program.
  struct Place {
    AxesAttr axes;                  ///< null for a table
    const Tensor *source = nullptr; ///< for an operand
    bool isAfterRows = false;       ///< follows from a reduction over row
    bool isScattered = false;
  };

  /// When a step runs.
  enum class When : uint8_t {
    EachRow,
    Column,   ///< a reduction over row: each row adds to it
    AfterRows ///< once for each head
  };

  struct Step {
    mlir::Operation *op;
    When when;
    llvm::SmallVector<size_t, 4> operands; ///< entries of `places`
    llvm::SmallVector<size_t, 2> results;
    std::optional<ScalarBody> body; ///< of a map
  };

  /// The elements of every place for one row.
  using RowValues = std::vector<std::vector<double>>;

  Status addOperand(mlir::Value value, const Tensor &tensor, llvm::ArrayRef<mlir::Operation *> ops);
  Status addStep(mlir::Operation *op);
  Status joinExtents(AxesAttr axes, llvm::ArrayRef<int64_t> shape, mlir::Operation *op);
  int64_t elementsOfRow(AxesAttr axes) const;
  /// Elements of a row and slot: of hidden, or of group.
  int64_t columnsOf(AxesAttr axes) const;
  /// Which row of an operand with these axes belongs to a row of the program.
  int64_t ownRow(AxesAttr axes, int64_t row) const;

  When whenOf(mlir::Operation *op) const;
  /// Runs the steps of a kind on the operands of one row.
  void runSteps(When when, int64_t row, RowValues &values) const;
  void runRow(int64_t row, RowValues &values) const { runSteps(When::EachRow, row, values); }
  /// Per entry of `columnSteps`: its elements for every head.
  using ColumnSums = std::vector<std::vector<double>>;
  ColumnSums startColumns() const;
  void addRow(int64_t row, const RowValues &values, ColumnSums &sums) const;
  void addSums(const ColumnSums &from, ColumnSums &to) const;
  void finishColumns(const ColumnSums &sums, std::vector<Tensor> &results) const;
  /// Heads that column reductions are kept apart for.
  int64_t headsOf(const Step &column) const;
  void runMap(const Step &step, RowValues &values) const;
  void runReduce(const Step &step, RowValues &values) const;
  void runGather(const Step &step, RowValues &values) const;
  // A scatter adds to its result when all steps of a row are done.
  Tensor startScattered(size_t output) const;
  void addScattered(size_t place, const RowValues &values, Tensor &result) const;
  void finishScattered(size_t place, Tensor &result) const;
  const Step &stepOf(size_t place) const;
  bool scatters() const;
  void broadcast(const std::vector<double> &from, AxesAttr axes, AxesAttr resultAxes, std::vector<double> &to) const;

  std::vector<Place> places;
  std::vector<Step> steps;
  std::vector<size_t> outputs;
  std::vector<int64_t> rowsByUse;  ///< per output
  std::vector<size_t> columnSteps; ///< the reductions over row among the steps
  llvm::DenseMap<mlir::Value, size_t> placeOf;
  Extents extents;
};

} // namespace fastnorm::reference

#endif // FASTNORM_LIB_REFERENCE_ROWPROGRAM_H
