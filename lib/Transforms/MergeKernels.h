//===- MergeKernels.h - Make one kernel of two ------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TRANSFORMS_MERGEKERNELS_H
#define FASTNORM_LIB_TRANSFORMS_MERGEKERNELS_H

#include "fastnorm/Analysis/Symbols.h"
#include "fastnorm/IR/KernelOps.h"

#include <string>

namespace fastnorm {

/// Why `consumer` cannot be fused with the `producer` of one of its inputs; empty when it can.
std::string whyNotFusible(KernelOp producer, KernelOp consumer, const Symbols &symbols);

/// One kernel that computes what both do; built beside them, before `consumer`.
KernelOp mergeBeside(KernelOp producer, KernelOp consumer);

/// Puts `merged` in the place of both, and every op of the block behind what it reads.
void replaceBoth(KernelOp producer, KernelOp consumer, KernelOp merged);

} // namespace fastnorm

#endif // FASTNORM_LIB_TRANSFORMS_MERGEKERNELS_H
