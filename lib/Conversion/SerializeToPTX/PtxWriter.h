//===- PtxWriter.h - PTX text from LLVM IR -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_CONVERSION_SERIALIZETOPTX_PTXWRITER_H
#define FASTNORM_LIB_CONVERSION_SERIALIZETOPTX_PTXWRITER_H

#include "fastnorm/IR/Dialect.h"
#include "fastnorm/Support/Result.h"

#include "llvm/IR/Module.h"

#include <string>

namespace fastnorm {

/// Optimizes a module for the target's chip and writes it in a PTX version (times ten). Works in process, without a
/// CUDA toolkit.
Result<std::string> writePtx(llvm::Module &module, TargetAttr target, int64_t ptxVersion);

} // namespace fastnorm

#endif // FASTNORM_LIB_CONVERSION_SERIALIZETOPTX_PTXWRITER_H
