//===- Ties.h - Arguments that results are written over ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TRANSFORMS_TIES_H
#define FASTNORM_LIB_TRANSFORMS_TIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fastnorm {

/// An op that reads an argument after a result was written over it.
struct LateRead {
  mlir::Operation *reader = nullptr; ///< null: there is none
  unsigned argument = 0;
  int64_t result = 0;
};

/// The first such op of a function whose ops stand in the order they are launched in.
LateRead findLateRead(mlir::func::FuncOp function);

} // namespace fastnorm

#endif // FASTNORM_LIB_TRANSFORMS_TIES_H
