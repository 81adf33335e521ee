//===- BackwardFunction.h - The gradients of a function -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TRANSFORMS_BACKWARDFUNCTION_H
#define FASTNORM_LIB_TRANSFORMS_BACKWARDFUNCTION_H

#include "GradientFlow.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace fastnorm {

class Symbols;

/// Builds the backward function of one whose arguments and results have names.
class BackwardFunction {
public:
  /// The ops of the flow return their saved results. `f32Parameters`: gradients of what all rows share are f32.
  BackwardFunction(mlir::func::FuncOp forward, const GradientFlow &flow, bool f32Parameters);

  /// Lets the forward function return what it has to save, and writes the backward function behind it. Fails with a
  /// diagnostic where what is saved is overwritten.
  mlir::FailureOr<mlir::func::FuncOp> build();

private:
  /// Names that differ from one another.
  class Names {
  public:
    /// The name, or with _2, _3, … behind it where it is taken.
    mlir::StringAttr claim(mlir::MLIRContext *context, llvm::StringRef name);

  private:
    llvm::StringSet<> taken;
  };

  mlir::LogicalResult save(SavedValue saved);
  /// The name that a value has in the forward function, as an argument or as a result; null where it is neither.
  mlir::StringAttr nameOf(mlir::Value value);
  void returnAlso(mlir::Value value, mlir::StringAttr name);
  /// Whether the caller's tensor has no row dimension, as an argument or as a result.
  bool isSingleRow(mlir::Value value);
  /// An argument of the backward function that lies as a value of the forward function does.
  mlir::Value addArgument(mlir::Type type, mlir::StringAttr name, mlir::Value standsFor, const Symbols &symbols);
  void createFunction(const Symbols &symbols);
  void propagate(DifferentiableOpInterface op);
  void returnGradients(const Symbols &symbols);
  /// The names of symbols that arguments of the backward function have.
  llvm::StringSet<> argumentSymbols();
  /// Takes back what was saved for gradients that nobody wants: from the arguments of the backward function, and from
  /// the results of the forward function that it was added to.
  void dropUnread();
  mlir::RankedTensorType gradientType(mlir::Value value) const;
  mlir::Operation *forwardReturn() { return forward.getBody().front().getTerminator(); }

  mlir::func::FuncOp forward;
  const GradientFlow &flow;
  mlir::OpBuilder builder;
  llvm::DenseSet<mlir::Value> wideParameters; ///< whose gradients are f32
  Names forwardNames;
  llvm::MapVector<mlir::Value, mlir::StringAttr> savedNames; ///< what the backward function takes beside gradients
  llvm::SmallVector<mlir::Value> savedResults; ///< what the forward function returns in addition, in order
  mlir::func::FuncOp backward;
  Names backwardNames;
  llvm::DenseMap<mlir::Value, mlir::Value> savedArguments; ///< what stands for them there
  llvm::DenseMap<mlir::Value, mlir::Value> gradients;      ///< what is known so far
};

} // namespace fastnorm

#endif // FASTNORM_LIB_TRANSFORMS_BACKWARDFUNCTION_H
