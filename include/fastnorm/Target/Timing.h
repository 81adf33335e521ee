//===- Timing.h - How fast a GPU answers ------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TARGET_TIMING_H
#define FASTNORM_TARGET_TIMING_H

#include "fastnorm/IR/Dialect.h"

namespace fastnorm {

/// The timing that a target states, or one modelled from the H200's: its times, and of its bandwidths the share that
/// the target's datasheet has of the H200's.
TimingAttr timingOf(TargetAttr target);

} // namespace fastnorm

#endif // FASTNORM_TARGET_TIMING_H
