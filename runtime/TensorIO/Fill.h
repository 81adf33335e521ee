//===- Fill.h - Seeded data for tensors -------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every element is a function of the seed, the tensor's name and its index
// alone: the same on every machine, and whatever else is filled.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_TENSORIO_FILL_H
#define FASTNORM_RUNTIME_TENSORIO_FILL_H

#include "fastnorm/Plan/Plan.h"
#include "fastnorm/Support/HostTensor.h"
#include "runtime/TensorIO/FillRole.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fastnorm {

/// The values that normal elements take: mean + scale * CounterRandom::normalSum(index) in f64, rounded to f32 and then
/// to the dtype. The scale has 24 bits, so that the product is exact and may be fused into the sum.
struct NormalValues {
  double mean = 0.0;
  double scale = 0.0;

  static NormalValues of(const FillRole &role);
};

/// `indexedCount` is how many rows an index may name; with 0 of them every slot is dropped (-1). An error where a
/// permutation has more elements than there are rows, and where memory is short.
Result<HostTensor> fillTensor(const FillRole &role, DType dtype, const std::vector<int64_t> &shape, uint64_t seed,
                              std::string_view name, int64_t indexedCount = 0);

/// Some rows (entries of the first dimension) of what fillTensor gives for a role that is no index.
Result<HostTensor> fillRows(const FillRole &role, DType dtype, const std::vector<int64_t> &shape,
                            const std::vector<int64_t> &rows, uint64_t seed, std::string_view name);

/// The tensor for a plan's argument; the symbols have values.
Result<HostTensor> fillArgument(const TensorSpec &spec, const std::vector<int64_t> &symbolValues, uint64_t seed,
                                const FillRole &role);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_FILL_H
