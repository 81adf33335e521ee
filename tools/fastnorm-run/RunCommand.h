//===- RunCommand.h - Compile, run, check, time -----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_RUNCOMMAND_H
#define FASTNORM_TOOLS_RUN_RUNCOMMAND_H

#include "Exit.h"
#include "Options.h"
#include "Source.h"

#include "runtime/Bench/Measurement.h"
#include "runtime/Device.h"

namespace fastnorm::tool {

/// Compiles the source, runs it on a device, writes its results, prints the kernel table, and checks and times it
/// where asked to. With `collected` the measurement goes there instead of being reported; it is Done only where it is
/// whole.
Exit runCommand(const Options &options, const Source &source, const CompileOptions &compileOptions, Device &device,
                std::vector<Measurement> *collected = nullptr);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_RUNCOMMAND_H
