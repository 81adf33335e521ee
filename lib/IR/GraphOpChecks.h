//===- GraphOpChecks.h - What verifiers of graph ops share -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_IR_GRAPHOPCHECKS_H
#define FASTNORM_LIB_IR_GRAPHOPCHECKS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace fastnorm {

/// The type of a tensor.
mlir::RankedTensorType tensorOf(mlir::Value value);
/// The extent of the last dimension.
int64_t hiddenOf(mlir::Value value);
/// The leading dimensions, which count rows: all but the last.
llvm::ArrayRef<int64_t> rowsOf(mlir::Value value);
/// A `?` may turn out to be any number, so it agrees with everything.
bool agree(int64_t left, int64_t right);
bool agree(llvm::ArrayRef<int64_t> left, llvm::ArrayRef<int64_t> right);
/// "?x64".
std::string shapeOf(mlir::Value value);
/// The values that are there.
llvm::SmallVector<mlir::Value> presentValues(std::initializer_list<mlir::Value> values);

/// What must be known when a kernel is compiled, and has a limit.
mlir::LogicalResult verifyStatic(mlir::Operation *op, llvm::StringRef what, int64_t extent, int64_t most);
/// "expects <what> of hidden size 64 to match the <whom>, but got 32". `value` may be null.
mlir::LogicalResult verifyHidden(mlir::Operation *op, llvm::StringRef what, mlir::Value value, llvm::StringRef whom,
                                 mlir::Value other);
/// Only the first row dimension may be dynamic: the others are divided by.
mlir::LogicalResult verifyInnerRows(mlir::Operation *op, mlir::Value value);
/// A parameter of a norm, or null: [hidden], or [heads, hidden] with the innermost row dimension of the input.
mlir::LogicalResult verifyParameter(mlir::Operation *op, llvm::StringRef what, mlir::Value parameter,
                                    mlir::Value input);
/// A finite number, and 0 without a weight to add it to.
mlir::LogicalResult verifyWeightOffset(mlir::Operation *op, mlir::FloatAttr offset, bool hasWeight);

} // namespace fastnorm

#endif // FASTNORM_LIB_IR_GRAPHOPCHECKS_H
