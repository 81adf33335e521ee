//===- RowValues.h - Rows of tensors as f64 ---------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_REFERENCE_ROWVALUES_H
#define FASTNORM_LIB_REFERENCE_ROWVALUES_H

#include "Tensor.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace fastnorm::reference {

/// Zeros of a result's dtype. Its row dimensions hold the rows given, the rest of the shape is from its type.
HostTensor emptyResult(mlir::Value value, int64_t rows);

std::vector<double> readRow(const Tensor &tensor, int64_t row);
void storeRow(HostTensor &tensor, int64_t row, const std::vector<double> &values);
/// All elements of a tensor.
std::vector<double> elementsOf(const Tensor &tensor);

/// Rows of a block, of at most 64: blocks are added up in order, so that sums over rows do not depend on who worked on
/// them, and more of them would hold more sums than their rows are worth.
int64_t rowsOfBlock(int64_t rows);
double meanOf(const std::vector<double> &values);
/// The nearest value that a dtype has.
double roundTo(DType dtype, double value);

} // namespace fastnorm::reference

#endif // FASTNORM_LIB_REFERENCE_ROWVALUES_H
