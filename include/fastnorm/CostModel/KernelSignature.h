//===- KernelSignature.h - What a kernel is, as one line --------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_COSTMODEL_KERNELSIGNATURE_H
#define FASTNORM_COSTMODEL_KERNELSIGNATURE_H

#include "fastnorm/Analysis/AccessPattern.h"

#include <string>

namespace fastnorm {

/// All that the speed of a kernel follows from beside its schedule, its number of rows and the GPU: its ops with their
/// axes, types and sizes, what is computed in place, and how its operands are aligned. Left out are names, the values
/// of constants, the schedule, and the extent of the first row dimension (`?` whether it is static or not). Two kernels
/// with one signature may have each other's schedules.
std::string kernelSignature(const AccessPattern &pattern);

} // namespace fastnorm

#endif // FASTNORM_COSTMODEL_KERNELSIGNATURE_H
