//===- ExplainPlans.h - Why kernels are grouped so --------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TRANSFORMS_EXPLAINPLANS_H
#define FASTNORM_TRANSFORMS_EXPLAINPLANS_H

#include "fastnorm/IR/Dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace fastnorm {

/// A page of text about a function after fastnorm-decompose: the ways to group its kernels with their times, the best
/// first and the one that is chosen marked by `*`, what each kernel's time is made of, which grouping serves which
/// rows, and what would make the chosen one faster. For the value that `known` has of the rows' symbol, else for many
/// rows. Fails with a diagnostic.
mlir::FailureOr<std::string> explainPlans(mlir::func::FuncOp function, TargetAttr target, bool isRowInvariant,
                                          const llvm::StringMap<int64_t> &known);

} // namespace fastnorm

#endif // FASTNORM_TRANSFORMS_EXPLAINPLANS_H
