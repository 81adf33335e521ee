//===- RunCommand.cpp - Compile, run, check, time -------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunCommand.h"

#include "BenchCommand.h"
#include "Bindings.h"
#include "CheckReference.h"
#include "FillRoles.h"
#include "OutputFile.h"
#include "ProfilePlan.h"
#include "RunPlan.h"

#include "runtime/TensorIO/Npy.h"

#include "llvm/Support/raw_ostream.h"

using namespace fastnorm;
using namespace fastnorm::tool;

static Status checkOutputFiles(const Options &options) {
  for (const auto &[name, path] : options.outputs)
    if (Status writable = checkWritableTensor(path); !writable)
      return writable;
  return options.outputsFile.empty() ? Status() : checkWritableTensor(options.outputsFile);
}

static Status writeOutputs(const Options &options, const NamedTensors &outputs) {
  for (const auto &[name, path] : options.outputs)
    if (Status written = writeNpy(path, outputs.at(name)); !written)
      return written;
  return options.outputsFile.empty() ? Status() : writeSafetensors(options.outputsFile, outputs);
}

/// Runs the plan on inputs that are complete.
static Exit runOn(const Options &options, const Source &source, const Executor &executor, const NamedTensors &inputs) {
  OperandSetOptions placement;
  placement.offsetElements = options.offsets;
  if (options.profile) {
    Status profiled = profilePlan(executor, inputs, options.dimensions, placement);
    return profiled ? Exit::Done : failed(profiled.error());
  }
  Result<RunResult> run = runPlan(executor, inputs, options.dimensions, placement);
  if (!run)
    return failed(run.error());
  if (Status written = writeOutputs(options, run->outputs); !written)
    return failed(written.error());

  KernelTable table{std::move(run->launches), executor.device().info(), std::nullopt};
  std::string times;
  if (options.bench && !table.device.isEmulator) {
    Result<std::string> lines = benchmark(executor, inputs, options.dimensions, placement, table);
    if (!lines)
      return failed(lines.error());
    times = std::move(*lines);
  }
  llvm::outs() << formatText(table) << times;
  if (options.checkReference)
    if (Status matches = checkReference(source.function(), executor.plan(), inputs, run->outputs); !matches)
      return failed(matches.error());
  return Exit::Done;
}

Exit tool::runCommand(const Options &options, const Source &source, const CompileOptions &compileOptions,
                      Device &device) {
  if (Status writable = checkOutputFiles(options); !writable)
    return failed(writable.error());
  Result<Plan> plan = source.plan(compileOptions);
  if (!plan)
    return failed(plan.error());
  Result<InputFiles> files = InputFiles::open(options);
  if (!files)
    return failed(files.error());
  if (Status known = checkNames(*plan, options, *files); !known)
    return badUse(known.error());
  Result<std::map<std::string, FillRole>> roles =
      fillRoles(*plan, options, source.isGraph() ? source.function() : mlir::func::FuncOp());
  if (!roles)
    return badUse(roles.error());
  Result<NamedTensors> inputs = files->read(*plan);
  if (!inputs)
    return failed(inputs.error());
  Result<SymbolBindings> symbols = SymbolBindings::of(*plan, options, *files, *inputs);
  if (!symbols)
    return failed(symbols.error());
  Result<std::vector<int64_t>> symbolValues = symbols->values();
  if (!symbolValues)
    return badUse(symbolValues.error());
  if (Status filled = fillInputs(*plan, options.fillSeed.value_or(0), *roles, *symbolValues, *inputs); !filled)
    return failed(filled.error());
  Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(*plan), device);
  if (!executor)
    return failed(executor.error());
  return runOn(options, source, **executor, *inputs);
}
