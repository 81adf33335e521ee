//===- VerifyTensors.h - Whether a plan's tensors make sense ----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_PLAN_VERIFYTENSORS_H
#define FASTNORM_LIB_PLAN_VERIFYTENSORS_H

#include "fastnorm/Plan/Plan.h"

namespace fastnorm {

/// Names, shapes, strides, alignment, indices and ties of the arguments and results.
Status verifyTensors(const Plan &plan);

/// Whether `index` counts one of `count` things.
inline bool isIndexOf(int64_t index, size_t count) { return index >= 0 && index < static_cast<int64_t>(count); }

inline bool isPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

/// "1 symbol", "2 symbols".
std::string counted(size_t count, const char *noun);

} // namespace fastnorm

#endif // FASTNORM_LIB_PLAN_VERIFYTENSORS_H
