//===- KnownTargets.h - GPUs by name -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TARGET_KNOWNTARGETS_H
#define FASTNORM_TARGET_KNOWNTARGETS_H

#include "fastnorm/IR/Dialect.h"
#include "fastnorm/Support/Result.h"

namespace fastnorm {

/// The target of a name ("h200") or of a chip ("sm_90": the card that stands for it, see `cardOfChip`). An unknown name
/// is an error that lists the known ones.
Result<TargetAttr> findTarget(mlir::MLIRContext *context, llvm::StringRef nameOrChip);

/// The card that a bare chip name assumes: "sm_90" assumes "h200". Empty for an unknown chip.
llvm::StringRef cardOfChip(llvm::StringRef chip);

} // namespace fastnorm

#endif // FASTNORM_TARGET_KNOWNTARGETS_H
