//===- combine.cu - The combine prototypes --------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prototypes.h"

// The prototypes stand in one file with a main of their own.
#define main prototypesMain
#include <combine.cu>
#undef main

namespace {

struct Call {
  cudaStream_t stream;
  int rows;
  const void *expertRows;
  const long *rowIndex;
  const float *gate;
  const void *residual; ///< grad_output of a gradient
  const float *weight;  ///< of the forward direction
  void *result;         ///< y, or grad_expert_rows
  float *gradGate;      ///< of a gradient; nullptr: forward
};

} // namespace

template <int TopK, int Hidden, int Vectors> static bool launch(const Call &call) {
  constexpr int kWarps = Hidden / 8 / 32 / Vectors;
  auto *expertRows = static_cast<const uint4 *>(call.expertRows);
  auto *residual = static_cast<const uint4 *>(call.residual);
  auto *result = static_cast<uint4 *>(call.result);
  if (call.gradGate)
    cbwd<Hidden, TopK, kWarps><<<call.rows, kWarps * 32, 0, call.stream>>>(residual, expertRows, call.rowIndex,
                                                                           call.gate, result, call.gradGate, call.rows);
  else
    moe<Hidden, TopK, kWarps, true, true><<<call.rows, kWarps * 32, 0, call.stream>>>(
        expertRows, call.rowIndex, call.gate, residual, call.weight, result, call.rows);
  return true;
}

/// Those that the prototypes' own program times: no more than 16 warps, whole vectors.
template <int TopK, int Hidden> static bool launch(const Call &call, int vectors) {
  if constexpr (Hidden <= 4096)
    if (vectors == 1)
      return launch<TopK, Hidden, 1>(call);
  if constexpr (Hidden % 1024 == 0)
    if (vectors == 4)
      return launch<TopK, Hidden, 4>(call);
  return vectors == 2 && launch<TopK, Hidden, 2>(call);
}

static bool launch(const Call &call, int topK, int hidden, int vectors) {
  if (topK == 8 && hidden == 2048)
    return launch<8, 2048>(call, vectors);
  if (topK == 8 && hidden == 3072)
    return launch<8, 3072>(call, vectors);
  if (topK == 8 && hidden == 7168)
    return launch<8, 7168>(call, vectors);
  if (topK == 4 && hidden == 4096)
    return launch<4, 4096>(call, vectors);
  if (topK == 2 && hidden == 6144)
    return launch<2, 6144>(call, vectors);
  return topK == 1 && hidden == 4096 && launch<1, 4096>(call, vectors);
}

bool launchCombinePrototype(cudaStream_t stream, int rows, int topK, int hidden, int vectors, const void *expertRows,
                            const long *rowIndex, const float *gate, const void *residual, const float *weight,
                            void *y) {
  return launch({stream, rows, expertRows, rowIndex, gate, residual, weight, y, nullptr}, topK, hidden, vectors);
}

bool launchCombineBackwardPrototype(cudaStream_t stream, int rows, int topK, int hidden, int vectors,
                                    const void *gradOutput, const void *expertRows, const long *rowIndex,
                                    const float *gate, void *gradExpertRows, float *gradGate) {
  return launch({stream, rows, expertRows, rowIndex, gate, gradOutput, nullptr, gradExpertRows, gradGate}, topK, hidden,
                vectors);
}
