//===- GraphOpEvaluation.h - Graph ops by their formulas --------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_REFERENCE_GRAPHOPEVALUATION_H
#define FASTNORM_LIB_REFERENCE_GRAPHOPEVALUATION_H

#include "Tensor.h"

#include "fastnorm/IR/GraphOps.h"
#include "fastnorm/Support/Result.h"

namespace fastnorm::reference {

/// One tensor per result, in the dtype of its type. `operands` are the op's, in order; `rows` is their number of rows.
/// `tableRows` says of each result how many rows it has, where it is scattered. The kernel algebra that an op
/// decomposes into plays no part.
Result<std::vector<Tensor>> evaluateGraphOp(mlir::Operation *op, const std::vector<const Tensor *> &operands,
                                            int64_t rows, const std::vector<int64_t> &tableRows);

/// The same of the gradients of norms.
std::vector<Tensor> evaluateBackward(RmsNormBackwardOp op, const std::vector<const Tensor *> &operands, int64_t rows);
std::vector<Tensor> evaluateBackward(LayerNormBackwardOp op, const std::vector<const Tensor *> &operands, int64_t rows);

/// The same of the gradients of combine; `tableRows` are the expert rows.
std::vector<Tensor> evaluateCombineBackward(CombineBackwardOp op, const std::vector<const Tensor *> &operands,
                                            int64_t rows, int64_t tableRows);

} // namespace fastnorm::reference

#endif // FASTNORM_LIB_REFERENCE_GRAPHOPEVALUATION_H
