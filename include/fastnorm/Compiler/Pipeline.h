//===- Pipeline.h - The order of the passes -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_COMPILER_PIPELINE_H
#define FASTNORM_COMPILER_PIPELINE_H

#include "fastnorm/Compiler/Compiler.h"

#include "mlir/Pass/PassManager.h"

namespace fastnorm {

/// Whether `stage` is one of stageNames(); the error lists them.
Status checkStage(llvm::StringRef stage);

/// Adds the passes of one stage, which must be known.
void buildStage(mlir::OpPassManager &passes, const CompileOptions &options, llvm::StringRef stage);

/// Adds the passes of every stage up to and including one. The stage must be known.
void buildPipeline(mlir::OpPassManager &passes, const CompileOptions &options, llvm::StringRef untilStage);

/// Registers the passes and the pipeline `fastnorm-pipeline` for tools that take passes by flag.
void registerPassesAndPipeline();

} // namespace fastnorm

#endif // FASTNORM_COMPILER_PIPELINE_H
