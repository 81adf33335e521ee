//===- Interfaces.td - What passes ask of any op -*- tablegen -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_IR_INTERFACES_TD
#define FASTNORM_IR_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Fastnorm_RowOpInterface : OpInterface<"RowOpInterface"> {
  let cppNamespace = "::fastnorm";
  let description = [{
    An op that works row by row. It says which of its operands and results have their rows in common.
  }];
  let methods = [
    InterfaceMethod<"Operands and results whose first dimension is the row axis of this op.",
      "::llvm::SmallVector<::mlir::Value>", "getRowValues", (ins)>,
    InterfaceMethod<[{Operands that are gathered from and results that are scattered to: their first dimension is what a
      row index points into.}],
      "::llvm::SmallVector<::mlir::Value>", "getTables", (ins)>,
    InterfaceMethod<"The row index that points into each of getTables().",
      "::llvm::SmallVector<::mlir::Value>", "getRowIndices", (ins)>,
    InterfaceMethod<"Operands and results, apart from getRowValues(), of which each two have equally many rows.",
      "::llvm::SmallVector<std::pair<::mlir::Value, ::mlir::Value>>", "getEqualTables", (ins), "", "return {};">,
  ];
}

def Fastnorm_GraphOpInterface : OpInterface<"GraphOpInterface"> {
  let cppNamespace = "::fastnorm";
  let description = [{
    An op of the graph level: what it computes is stated in the kernel algebra.
  }];
  let methods = [
    InterfaceMethod<[{Builds the op's results from the kernel algebra. `operands` stand for the op's own operands, in order.
      Returns one value per result of the op.}],
      "::llvm::SmallVector<::mlir::Value>", "decompose",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>,
  ];
}

def Fastnorm_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::fastnorm";
  let description = [{
    An op that knows the gradients of its operands. `fastnorm-differentiate` asks for them in this order: the op returns
    its statistics, its saved values reach the backward function, the gradients are built there.
  }];
  let methods = [
    InterfaceMethod<[{Operands that all rows share, such as a weight: their gradients are sums over rows.}],
      "::llvm::SmallVector<::mlir::Value>", "getParameters", (ins)>,
    InterfaceMethod<[{Results that are there to be saved. They have no gradients.}],
      "::llvm::SmallVector<::mlir::Value>", "getSavedResults", (ins)>,
    InterfaceMethod<[{Makes the op return all results that its gradients are computed from. Where it has to, it puts
      another op in its place and erases itself; returns the op that stands there.}],
      "::mlir::Operation *", "returnSavedResults", (ins "::mlir::OpBuilder &":$builder)>,
    InterfaceMethod<[{Operands and results that the gradients are computed from, in the order of `buildGradients`. The op
      returns its saved results.}],
      "::llvm::SmallVector<::fastnorm::SavedValue>", "getSavedValues", (ins)>,
    InterfaceMethod<[{Builds the gradients that are wanted, one value per operand, null where there is no request.
      `saved` stand for the values of `getSavedValues`; of `results`, the gradients of the op's results, those that are
      not known are null, but not all of them.}],
      "::llvm::SmallVector<::mlir::Value>", "buildGradients",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$saved, "::llvm::ArrayRef<::mlir::Value>":$results,
       "::llvm::ArrayRef<::fastnorm::GradientRequest>":$requests)>,
  ];
}

#endif // FASTNORM_IR_INTERFACES_TD
