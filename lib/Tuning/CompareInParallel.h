//===- CompareInParallel.h - Large results, on all cores --------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TUNING_COMPAREINPARALLEL_H
#define FASTNORM_LIB_TUNING_COMPAREINPARALLEL_H

#include "runtime/TensorIO/Compare.h"

namespace fastnorm {

/// As compare; of large tensors parts of the first dimension at the same time, each as if it were all. The answer is
/// that of the first part that does not match, else of the one with the largest error.
Result<Comparison> compareInParallel(const HostTensor &got, const HostTensor &reference, const std::string &label,
                                     std::optional<DType> roundedOnTheWay);

} // namespace fastnorm

#endif // FASTNORM_LIB_TUNING_COMPAREINPARALLEL_H
