//===- RunCommand.cpp - Compile, run, check, time -------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunCommand.h"

#include "ArgumentValues.h"
#include "BenchCommand.h"
#include "CheckReference.h"
#include "OutputFile.h"
#include "PlanCache.h"
#include "PreparedPlan.h"
#include "ProfilePlan.h"
#include "Report.h"
#include "RowSample.h"
#include "RunPlan.h"

#include "runtime/TensorIO/Npy.h"
#include "runtime/TensorIO/Safetensors.h"

#include "llvm/Support/raw_ostream.h"

using namespace fastnorm;
using namespace fastnorm::tool;

static Status checkOutputFiles(const Options &options) {
  for (const auto &[name, path] : options.outputs)
    if (Status writable = checkWritableTensor(path); !writable)
      return writable;
  for (const ReportRequest &request : options.reports)
    if (Status writable = checkWritableText(request.file); !writable)
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

/// What is run, and how.
struct PreparedRun {
  const Options &options;
  const Source &source;
  const PreparedPlan &plan;
  std::vector<Measurement> *collected; ///< null: it is reported
};

static Status check(const PreparedRun &run, const OperandSet &operands) {
  CheckedRun checked{run.source.function(), run.plan.executor->plan(), run.plan.symbolValues, run.plan.values,
                     operands};
  return run.plan.samples ? checkReferenceSample(checked) : checkReference(checked);
}

/// For a report of many.
static Exit collect(Measurement measurement, std::vector<Measurement> &collected) {
  bool isWhole = measurement.reason == StopReason::Precise || measurement.reason == StopReason::OutOfTime;
  if (!measurement.failure.empty())
    failed(measurement.failure);
  collected.push_back(std::move(measurement));
  return isWhole ? Exit::Done : Exit::Failed;
}

static Exit runOn(const PreparedRun &prepared) {
  const Options &options = prepared.options;
  const Executor &executor = *prepared.plan.executor;
  const SymbolValues &given = prepared.plan.given;
  OperandSources inputs = prepared.plan.values.sources();
  OperandSetOptions placement;
  placement.offsetElements = options.offsets;
  if (options.profile) {
    Status profiled = profilePlan(executor, inputs, given, placement);
    return profiled ? Exit::Done : failed(profiled.error());
  }
  Result<RunResult> run = runPlan(executor, inputs, given, placement);
  if (!run)
    return failed(run.error());
  if (Status written = writeOutputs(options, run->operands); !written)
    return failed(written.error());

  Measurement measurement = describeRun(options, executor.plan(), prepared.plan.symbolValues, executor.device().info(),
                                        std::move(run->launches));
  if (options.bench && !measurement.device.isEmulator)
    if (Status measured = measure(options, {executor, inputs, given, placement}, measurement); !measured)
      return failed(measured.error());
  Exit reported =
      prepared.collected ? collect(std::move(measurement), *prepared.collected) : report(options, {measurement});
  if (options.check != CheckScope::None)
    if (Status matches = check(prepared, run->operands); !matches)
      return failed(matches.error());
  return reported;
}

Exit tool::runCommand(const Options &options, const Source &source, const CompileOptions &compileOptions,
                      Device &device, std::vector<Measurement> *collected) {
  if (Status writable = checkOutputFiles(options); !writable)
    return failed(writable.error());
  Result<Plan> plan = PlanCache(options).plan(source, compileOptions);
  if (!plan)
    return failed(plan.error());
  std::optional<PreparedPlan> prepared;
  Exit exit = preparePlan(options, source, std::move(*plan), device, prepared);
  return prepared ? runOn({options, source, *prepared, collected}) : exit;
}
