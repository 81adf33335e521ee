//===- Prepare.h - From the command line to something to run ----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_PREPARE_H
#define FASTNORM_TOOLS_RUN_PREPARE_H

#include "Exit.h"
#include "Options.h"
#include "Source.h"

#include "runtime/Device.h"

#include <optional>

namespace fastnorm::tool {

struct Prepared {
  Source source;
  CompileOptions compileOptions;
  double readMilliseconds = 0; ///< of the source
};

/// Reads the source, and opens the device unless one is open already or none is needed. Where it fails it says why, and
/// `exit` is how the tool ends.
std::optional<Prepared> prepare(const Options &options, std::unique_ptr<Device> &device, Exit &exit);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_PREPARE_H
