//===- CompareCommand.cpp - Times two plans against each other ------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompareCommand.h"

#include "BenchCommand.h"
#include "Interrupt.h"
#include "OpenDevice.h"
#include "OutputFile.h"
#include "PreparedPlan.h"
#include "Report.h"
#include "Rotation.h"
#include "RunPlan.h"

#include "runtime/Bench/Warnings.h"

#include "llvm/Support/FormatVariadic.h"

using namespace fastnorm;
using namespace fastnorm::tool;

namespace {

/// One of the two.
struct Contestant {
  std::string path;
  std::unique_ptr<Source> source;
  std::optional<PreparedPlan> prepared;
  std::optional<PlanOnSets> onSets;
  Measurement measurement;
};

} // namespace

/// Runs it once, so that one that does not run is not timed, and describes it.
static Status runOnce(const Options &options, Device &device, Contestant &contestant) {
  const PreparedPlan &prepared = *contestant.prepared;
  OperandSources sources = prepared.values.sources();
  OperandSetOptions placement;
  placement.offsetElements = options.offsets;
  Result<RunResult> run = runPlan(*prepared.executor, sources, prepared.given, placement);
  if (!run)
    return Error{contestant.path + ": " + run.error()};
  contestant.measurement =
      describeRun(options, prepared.executor->plan(), prepared.symbolValues, device.info(), std::move(run->launches));
  contestant.measurement.source = contestant.path;
  if (device.info().isEmulator)
    return {};
  Result<PlanOnSets> onSets =
      PlanOnSets::create(*prepared.executor, sources, prepared.given, options.cacheState, placement);
  if (!onSets)
    return Error{contestant.path + ": " + onSets.error()};
  contestant.onSets.emplace(std::move(*onSets));
  contestant.onSets->describe(contestant.measurement);
  return {};
}

static void keep(Contestant &contestant, const Sampling &sampling, BenchResult samples) {
  Measurement &measurement = contestant.measurement;
  Timed graph;
  graph.name = "graph";
  for (const KernelRow &row : measurement.kernels) {
    graph.readBytes += row.launch.readBytes;
    graph.writtenBytes += row.launch.writtenBytes;
  }
  graph.samples = std::move(samples);
  refuseImpossible(graph, measurement.device, measurement.state);
  measurement.graph = std::move(graph);
  measurement.reason = sampling.reason;
  measurement.seconds = sampling.seconds;
  measurement.failure = sampling.failure;
  measurement.warnings = findWarnings(measurement);
}

/// "b.json takes 0.87 times as long as a.json: 0.865 to 0.874 at 95 %, in 31 pairs"
static std::string describeRatio(const Contestant &a, const Contestant &b) {
  std::vector<double> first = a.measurement.graph->samples.microseconds;
  std::vector<double> second = b.measurement.graph->samples.microseconds;
  // An interruption may have come between the two of a pair.
  size_t pairs = std::min(first.size(), second.size());
  first.resize(pairs);
  second.resize(pairs);
  if (pairs == 0 || a.measurement.graph->samples.summary.minimum <= 0.0)
    return "";
  Summary ratio = summarizeRatios(second, first);
  const char *verdict = ratio.medianLow > 1.0 ? "slower" : ratio.medianHigh < 1.0 ? "faster" : "no different";
  return "\n" + b.path +
         llvm::formatv(" takes {0:F4} times as long as {1}: {2:F4} to {3:F4} at 95 %, in {4} pairs; it is {5}\n",
                       ratio.median, a.path, ratio.medianLow, ratio.medianHigh, pairs, verdict)
             .str();
}

static Result<std::string> sample(const Options &options, Device &device, std::vector<Contestant> &contestants) {
  SamplerOptions sampler;
  sampler.stopping.seconds = options.seconds;
  sampler.turnsRound = true;
  sampler.isInterrupted = Interrupt::hasCome;
  std::vector<BenchCandidate> candidates;
  for (const Contestant &contestant : contestants) {
    candidates.push_back(contestant.onSets->rotation().graph(contestant.path));
    candidates.back().timesHost = true;
  }
  Interrupt interrupt;
  Result<Sampling> sampling = sampleInTurns(device, candidates, sampler);
  if (!sampling)
    return sampling.takeError();
  for (size_t index = 0; index < contestants.size(); ++index)
    keep(contestants[index], *sampling, sampling->results[index]);
  return describeRatio(contestants[0], contestants[1]);
}

static Exit readAll(const Options &options, std::vector<Contestant> &contestants) {
  for (const std::string &path : options.compared) {
    Result<Source> source = Source::read(path);
    if (!source)
      return failed(source.error());
    if (source->isGraph())
      return badUse("expected --compare with two compiled plans (.json), but '" + path +
                    "' is a graph; compile it with --emit=plan -o PLAN.json");
    contestants.emplace_back();
    contestants.back().path = path;
    contestants.back().source = std::make_unique<Source>(std::move(*source));
  }
  return Exit::Done;
}

/// Binds and runs both, on the device that is found for the first; the exit status says why not.
static Exit prepareAll(const Options &options, std::unique_ptr<Device> &device, std::vector<Contestant> &contestants) {
  for (Contestant &contestant : contestants) {
    Result<Plan> plan = contestant.source->plan({});
    if (!plan)
      return failed(contestant.path + ": " + plan.error());
    if (!device) {
      Result<std::unique_ptr<Device>> opened = openDevice(options, plan->chip);
      if (!opened)
        return failed(opened.error());
      device = std::move(*opened);
    }
    if (Exit prepared = preparePlan(options, *contestant.source, std::move(*plan), *device, contestant.prepared);
        prepared != Exit::Done)
      return prepared;
    if (Status ran = runOnce(options, *device, contestant); !ran)
      return failed(ran.error());
  }
  return Exit::Done;
}

Exit tool::compareCommand(const Options &options) {
  for (const ReportRequest &request : options.reports)
    if (Status writable = checkWritableText(request.file); !writable)
      return failed(writable.error());
  // What stands on the device goes before it.
  std::unique_ptr<Device> device;
  std::vector<Contestant> contestants;
  if (Exit read = readAll(options, contestants); read != Exit::Done)
    return read;
  if (Exit prepared = prepareAll(options, device, contestants); prepared != Exit::Done)
    return prepared;
  std::string remark;
  if (!device->info().isEmulator) {
    Result<std::string> ratio = sample(options, *device, contestants);
    if (!ratio)
      return failed(ratio.error());
    remark = std::move(*ratio);
  }
  std::vector<Measurement> measurements;
  for (const Contestant &contestant : contestants)
    measurements.push_back(contestant.measurement);
  return report(options, measurements, remark);
}
