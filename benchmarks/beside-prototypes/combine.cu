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

template <int Hidden, int Warps>
static bool launch(cudaStream_t stream, int rows, const void *expertRows, const long *rowIndex, const float *gate,
                   const void *residual, const float *weight, void *y) {
  moe<Hidden, 8, Warps, true, true><<<rows, Warps * 32, 0, stream>>>(static_cast<const uint4 *>(expertRows), rowIndex,
                                                                     gate, static_cast<const uint4 *>(residual), weight,
                                                                     static_cast<uint4 *>(y), rows);
  return true;
}

bool launchCombinePrototype(cudaStream_t stream, int rows, int hidden, int vectors, const void *expertRows,
                            const long *rowIndex, const float *gate, const void *residual, const float *weight,
                            void *y) {
  if (hidden == 3072 && vectors == 1)
    return launch<3072, 12>(stream, rows, expertRows, rowIndex, gate, residual, weight, y);
  if (hidden == 3072 && vectors == 2)
    return launch<3072, 6>(stream, rows, expertRows, rowIndex, gate, residual, weight, y);
  if (hidden == 2048 && vectors == 1)
    return launch<2048, 8>(stream, rows, expertRows, rowIndex, gate, residual, weight, y);
  if (hidden == 2048 && vectors == 2)
    return launch<2048, 4>(stream, rows, expertRows, rowIndex, gate, residual, weight, y);
  return false;
}
