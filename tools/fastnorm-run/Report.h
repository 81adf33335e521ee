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

/// Prints and writes what --report asks for, the table where nothing else goes to stdout, and all warnings to stderr.
/// `remark` stands below the table. Failed where a measurement ended before it was whole, or something can't be
/// written; what can be written is.
Exit report(const Options &options, const std::vector<Measurement> &measurements, const std::string &remark = "");

/// Reports what earlier runs wrote as JSON.
Exit reportResults(const Options &options);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_REPORT_H
