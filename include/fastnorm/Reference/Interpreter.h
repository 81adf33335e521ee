//===- Interpreter.h - Naive evaluation of a function -----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle that compiled kernels are compared with: f64 arithmetic and sums,
// rounded only where the graph says so.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_REFERENCE_INTERPRETER_H
#define FASTNORM_REFERENCE_INTERPRETER_H

#include "fastnorm/Support/HostTensor.h"
#include "fastnorm/Support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace fastnorm {

/// Evaluates a function of graph ops and of the kernel algebra, in any mixture.
///
/// - GraphOps: each op by its documented formula, its results rounded to their element types.
/// - RowProgram: the kernel algebra, row by row; f32 values stay f64, bf16 values are rounded by their `arith.truncf`.
///
/// `resultRows` says how many rows each result has (-1, or left out at the end: not known), where no argument tells: of
/// what is scattered to a dynamic number of rows.
///
/// An argument that the function's type does not fit, rows that an op wants equal and are not or that nothing tells,
/// and an op of another dialect are errors.
Result<std::vector<HostTensor>> interpret(mlir::func::FuncOp function, const std::vector<HostTensor> &arguments,
                                          const std::vector<int64_t> &resultRows = {});

} // namespace fastnorm

#endif // FASTNORM_REFERENCE_INTERPRETER_H
