//===- SweepCommand.h - The same at many points -----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_SWEEPCOMMAND_H
#define FASTNORM_TOOLS_RUN_SWEEPCOMMAND_H

#include "Exit.h"
#include "Options.h"

namespace fastnorm::tool {

/// Runs, times or tunes the graph at every point of --sweep, says on stderr how far it is, and reports all points
/// together. What fails at a point is said there; the others go on.
Exit sweepCommand(const Options &options);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_SWEEPCOMMAND_H
