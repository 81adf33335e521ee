//===- RunCommand.cpp - Compile, run, check, time -------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunCommand.h"

#include "ArgumentValues.h"
#include "BenchCommand.h"
#include "Bindings.h"
#include "CheckReference.h"
#include "FillRoles.h"
#include "OutputFile.h"
#include "PlanCache.h"
#include "ProfilePlan.h"
#include "Report.h"
#include "RowSample.h"
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

static Status writeOutputs(const Options &options, const OperandSet &operands) {
  if (options.outputs.empty() && options.outputsFile.empty())
    return {};
  Result<NamedTensors> outputs = operands.downloadResults();
  if (!outputs)
    return outputs.takeError();
  for (const auto &[name, path] : options.outputs)
    if (Status written = writeNpy(path, outputs->at(name)); !written)
      return written;
  return options.outputsFile.empty() ? Status() : writeSafetensors(options.outputsFile, *outputs);
}

/// A plan, the values it runs on, and what is made of the command line for it.
struct PreparedRun {
  const Options &options;
  const Source &source;
  const Executor &executor;
  const std::vector<int64_t> &symbolValues;
  const SymbolValues &given;
  const ArgumentValues &values;
  bool samples;
};

static Status check(const PreparedRun &run, const OperandSet &operands) {
  CheckedRun checked{run.source.function(), run.executor.plan(), run.symbolValues, run.values, operands};
  return run.samples ? checkReferenceSample(checked) : checkReference(checked);
}

static Exit runOn(const PreparedRun &prepared) {
  const Options &options = prepared.options;
  const Executor &executor = prepared.executor;
  OperandSources inputs = prepared.values.sources();
  OperandSetOptions placement;
  placement.offsetElements = options.offsets;
  if (options.profile) {
    Status profiled = profilePlan(executor, inputs, prepared.given, placement);
    return profiled ? Exit::Done : failed(profiled.error());
  }
  Result<RunResult> run = runPlan(executor, inputs, prepared.given, placement);
  if (!run)
    return failed(run.error());
  if (Status written = writeOutputs(options, run->operands); !written)
    return failed(written.error());

  Measurement measurement =
      describeRun(options, executor.plan(), prepared.symbolValues, executor.device().info(), std::move(run->launches));
  if (options.bench && !measurement.device.isEmulator)
    if (Status measured = measure(options, {executor, inputs, prepared.given, placement}, measurement); !measured)
      return failed(measured.error());
  Exit reported = report(options, measurement);
  if (options.check != CheckScope::None)
    if (Status matches = check(prepared, run->operands); !matches)
      return failed(matches.error());
  return reported;
}

/// Binds files, symbols and fills to a plan, and runs it.
static Exit runPlanOf(const Options &options, const Source &source, Plan plan, Device &device) {
  Result<InputFiles> files = InputFiles::open(options);
  if (!files)
    return failed(files.error());
  if (Status known = checkNames(plan, options, *files); !known)
    return badUse(known.error());
  mlir::func::FuncOp graph = source.isGraph() ? source.function() : mlir::func::FuncOp();
  Result<std::map<std::string, FillRole>> roles = fillRoles(plan, options, graph);
  if (!roles)
    return badUse(roles.error());
  if (Status possible = RowSample::isPossible(plan, graph); options.check == CheckScope::Sample && !possible)
    return badUse(possible.error());
  Result<NamedTensors> inputs = files->read(plan);
  if (!inputs)
    return failed(inputs.error());
  Result<SymbolBindings> symbols = SymbolBindings::of(plan, options, *files, *inputs);
  if (!symbols)
    return failed(symbols.error());
  Result<std::vector<int64_t>> symbolValues = symbols->values();
  if (!symbolValues)
    return badUse(symbolValues.error());
  SymbolValues given = symbols->given();
  if (auto limit = options.dimensions.find(kSmLimitSymbol); limit != options.dimensions.end())
    given.insert(*limit);
  bool samples = options.check == CheckScope::Sample ||
                 (options.check != CheckScope::All && wantsSample(plan, graph, *symbolValues));
  FillRequest request{options.fillSeed.value_or(0), std::move(*roles), samples};
  Result<ArgumentValues> values = ArgumentValues::create(plan, std::move(*inputs), request, *symbolValues, device);
  if (!values)
    return failed(values.error());
  Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(plan), device);
  if (!executor)
    return failed(executor.error());
  return runOn({options, source, **executor, *symbolValues, given, *values, samples});
}

Exit tool::runCommand(const Options &options, const Source &source, const CompileOptions &compileOptions,
                      Device &device) {
  if (Status writable = checkOutputFiles(options); !writable)
    return failed(writable.error());
  Result<Plan> plan = PlanCache(options).plan(source, compileOptions);
  if (!plan)
    return failed(plan.error());
  return runPlanOf(options, source, std::move(*plan), device);
}
