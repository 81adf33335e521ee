//===- norms.cu - The norm prototypes -------------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prototypes.h"

#include "ks.cuh"

template <int Hidden, int Ctas, int Threads, bool LayerNorm, int MinCtas>
static bool launch(cudaStream_t stream, int rows, P parameters) {
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = Ctas;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(rows * Ctas);
  config.blockDim = dim3(Threads);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = Ctas > 1 ? 1 : 0;
  return cudaLaunchKernelEx(&config, fwdL<Hidden, Ctas, Threads, LayerNorm, 0, MinCtas>, parameters) == cudaSuccess;
}

template <bool LayerNorm> static bool launchNorm(cudaStream_t stream, int rows, int hidden, int ctas, P parameters) {
  if (ctas == 4 && hidden == 16384)
    return launch<16384, 4, 256, LayerNorm, 1>(stream, rows, parameters);
  if (ctas == 4 && hidden == 4096)
    return launch<4096, 4, 128, LayerNorm, 1>(stream, rows, parameters);
  if (ctas != 1)
    return false;
  switch (hidden) {
  case 1024: return launch<1024, 1, 128, LayerNorm, 1>(stream, rows, parameters);
  case 2048: return launch<2048, 1, 128, LayerNorm, 1>(stream, rows, parameters);
  case 4096: return launch<4096, 1, 256, LayerNorm, 1>(stream, rows, parameters);
  case 8192: return launch<8192, 1, 512, LayerNorm, 1>(stream, rows, parameters);
  case 16384: return launch<16384, 1, 512, LayerNorm, 2>(stream, rows, parameters);
  case 32768: return launch<32768, 1, 512, LayerNorm, 2>(stream, rows, parameters);
  default: return false;
  }
}

bool launchNormPrototype(cudaStream_t stream, bool layerNorm, int rows, int hidden, int ctas, const void *x,
                         const void *weight, void *y, float *rstd, float *mean) {
  P parameters = {};
  parameters.x = static_cast<const uint4 *>(x);
  parameters.w = static_cast<const uint4 *>(weight);
  parameters.dx = static_cast<uint4 *>(y);
  parameters.pw = rstd;
  parameters.pb = mean;
  parameters.R = rows;
  return layerNorm ? launchNorm<true>(stream, rows, hidden, ctas, parameters)
                   : launchNorm<false>(stream, rows, hidden, ctas, parameters);
}
