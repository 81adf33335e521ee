//===- CompareCommand.h - Times two plans against each other ----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_COMPARECOMMAND_H
#define FASTNORM_TOOLS_RUN_COMPARECOMMAND_H

#include "Exit.h"
#include "Options.h"

namespace fastnorm::tool {

/// Runs the two compiled plans that the options name and times them in turns, so that what the device does meanwhile
/// happens to both; reports both, and the ratio of their times with its 95 % interval. On the emulator both are
/// counted.
Exit compareCommand(const Options &options);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_COMPARECOMMAND_H
