//===- GradientFlow.h - What gradients flow through -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TRANSFORMS_GRADIENTFLOW_H
#define FASTNORM_LIB_TRANSFORMS_GRADIENTFLOW_H

#include "fastnorm/IR/Interfaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace fastnorm {

/// The part of a graph that lies between arguments whose gradients are wanted and results whose gradients are taken.
class GradientFlow {
public:
  /// Wanted are arguments of f32, bf16 or f16, taken are all results but statistics, of both those not marked with
  /// `fastnorm.no_gradient`. Fails with a diagnostic where an op in between does not know its gradients, where a result
  /// cannot have one, and where no wanted argument reaches a taken result.
  static mlir::FailureOr<GradientFlow> of(mlir::func::FuncOp function);

  /// Whether a value has a gradient.
  bool contains(mlir::Value value) const { return varying.contains(value) && reached.contains(value); }
  /// Whether a gradient of the argument is wanted, if any result depends on it.
  bool isWanted(mlir::BlockArgument argument) const { return varying.contains(argument); }
  /// The function's results whose gradients are taken, by index.
  llvm::ArrayRef<unsigned> results() const { return takenResults; }
  /// In the order of the function.
  llvm::ArrayRef<DifferentiableOpInterface> ops() const { return differentiated; }

private:
  explicit GradientFlow(mlir::func::FuncOp function) : function(function) {}
  void findVarying();
  mlir::LogicalResult takeResults();
  mlir::LogicalResult reachBack();
  mlir::LogicalResult reachThrough(mlir::Operation *op);

  mlir::func::FuncOp function;
  llvm::DenseSet<mlir::Value> varying; ///< depends on a wanted argument
  llvm::DenseSet<mlir::Value> reached; ///< a taken result depends on it
  llvm::SmallVector<unsigned> takenResults;
  llvm::SmallVector<DifferentiableOpInterface> differentiated;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_TRANSFORMS_GRADIENTFLOW_H
