//===- main.cpp - fastnorm-run: compile, run, check and time a graph ------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompareCommand.h"
#include "EmitCommand.h"
#include "Exit.h"
#include "OpenDevice.h"
#include "Options.h"
#include "Report.h"
#include "RunCommand.h"
#include "Source.h"
#include "TuneCommand.h"

#include "fastnorm/Compiler/Pipeline.h"
#include "fastnorm/Target/KnownTargets.h"
#include "fastnorm/Templates/Templates.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <new>

using namespace fastnorm;
using namespace fastnorm::tool;

/// What only shows once the source is read.
static Status checkAgainstSource(const Options &options, const Source &source) {
  std::string isPlan = ", but '" + options.source + "' is a compiled plan";
  if (!source.isGraph() && (!options.target.empty() || options.hasFuse || options.hasTuned || options.hasVariantFlags))
    return Error{"--target, --fuse, --tuned, --alignment and --row-invariant say how to compile a graph" + isPlan};
  if (!source.isGraph() && options.check != CheckScope::None)
    return Error{"--check=reference needs a graph" + isPlan};
  if (!source.isGraph() && !options.tuneFile.empty())
    return Error{"--tune needs a graph" + isPlan};
  if (!source.isGraph() && (!options.dump.empty() || options.emit == "mlir" || options.explain))
    return Error{"--dump, --explain and --emit=mlir need a graph" + isPlan};
  if (!options.dump.empty())
    return checkStage(options.dump);
  return {};
}

/// The chip that a plan is compiled for, or is to be; the emulator's own where the command line leaves it open.
static Result<std::string> chipFor(const Options &options, const Source &source) {
  if (!source.isGraph())
    return source.plan({})->chip;
  if (options.target.empty())
    return std::string("sm_90");
  Result<TargetAttr> target = findTarget(&source.context(), options.target);
  if (!target)
    return target.takeError();
  if (target->getName() != options.target)
    note(options.target + " is compiled for as " + target->getName().str());
  return target->getChip().str();
}

static Result<Source> readSource(const Options &options, const std::string &graphText) {
  return options.graph.empty() ? Source::read(options.source) : Source::parse(graphText, options.source);
}

static Exit run(const Options &options) {
  if (!options.results.empty())
    return reportResults(options);
  if (!options.compared.empty())
    return compareCommand(options);
  std::string graphText;
  if (options.graph == "help") {
    llvm::outs() << describeTemplates();
    return Exit::Done;
  }
  if (!options.graph.empty()) {
    Result<std::string> text = instantiateTemplate(options.graph, options.settings);
    if (!text)
      return badUse(text.error());
    graphText = std::move(*text);
  }
  Result<Source> source = readSource(options, graphText);
  if (!source)
    return failed(source.error());
  if (Status checked = checkAgainstSource(options, *source); !checked)
    return badUse(checked.error());
  Result<std::string> chip = chipFor(options, *source);
  if (!chip)
    return badUse(chip.error());

  // What only compiles looks for a device only to learn its target.
  bool wantsTarget = source->isGraph() && options.target.empty() && options.emit != "mlir";
  std::unique_ptr<Device> device;
  if (options.runs() || wantsTarget) {
    Result<std::unique_ptr<Device>> opened = openDevice(options, *chip);
    if (!opened)
      return failed(opened.error());
    device = std::move(*opened);
  }
  CompileOptions compileOptions;
  compileOptions.fuse = options.fuse;
  compileOptions.target = options.target;
  compileOptions.alignment = options.alignment;
  compileOptions.rowInvariant = options.rowInvariant;
  compileOptions.tuned = options.tuned;
  // A plan that is kept serves all rows; else only the variant for the rows at hand is compiled.
  if (options.emit != "plan")
    compileOptions.symbols = options.dimensions;
  if (wantsTarget) {
    Result<std::string> target = targetOf(device->info(), source->context());
    if (!target)
      return failed(target.error());
    compileOptions.target = *target;
  }
  if (!options.tuneFile.empty())
    return tuneCommand(options, *source, compileOptions, *device);
  return options.runs() ? runCommand(options, *source, compileOptions, *device)
                        : emitCommand(options, *source, compileOptions);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  // LLVM aborts where memory runs out. A tensor that is too large is an error like any other here.
  std::set_new_handler(nullptr);
  Result<Options> options = parseOptions(argc, argv);
  return static_cast<int>(options ? run(*options) : badUse(options.error()));
}
