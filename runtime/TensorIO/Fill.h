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

#include <cstdint>
#include <string_view>
#include <vector>

namespace fastnorm {

/// What a tensor is to a graph, and so which values are like real ones.
enum class FillRole : uint8_t {
  Activation,   ///< normal, mean 0, deviation 1; as i8, deviation 32
  Gate,         ///< positive; the last dimension (slots) sums to 1 before rounding
  Weight,       ///< normal around 1, deviation 0.1
  OffsetWeight, ///< normal around 0, deviation 0.1: stored without the 1 that weight_offset adds
  RowIndex,     ///< a permutation where counts allow, else uniform valid indices
};

/// The role by name and dtype: a tensor that indexes is a RowIndex, "gate" a Gate, and what ends in "weight" a Weight.
FillRole guessFillRole(const TensorSpec &spec);

/// `indexedCount` is how many rows a RowIndex may name: with as many elements it is a random permutation, otherwise
/// uniform; with 0 rows every slot is dropped (-1).
HostTensor fillTensor(FillRole role, DType dtype, const std::vector<int64_t> &shape, uint64_t seed,
                      std::string_view name, int64_t indexedCount = 0);

/// The tensor for a plan's argument; the symbols have values.
Result<HostTensor> fillArgument(const TensorSpec &spec, const std::vector<int64_t> &symbolValues, uint64_t seed,
                                FillRole role);
Result<HostTensor> fillArgument(const TensorSpec &spec, const std::vector<int64_t> &symbolValues, uint64_t seed);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_FILL_H
