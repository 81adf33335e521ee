//===- norms.cu - The norm prototypes -------------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prototypes.h"

#include "ks.cuh"

template <int Hidden, int Threads, int MinCtas = 1>
static bool launch(cudaStream_t stream, int rows, P parameters) {
  fwdL<Hidden, 1, Threads, false, 0, MinCtas><<<rows, Threads, 0, stream>>>(parameters);
  return true;
}

bool launchNormPrototype(cudaStream_t stream, int rows, int hidden, const void *x, const void *weight, void *y,
                         float *rstd) {
  P parameters = {};
  parameters.x = static_cast<const uint4 *>(x);
  parameters.w = static_cast<const uint4 *>(weight);
  parameters.dx = static_cast<uint4 *>(y);
  parameters.pw = rstd;
  parameters.R = rows;
  switch (hidden) {
  case 1024:
    return launch<1024, 128>(stream, rows, parameters);
  case 2048:
    return launch<2048, 128>(stream, rows, parameters);
  case 4096:
    return launch<4096, 256>(stream, rows, parameters);
  case 8192:
    return launch<8192, 512>(stream, rows, parameters);
  case 16384:
    return launch<16384, 512, 2>(stream, rows, parameters);
  case 32768:
    return launch<32768, 512, 2>(stream, rows, parameters);
  default:
    return false;
  }
}
