//===- ScatterKernels.h - Kernels that scatters need -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TRANSFORMS_SCATTERKERNELS_H
#define FASTNORM_LIB_TRANSFORMS_SCATTERKERNELS_H

#include "mlir/IR/Block.h"

namespace fastnorm {

/// Gives the scatters of a block's kernels what other kernels have to do for them. One that adds up slots which name
/// one row works on the rows of its result, and so gets a kernel of its own. One that stores to some rows only goes
/// into what a kernel has filled, whose buffer it takes over: into zeros, or a copy of what is not to be written over.
void prepareScatters(mlir::Block &block);

} // namespace fastnorm

#endif // FASTNORM_LIB_TRANSFORMS_SCATTERKERNELS_H
