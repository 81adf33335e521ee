//===- TuneCommand.h - Measures schedules into a table ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_TUNECOMMAND_H
#define FASTNORM_TOOLS_RUN_TUNECOMMAND_H

#include "Exit.h"
#include "Options.h"
#include "Source.h"

#include "fastnorm/CostModel/ScheduleTable.h"
#include "fastnorm/Tuning/Tuner.h"
#include "runtime/Device.h"

#include <set>

namespace fastnorm::tool {

/// The file of --tune, and what is added to it.
class TuneCommand {
public:
  /// Reads the table that the file holds, which must be of the target. Fails where it could not be written either,
  /// before anything is measured.
  static Result<TuneCommand> create(const Options &options, const CompileOptions &compileOptions, Device &device);

  /// Tunes the kernels of a graph within some seconds, prints what was found of each, and writes the table after each.
  /// An error says what of it failed, once the others were tuned.
  Status tune(const Source &source, const CompileOptions &compileOptions, double seconds);

  /// Prints what the table holds.
  void finish() const;

  const std::vector<TunedResult> &results() const { return tuned; }

private:
  TuneCommand(const Options &options, Device &device) : path(options.tuneFile), device(&device) {}
  Status add(TunedResult result);
  Status save();

  std::string path;
  Device *device;
  ScheduleTable table;
  std::vector<TunedResult> tuned;
  std::set<std::pair<std::string, int64_t>> done; ///< signatures and rows
};

/// --tune without --sweep.
Exit tuneCommand(const Options &options, const Source &source, const CompileOptions &compileOptions, Device &device);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_TUNECOMMAND_H
