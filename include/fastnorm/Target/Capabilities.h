//===- Capabilities.h - What a chip can do -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TARGET_CAPABILITIES_H
#define FASTNORM_TARGET_CAPABILITIES_H

#include "fastnorm/IR/Dialect.h"

namespace fastnorm {

/// Whether two f32 can be rounded to f8E4M3FN by one instruction: sm_90 and later from PTX 7.8, sm_89 from PTX 8.1 (PTX
/// ISA, cvt).
bool supportsF8Conversion(TargetAttr target);

/// Whether rows can be on their way into shared memory without registers (cp.async.bulk): sm_90 and later (PTX
/// ISA 8.0).
bool supportsBulkCopies(TargetAttr target);

/// Whether a thread can copy its own vectors likewise (cp.async): sm_80 and later (PTX ISA 7.0).
bool supportsAsyncCopies(TargetAttr target);

/// Whether one instruction adds up to four f32 to neighbours in global memory (red.v4.f32): sm_90 and later (PTX ISA
/// 8.1).
bool supportsVectorReductions(TargetAttr target);

} // namespace fastnorm

#endif // FASTNORM_TARGET_CAPABILITIES_H
