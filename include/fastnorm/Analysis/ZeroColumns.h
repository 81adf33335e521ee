//===- ZeroColumns.h - Values that are zero where their inputs are -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_ANALYSIS_ZEROCOLUMNS_H
#define FASTNORM_ANALYSIS_ZEROCOLUMNS_H

#include "mlir/IR/Value.h"

namespace fastnorm {

/// Whether a value of a kernel's body is known to be zero in columns where all inputs that have hidden are, whatever
/// the other inputs are: a product with an infinite scalar would not be. Columns outside of the row, read as zero, need
/// not be left out of a sum of such a value.
bool isZeroWhereInputsAre(mlir::Value value);

} // namespace fastnorm

#endif // FASTNORM_ANALYSIS_ZEROCOLUMNS_H
