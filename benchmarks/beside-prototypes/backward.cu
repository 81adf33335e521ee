//===- backward.cu - The prototypes of the norms' gradients ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prototypes.h"

#include "ks.cuh"

#include <algorithm>

/// Values kept as f32, stages issued one after the other, statistics a row ahead, cached stores.
static constexpr int kFlags = KEEPF | STG | OSTAT | STD;

static int multiprocessors() {
  static const int count = [] {
    cudaDeviceProp properties;
    return cudaGetDeviceProperties(&properties, 0) == cudaSuccess ? properties.multiProcessorCount : 0;
  }();
  return count;
}

template <int Hidden, int Ctas, bool LayerNorm, int Width, int Threads>
static bool finalize(cudaStream_t stream, const P &parameters, int partials) {
  fin5<Hidden, Hidden / Ctas, Width, Threads><<<dim3(Hidden / (Width * 4), LayerNorm ? 2 : 1), Threads, 0, stream>>>(
      parameters.pw, parameters.pb, parameters.dw, parameters.db, partials);
  return cudaGetLastError() == cudaSuccess;
}

template <int Hidden, int Ctas, int Threads, int Groups, int Stages, bool LayerNorm>
static bool launch(cudaStream_t stream, int mostCtas, int finalizeMode, P parameters) {
  auto kernel = bwdS<Hidden, Ctas, Threads, Groups, Stages, LayerNorm, kFlags, 1>;
  constexpr size_t kSums = (LayerNorm ? 2 : 1) * (Threads / 32) * Ctas * 4;
  constexpr size_t kRing = size_t(Groups) * Stages * 2 * (Hidden / Ctas) * 2 + size_t(Groups) * (Stages + 2) * 8;
  constexpr size_t kShared = (kRing + 15) / 16 * 16 + (size_t(Groups) * 2 * kSums + 15) / 16 * 16;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = Ctas;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(multiprocessors() / Ctas * Ctas);
  config.blockDim = dim3(Threads * Groups);
  config.dynamicSmemBytes = kShared;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = Ctas > 1 ? 1 : 0;
  static const int mostAtOnce = [&] {
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kShared)) != cudaSuccess)
      return 0;
    if (Ctas == 1)
      return multiprocessors();
    int clusters = 0;
    return cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess ? clusters * Ctas : 0;
  }();
  int grid = mostCtas ? std::min(mostAtOnce, mostCtas) : mostAtOnce;
  grid = std::min(grid, (parameters.R + Groups - 1) / Groups * Ctas);
  config.gridDim = dim3(grid);
  if (grid <= 0 || cudaLaunchKernelEx(&config, kernel, parameters) != cudaSuccess)
    return false;
  constexpr int kWidth = Hidden <= 2048 ? 2 : Hidden <= 4096 ? 4 : 8;
  switch (finalizeMode) {
  case 0: return finalize<Hidden, Ctas, LayerNorm, kWidth, 256>(stream, parameters, grid / Ctas);
  case 1: return finalize<Hidden, Ctas, LayerNorm, kWidth * 2, 256>(stream, parameters, grid / Ctas);
  default: return finalize<Hidden, Ctas, LayerNorm, kWidth * 4, 256>(stream, parameters, grid / Ctas);
  }
}

template <bool LayerNorm> static bool launchBackward(cudaStream_t stream, int hidden, int mode, const P &p) {
  bool isFew = p.R <= 1024;
  switch (hidden) {
  case 1024:
    return isFew ? launch<1024, 1, 128, 2, 2, LayerNorm>(stream, 128, mode, p)
                 : launch<1024, 1, 64, 8, 2, LayerNorm>(stream, 0, mode, p);
  case 2048: return launch<2048, 1, 128, 4, 2, LayerNorm>(stream, 0, mode, p);
  case 3072: return launch<3072, 1, 192, 2, 3, LayerNorm>(stream, 0, mode, p);
  case 4096:
    return isFew ? launch<4096, 1, 256, 1, 2, LayerNorm>(stream, 128, mode, p)
                 : launch<4096, 1, 256, 2, 2, LayerNorm>(stream, 128, mode, p);
  case 5120: return launch<5120, 2, 160, 3, LayerNorm ? 3 : 2, LayerNorm>(stream, 0, mode, p);
  case 7168:
    return launch<7168, LayerNorm ? 2 : 1, LayerNorm ? 224 : 448, LayerNorm ? 2 : 1, 3, LayerNorm>(stream, 0, mode, p);
  case 8192: return launch<8192, 4, LayerNorm ? 64 : 128, 4, 2, LayerNorm>(stream, 0, mode, p);
  case 16384: return launch<16384, 8, LayerNorm ? 64 : 128, 4, 2, LayerNorm>(stream, 0, mode, p);
  default: return false;
  }
}

bool launchBackwardPrototype(cudaStream_t stream, bool layerNorm, int rows, int hidden, int finalizeMode,
                             const BackwardPointers &pointers) {
  P parameters = {};
  parameters.x = static_cast<const uint4 *>(pointers.x);
  parameters.dy = static_cast<const uint4 *>(pointers.gradOutput);
  parameters.w = static_cast<const uint4 *>(pointers.weight);
  parameters.rstd = pointers.rstd;
  parameters.mean = pointers.mean;
  parameters.dx = static_cast<uint4 *>(pointers.gradInput);
  parameters.pw = pointers.weightPartials;
  parameters.pb = pointers.biasPartials;
  parameters.dw = static_cast<bf *>(pointers.gradWeight);
  parameters.db = static_cast<bf *>(pointers.gradBias);
  parameters.R = rows;
  return layerNorm ? launchBackward<true>(stream, hidden, finalizeMode, parameters)
                   : launchBackward<false>(stream, hidden, finalizeMode, parameters);
}
