//===- ColumnFinalize.h - The launch that adds up partials -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows the column reductions of a kernel runs in a launch behind the
// one that works on the rows: it adds up the partials (PartialsLayout.h),
// computes the maps of the sums, and stores the kernel's column results.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNFINALIZE_H
#define FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNFINALIZE_H

#include "FinalizeInterface.h"

namespace fastnorm {

/// Fills the body of `interface.function`; the builder stands before its gpu.return.
void emitFinalize(mlir::OpBuilder &builder, const AccessPattern &pattern, ScheduleAttr schedule,
                  const FinalizeInterface &interface);

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_FASTNORMTOGPU_COLUMNFINALIZE_H
