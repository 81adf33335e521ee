//===- Symbols.h - Which dynamic dimensions are equal -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_ANALYSIS_SYMBOLS_H
#define FASTNORM_ANALYSIS_SYMBOLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"

#include <optional>
#include <string>
#include <vector>

namespace fastnorm {

/// Whether a function is a graph: one block that returns, from ranked tensors to at least one ranked tensor. They
/// are dense, of types that files hold, and only their first dimension may be dynamic. Fails with a diagnostic.
mlir::LogicalResult verifyGraph(mlir::func::FuncOp function);

/// Names the dynamic dimensions of a function. Dimensions that its ops force to be equal, and those that
/// `fastnorm.symbols` gives one name, are one symbol. A symbol without a given name is called "rows" where a result
/// has it that is not scattered, "expert_rows" where it counts the rows of a table, else "rows" again, with _2, _3, …
/// behind a taken name. Only the first dimension of a tensor may be dynamic.
class Symbols {
public:
  /// Fails, with a diagnostic, where one symbol is given two names, where ops make a dynamic and a static dimension
  /// equal, and where nothing tells how many rows are scattered to.
  static mlir::FailureOr<Symbols> of(mlir::func::FuncOp function);

  /// In order of first appearance, "rows" of the results first.
  const std::vector<std::string> &names() const { return symbolNames; }

  /// The symbol of a value's rows, an index of names(); nothing for static rows.
  std::optional<int64_t> rowsOf(mlir::Value value) const;

  /// Whether two values are known to have the same number of rows.
  bool sameRows(mlir::Value left, mlir::Value right) const;

private:
  mlir::LogicalResult verifyKnown(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> scattered) const;

  /// A key of the equivalence classes: values by identity.
  using Key = const void *;
  static Key key(mlir::Value value) { return value.getAsOpaquePointer(); }

  llvm::EquivalenceClasses<Key> classes;
  llvm::DenseMap<Key, int64_t> symbolOfLeader;
  std::vector<std::string> symbolNames;
};

} // namespace fastnorm

#endif // FASTNORM_ANALYSIS_SYMBOLS_H
