//===- RowSample.h - Which rows of large tensors are looked at --*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_ROWSAMPLE_H
#define FASTNORM_TOOLS_RUN_ROWSAMPLE_H

#include "ArgumentValues.h"

#include "fastnorm/Plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

namespace fastnorm::tool {

/// A part of a plan's rows that can be computed by itself, because no row of a result depends on another row of it:
/// some rows of the results, the rows of other arguments that they name, and so on.
class RowSample {
public:
  /// An error where the results have no number of rows in common that is a symbol: then there is nothing to choose
  /// from. And where the graph (may be null) computes what depends on all rows, or scatters.
  static Status isPossible(const Plan &plan, mlir::func::FuncOp graph);
  /// isPossible must hold.
  static Result<RowSample> choose(const Plan &plan, const ArgumentValues &values,
                                  const std::vector<int64_t> &symbolValues);

  /// The rows of the results, ascending: the first and last, those around 2^31 and 2^32 elements and bytes of every
  /// tensor, those that name such rows of others, and random ones.
  const std::vector<int64_t> &resultRows() const { return rowsOf.at(*resultSymbol); }
  /// How many rows the results have.
  int64_t rowCount() const { return symbolValues[static_cast<size_t>(*resultSymbol)]; }

  /// An argument with the chosen rows alone, its indices renumbered to match.
  Result<HostTensor> argument(const TensorSpec &spec, const ArgumentValues &values) const;

private:
  std::set<int64_t> notableRows(const Plan &plan, int64_t symbol) const;
  Status addRowsThatName(const Plan &plan, const ArgumentValues &values, std::set<int64_t> &rows) const;
  Status follow(const Plan &plan, const ArgumentValues &values, std::map<int64_t, std::set<int64_t>> chosen);

  std::optional<int64_t> resultSymbol;
  std::vector<int64_t> symbolValues;
  std::map<int64_t, std::vector<int64_t>> rowsOf; ///< by symbol
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_ROWSAMPLE_H
