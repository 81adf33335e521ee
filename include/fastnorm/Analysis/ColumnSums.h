//===- ColumnSums.h - Results that are sums over rows -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_ANALYSIS_COLUMNSUMS_H
#define FASTNORM_ANALYSIS_COLUMNSUMS_H

#include "fastnorm/Analysis/AccessPattern.h"

namespace fastnorm {

/// A result of f32 that is a sum over rows and nothing more, but for an old sum that it is added to.
struct PlainColumnSum {
  unsigned result = 0;     ///< of the kernel, by number
  int64_t reduction = 0;   ///< among the kernel's column reductions
  mlir::BlockArgument old; ///< f32 [hidden]; null: none
  bool isInPlace = false;  ///< the old sum lies in the result's buffer
};

/// Those of a kernel, in the order of its results.
llvm::SmallVector<PlainColumnSum> plainColumnSums(const AccessPattern &pattern);

/// Why CTAs cannot add their sums over rows right to a kernel's results; nothing where they can.
std::optional<std::string> whyNotAddedInPlace(const AccessPattern &pattern);

} // namespace fastnorm

#endif // FASTNORM_ANALYSIS_COLUMNSUMS_H
