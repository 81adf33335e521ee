//===- Report.cpp - What a run prints and writes --------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "runtime/Bench/Table.h"
#include "runtime/Bench/Warnings.h"

#include "llvm/Support/raw_ostream.h"

using namespace fastnorm;
using namespace fastnorm::tool;

Exit tool::report(const Options &options, const Measurement &measurement) {
  llvm::outs() << formatTable(measurement) << formatSummary(measurement);
  llvm::outs().flush();
  llvm::errs() << formatWarnings(measurement.warnings);
  bool isWhole = measurement.reason == StopReason::Precise || measurement.reason == StopReason::OutOfTime;
  if (options.bench && !measurement.device.isEmulator && isWhole && !measurement.isTimed())
    note("nothing was timed: no kernel reads or writes anything");
  return isWhole ? Exit::Done : Exit::Failed;
}
