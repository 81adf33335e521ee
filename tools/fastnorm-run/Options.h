//===- Options.h - What the command line asks for ---------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_OPTIONS_H
#define FASTNORM_TOOLS_RUN_OPTIONS_H

#include "fastnorm/Support/Result.h"
#include "runtime/Bench/Measurement.h"
#include "runtime/TensorIO/FillRole.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm::tool {

enum class DeviceKind : uint8_t { Auto, Cuda, Emulator };

/// Which rows are compared with the reference; Auto is a sample where all would take too long.
enum class CheckScope : uint8_t { None, Auto, All, Sample };

enum class ReportForm : uint8_t { Table, Json, Csv, Html };

struct ReportRequest {
  ReportForm form = ReportForm::Table;
  std::string file = "-"; ///< "-": stdout
};

struct Options {
  std::string source;                          ///< a graph (.mlir), or a compiled plan (.json)
  std::string graph;                           ///< a template, or "help"; empty: `source`
  std::map<std::string, std::string> settings; ///< of the template

  std::map<std::string, std::string> inputs;  ///< argument name to file
  std::map<std::string, std::string> outputs; ///< result name to file
  std::string inputsFile;                     ///< arguments by name; empty: none
  std::string outputsFile;                    ///< for all results; empty: none
  std::map<std::string, int64_t> dimensions;  ///< symbol name to value
  std::map<std::string, int64_t> offsets;     ///< tensor name to elements past an aligned address
  std::optional<uint64_t> fillSeed;
  std::map<std::string, FillRole> fillRoles; ///< argument name to the role written behind --fill

  DeviceKind device = DeviceKind::Auto;
  int64_t cudaOrdinal = 0;
  uint64_t emulatorSeed = 0;

  std::string target; ///< empty: the device's
  std::string fuse = "auto";
  bool hasFuse = false; ///< written on the command line
  std::string alignment = "aligned";
  bool rowInvariant = false;
  std::string tuned = "shipped"; ///< where measured schedules are looked up: "shipped", "none", or a file
  bool hasTuned = false;         ///< written on the command line
  bool usesCache = true;
  std::string cacheFolder;      ///< empty: the user's
  bool hasVariantFlags = false; ///< --alignment or --row-invariant is written on the command line

  CheckScope check = CheckScope::None;
  bool bench = false;
  CacheState cacheState = CacheState::Cold;
  double seconds = 5.0; ///< at most, of sampling
  std::vector<ReportRequest> reports;
  std::vector<std::string> results;  ///< files of earlier runs to report instead of running
  std::vector<std::string> compared; ///< two compiled plans to time in turns; none: `source` is run
  std::vector<Rival> rivals;         ///< written behind --against
  bool profile = false;
  std::string tuneFile;      ///< the table that schedules are measured into; empty: none are
  double tuneSeconds = 60.0; ///< for all that is tuned

  std::string sweep;     ///< points to do the same at; empty: one
  std::string sweepFile; ///< that keeps their results; empty: none

  bool timing = false; ///< says how long compiling takes
  bool explain = false;
  std::string emit; ///< "mlir", "plan" or "ptx"; empty: run
  std::string dump; ///< a stage; empty: none
  std::string emitFile = "-";

  bool runs() const { return emit.empty() && dump.empty() && !explain; }
};

/// Prints help or the version and exits where asked to. An error is bad use.
Result<Options> parseOptions(int argc, char **argv);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_OPTIONS_H
