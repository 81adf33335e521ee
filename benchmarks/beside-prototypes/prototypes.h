//===- prototypes.h - The hand-written kernels beside ours ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_BENCHMARKS_BESIDE_PROTOTYPES_H
#define FASTNORM_BENCHMARKS_BESIDE_PROTOTYPES_H

#include <cuda_runtime.h>

/// rms_norm, or layer_norm whose bias is its weight, of bf16 rows with a bf16 weight; rstd (and mean) are written too.
/// `ctas` share a row, 1 or 4. False where there is no prototype.
bool launchNormPrototype(cudaStream_t stream, bool layerNorm, int rows, int hidden, int ctas, const void *x,
                         const void *weight, void *y, float *rstd, float *mean);

/// combine of `topK` rows + residual + rms_norm, `vectors` (1, 2 or 4) 16-byte vectors a thread. False where there is
/// none.
bool launchCombinePrototype(cudaStream_t stream, int rows, int topK, int hidden, int vectors, const void *expertRows,
                            const long *rowIndex, const float *gate, const void *residual, const float *weight,
                            void *y);

/// The gradients of a combine whose row_index names every row once. False where there is none.
bool launchCombineBackwardPrototype(cudaStream_t stream, int rows, int topK, int hidden, int vectors,
                                    const void *gradOutput, const void *expertRows, const long *rowIndex,
                                    const float *gate, void *gradExpertRows, float *gradGate);

/// Device memory of a gradient of a norm: bf16 but for the statistics and the partial sums, which are f32.
struct BackwardPointers {
  const void *x, *gradOutput, *weight;
  const float *rstd, *mean;
  void *gradInput, *gradWeight, *gradBias;
  float *weightPartials, *biasPartials; ///< multiprocessors × hidden elements
};

/// rms_norm or layer_norm backward with gradients of input and weight (and bias), finalize included; `finalizeMode` 0
/// to 2: its tile, from narrow to wide. False where there is no prototype.
bool launchBackwardPrototype(cudaStream_t stream, bool layerNorm, int rows, int hidden, int finalizeMode,
                             const BackwardPointers &pointers);

#endif // FASTNORM_BENCHMARKS_BESIDE_PROTOTYPES_H
