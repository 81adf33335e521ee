//===- Prepare.cpp - From the command line to something to run ------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"

#include "OpenDevice.h"

#include "fastnorm/Compiler/Pipeline.h"
#include "fastnorm/Target/KnownTargets.h"
#include "fastnorm/Templates/Templates.h"

#include <chrono>

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

/// The graph of a template, or what stands in the file.
static std::optional<Source> readSource(const Options &options, Exit &exit) {
  std::optional<Result<Source>> source;
  if (options.graph.empty()) {
    source.emplace(Source::read(options.source));
  } else {
    Result<std::string> text = instantiateTemplate(options.graph, options.settings);
    if (!text) {
      exit = badUse(text.error());
      return std::nullopt;
    }
    source.emplace(Source::parse(*text, options.source));
  }
  if (*source)
    return std::move(**source);
  exit = failed(source->error());
  return std::nullopt;
}

static CompileOptions compileOptionsOf(const Options &options) {
  CompileOptions compileOptions;
  compileOptions.fuse = options.fuse;
  compileOptions.target = options.target;
  compileOptions.alignment = options.alignment;
  compileOptions.rowInvariant = options.rowInvariant;
  compileOptions.tuned = options.tuned;
  // A plan that is kept serves all rows; else only the variant for the rows at hand is compiled.
  if (options.emit != "plan")
    compileOptions.symbols = options.dimensions;
  return compileOptions;
}

std::optional<Prepared> tool::prepare(const Options &options, std::unique_ptr<Device> &device, Exit &exit) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  std::optional<Source> source = readSource(options, exit);
  if (!source)
    return std::nullopt;
  double readMilliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  auto refuse = [&](Exit how) {
    exit = how;
    return std::nullopt;
  };
  if (Status checked = checkAgainstSource(options, *source); !checked)
    return refuse(badUse(checked.error()));
  Result<std::string> chip = chipFor(options, *source);
  if (!chip)
    return refuse(badUse(chip.error()));
  // What only compiles looks for a device only to learn its target.
  bool wantsTarget = source->isGraph() && options.target.empty() && options.emit != "mlir";
  if (!device && (options.runs() || wantsTarget)) {
    Result<std::unique_ptr<Device>> opened = openDevice(options, *chip);
    if (!opened)
      return refuse(failed(opened.error()));
    device = std::move(*opened);
  }
  CompileOptions compileOptions = compileOptionsOf(options);
  if (wantsTarget) {
    Result<std::string> target = targetOf(device->info(), source->context());
    if (!target)
      return refuse(failed(target.error()));
    compileOptions.target = *target;
  }
  return Prepared{std::move(*source), std::move(compileOptions), readMilliseconds};
}
