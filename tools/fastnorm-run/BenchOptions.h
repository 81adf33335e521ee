//===- BenchOptions.h - The flags of measuring ------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_BENCHOPTIONS_H
#define FASTNORM_TOOLS_RUN_BENCHOPTIONS_H

#include "CommandLine.h"
#include "Options.h"

namespace fastnorm::tool {

/// Reads them into the options, and checks that they go together.
Status readBenchOptions(const CommandLine &line, Options &options);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_BENCHOPTIONS_H
