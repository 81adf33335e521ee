//===- KernelOps.h - The kernel algebra -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_IR_KERNELOPS_H
#define FASTNORM_IR_KERNELOPS_H

#include "fastnorm/IR/Dialect.h"
#include "fastnorm/IR/Interfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

#define GET_OP_CLASSES
#include "fastnorm/IR/KernelOps.h.inc"

namespace fastnorm {

/// The axes of a value inside a kernel: what its producer says, or, for a block argument, what its uses say.
/// Nothing for a table and for an argument without uses.
AxesAttr axesOf(mlir::Value value);

/// The axes that one use, by an op of the algebra or a yield, gives to a value; nothing for a table and for a yield.
AxesAttr axesOfUse(mlir::OpOperand &use);

/// Whether a value's rows are counted by an index and not by the kernel: a block argument that a gather chooses rows
/// from or that a scatter goes into, or the result of a scatter.
bool isTable(mlir::Value value);

/// Whether a value of a kernel is the result of a scatter.
bool isScattered(mlir::Value value);

/// Whether an op of a kernel is a reduction over row: it leaves one element per column.
bool isColumnReduction(mlir::Operation *op);

/// Adds to values what the ops of a block compute from any of them.
void addComputed(mlir::Block &block, llvm::DenseSet<mlir::Value> &values);

/// The values of a kernel that are computed from a reduction over row: they are known when all rows were worked on.
llvm::DenseSet<mlir::Value> columnValues(KernelOp kernel);

/// What an input, or what is yielded, is outside of its kernel.
mlir::Value outsideOf(KernelOp kernel, mlir::Value value);

/// A value of a kernel's body that has all its row dimensions: a result, or what a result reduces over row.
mlir::Value rowCarrier(KernelOp kernel);

/// An operand or result of a kernel whose first dimension is the first row dimension; a result where one has rows.
mlir::Value rowOperand(KernelOp kernel);

} // namespace fastnorm

#endif // FASTNORM_IR_KERNELOPS_H
