//===- Exit.h - How the tool ends -------------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_EXIT_H
#define FASTNORM_TOOLS_RUN_EXIT_H

#include <string>

namespace fastnorm::tool {

enum class Exit : int {
  Done = 0,
  Failed = 1, ///< compiling, running or checking failed
  BadUse = 2, ///< the command line is wrong, by itself or for the graph
};

/// Prints one sentence to stderr and returns the status.
Exit failed(const std::string &message);
Exit badUse(const std::string &message);

/// Prints what a person may want to know to stderr.
void note(const std::string &message);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_EXIT_H
