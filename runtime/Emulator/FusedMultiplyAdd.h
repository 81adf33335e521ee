//===- FusedMultiplyAdd.h - Exact fma of all lanes --------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one operation whose speed depends on the host: with the instruction it is
// a vector loop, without it a library call a lane. Both round once.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_FUSEDMULTIPLYADD_H
#define FASTNORM_RUNTIME_EMULATOR_FUSEDMULTIPLYADD_H

namespace fastnorm::emulator {

/// d = a * b + c for 32 lanes; d may be one of the others.
using FusedMultiplyAddF32 = void (*)(float *d, const float *a, const float *b, const float *c);

/// The fastest that this host can run.
FusedMultiplyAddF32 chooseFusedMultiplyAddF32();
/// The library call; the same results on every host.
FusedMultiplyAddF32 portableFusedMultiplyAddF32();

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_FUSEDMULTIPLYADD_H
