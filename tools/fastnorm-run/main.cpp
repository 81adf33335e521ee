//===- main.cpp - fastnorm-run: compile, run, check and time a graph ------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompareCommand.h"
#include "EmitCommand.h"
#include "Exit.h"
#include "Options.h"
#include "Prepare.h"
#include "Report.h"
#include "RunCommand.h"
#include "StageTimes.h"
#include "SweepCommand.h"
#include "TuneCommand.h"

#include "fastnorm/Templates/Templates.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <new>

using namespace fastnorm;
using namespace fastnorm::tool;

static Exit run(const Options &options) {
  if (!options.results.empty())
    return reportResults(options);
  if (!options.compared.empty())
    return compareCommand(options);
  if (options.graph == "help") {
    llvm::outs() << describeTemplates();
    return Exit::Done;
  }
  if (!options.sweep.empty())
    return sweepCommand(options);
  std::unique_ptr<Device> device;
  Exit exit = Exit::Done;
  std::optional<Prepared> prepared = prepare(options, device, exit);
  if (!prepared)
    return exit;
  auto &[source, compileOptions, readMilliseconds] = *prepared;
  StageTimes times;
  times.add("read", readMilliseconds);
  compileOptions.afterStage = [&](llvm::StringRef stage, double milliseconds) { times.add(stage.str(), milliseconds); };
  if (!options.tuneFile.empty())
    exit = tuneCommand(options, source, compileOptions, *device);
  else if (options.runs())
    exit = runCommand(options, source, compileOptions, *device);
  else
    exit = emitCommand(options, source, compileOptions);
  if (options.timing)
    llvm::errs() << times.str();
  return exit;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  // LLVM aborts where memory runs out. A tensor that is too large is an error like any other here.
  std::set_new_handler(nullptr);
  Result<Options> options = parseOptions(argc, argv);
  return static_cast<int>(options ? run(*options) : badUse(options.error()));
}
