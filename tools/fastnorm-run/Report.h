//===- Report.h - What a run prints and writes ------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_REPORT_H
#define FASTNORM_TOOLS_RUN_REPORT_H

#include "Exit.h"
#include "Options.h"

namespace fastnorm::tool {

/// Prints or writes what --report asks for, and all warnings to stderr. Failed where a measurement ended before it was
/// whole, or a file can't be written.
Exit report(const Options &options, const Measurement &measurement);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_REPORT_H
