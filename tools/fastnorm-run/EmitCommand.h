//===- EmitCommand.h - Compile and write, without running -------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_EMITCOMMAND_H
#define FASTNORM_TOOLS_RUN_EMITCOMMAND_H

#include "Exit.h"
#include "Options.h"
#include "Source.h"

namespace fastnorm::tool {

/// What --emit or --dump asks for.
Exit emitCommand(const Options &options, const Source &source, const CompileOptions &compileOptions);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_EMITCOMMAND_H
