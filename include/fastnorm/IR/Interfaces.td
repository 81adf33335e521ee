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
    InterfaceMethod<"Operands that are gathered from: their first dimension is what a row index points into.",
      "::llvm::SmallVector<::mlir::Value>", "getTables", (ins)>,
    InterfaceMethod<"The row index that points into each of getTables().",
      "::llvm::SmallVector<::mlir::Value>", "getRowIndices", (ins)>,
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

#endif // FASTNORM_IR_INTERFACES_TD
