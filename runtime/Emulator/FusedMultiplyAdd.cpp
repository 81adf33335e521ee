//===- FusedMultiplyAdd.cpp - Exact fma of all lanes ----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Picks by what the processor says at run time, so that one binary runs anywhere.
//
//===----------------------------------------------------------------------===//

#include "FusedMultiplyAdd.h"

#include "Program.h"

#include <cmath>
#include <cstring>

namespace fastnorm::emulator {

static void fusePortable(float *d, const float *a, const float *b, const float *c) {
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    d[lane] = std::fma(a[lane], b[lane], c[lane]);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void fuseHardware(float *d, const float *a, const float *b, const float *c) {
  float values[warpLanes];
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    values[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
  std::memcpy(d, values, sizeof(values));
}
#endif

FusedMultiplyAddF32 chooseFusedMultiplyAddF32() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return fuseHardware;
#endif
  return fusePortable;
}

FusedMultiplyAddF32 portableFusedMultiplyAddF32() { return fusePortable; }

} // namespace fastnorm::emulator
