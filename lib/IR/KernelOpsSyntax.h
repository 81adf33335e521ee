//===- KernelOpsSyntax.h - Text of the kernel algebra -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The custom directives that the generated parsers and printers of the kernel
// ops call.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_IR_KERNELOPSSYNTAX_H
#define FASTNORM_LIB_IR_KERNELOPSSYNTAX_H

#include "fastnorm/IR/Dialect.h"

namespace fastnorm {

/// "[row, hidden]"
mlir::ParseResult parseBareAxes(mlir::OpAsmParser &parser, AxesAttr &axes);
void printBareAxes(mlir::OpAsmPrinter &printer, mlir::Operation *op, AxesAttr axes);

/// "%x [row, hidden], %rstd [row]"
mlir::ParseResult parseOperandsWithAxes(mlir::OpAsmParser &parser,
                                        mlir::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands,
                                        mlir::ArrayAttr &axes);
void printOperandsWithAxes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange operands,
                           mlir::ArrayAttr axes);

} // namespace fastnorm

#endif // FASTNORM_LIB_IR_KERNELOPSSYNTAX_H
