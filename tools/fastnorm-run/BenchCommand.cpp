//===- BenchCommand.cpp - Times a plan beside a copy ----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchCommand.h"

#include "Baseline.h"
#include "Interrupt.h"

#include "Commit.h"
#include "fastnorm/Plan/PlanJson.h"
#include "runtime/Bench/Nvml.h"
#include "runtime/Bench/Warnings.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>

using namespace fastnorm;
using namespace fastnorm::tool;

static std::string utcNow() {
  std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

static std::string digestOf(const Plan &plan) {
  llvm::SHA256 hash;
  hash.update(writePlanJson(plan));
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

Measurement tool::describeRun(const Options &options, const Plan &plan, const std::vector<int64_t> &symbolValues,
                              const DeviceInfo &device, std::vector<KernelRow> launches) {
  Measurement measurement;
  measurement.version = "fastnorm " FASTNORM_VERSION;
  measurement.commit = FASTNORM_COMMIT;
  measurement.date = utcNow();
  measurement.source = options.source;
  measurement.function = plan.function;
  measurement.target = plan.target;
  measurement.planDigest = digestOf(plan);
  for (size_t index = 0; index < symbolValues.size() && index < plan.symbols.size(); ++index)
    measurement.symbols[plan.symbols[index]] = symbolValues[index];
  measurement.device = device;
  measurement.state = options.cacheState;
  measurement.budgetSeconds = options.seconds;
  measurement.rivals = options.rivals;
  measurement.kernels = std::move(launches);
  return measurement;
}

namespace {

/// One measurement in the making.
class Bench {
public:
  Bench(const Options &options, const BenchInputs &inputs, Measurement &measurement)
      : options(options), inputs(inputs), measurement(measurement) {}

  Status run();

private:
  Status countBytes();
  Status prepareSets();
  Status prepareBaselines();
  Result<BenchCandidate> fastest(const Baseline &baseline);
  Status sample();
  void keep(const std::vector<BenchResult> &results);
  int64_t memoryBytesOf(const LaunchFacts &launch) const;
  Timed timed(std::string name, int64_t readBytes, int64_t writtenBytes, int64_t memoryBytes,
              BenchResult samples) const;
  void readDevice();

  Device &device() const { return inputs.executor.device(); }
  SamplerOptions samplerOptions();

  const Options &options;
  const BenchInputs &inputs;
  Measurement &measurement;
  std::optional<Nvml> nvml;
  double lastReading = 0.0;
  int64_t readBytes = 0, writtenBytes = 0, mostBytes = 0;
  std::optional<PlanOnSets> onSets;
  std::optional<Baseline> copy, stream;
  std::vector<BenchCandidate> candidates;
  std::vector<size_t> timedKernels; ///< launches that are timed apart
};

} // namespace

Status Bench::countBytes() {
  for (const KernelRow &row : measurement.kernels) {
    readBytes += row.launch.readBytes;
    writtenBytes += row.launch.writtenBytes;
    mostBytes = std::max(mostBytes, row.launch.readBytes + row.launch.writtenBytes);
  }
  return {};
}

Status Bench::prepareSets() {
  Result<PlanOnSets> made =
      PlanOnSets::create(inputs.executor, inputs.sources, inputs.given, options.cacheState, inputs.placement);
  if (!made)
    return made.takeError();
  onSets.emplace(std::move(*made));
  onSets->describe(measurement);
  return {};
}

/// The copy moves what the largest kernel moves, so that the cost of a launch weighs as much in both; so does a stream
/// of the graph's mix, where that is another.
Status Bench::prepareBaselines() {
  const std::string &target = inputs.executor.plan().target;
  StreamMix mix = StreamMix::nearest(readBytes, writtenBytes);
  for (auto [place, wanted] : {std::pair(&copy, StreamMix()), std::pair(&stream, mix)}) {
    if (place == &stream && mix.isCopy())
      continue;
    Result<Baseline> made = Baseline::create(device(), target, mostBytes, wanted, options.cacheState);
    if (!made)
      return made.takeError();
    *place = std::move(*made);
    Result<BenchCandidate> best = fastest(**place);
    if (!best)
      return best.takeError();
    candidates.push_back(std::move(*best));
  }
  return {};
}

/// Of few samples each; the fastest is then timed afresh beside the rest.
Result<BenchCandidate> Bench::fastest(const Baseline &baseline) {
  SamplerOptions few = samplerOptions();
  few.stopping.minSamples = 5;
  few.stopping.precision = std::numeric_limits<double>::infinity();
  few.minReplayMicroseconds = 200.0;
  few.afterRound = {};
  std::vector<BenchCandidate> all = baseline.candidates();
  Result<Sampling> sampling = sampleInTurns(device(), all, few);
  if (!sampling)
    return sampling.takeError();
  if (sampling->reason == StopReason::Failed)
    return Error{sampling->failure};
  size_t best = 0;
  for (size_t index = 0; index < all.size(); ++index) {
    const Summary &summary = sampling->results[index].summary;
    if (summary.count > 0 && summary.median < sampling->results[best].summary.median)
      best = index;
  }
  return all[best];
}

SamplerOptions Bench::samplerOptions() {
  SamplerOptions sampler;
  sampler.stopping.seconds = options.seconds;
  sampler.isInterrupted = Interrupt::hasCome;
  sampler.afterRound = [this](int64_t, double seconds) {
    if (seconds - lastReading < 1.0)
      return;
    lastReading = seconds;
    readDevice();
  };
  return sampler;
}

/// The first, before anything runs, the last and what came between, of which the newest is kept.
void Bench::readDevice() {
  if (!nvml)
    return;
  if (measurement.readings.size() > 2)
    measurement.readings.pop_back();
  measurement.readings.push_back(nvml->read());
}

Status Bench::sample() {
  candidates.push_back(onSets->rotation().graph("graph"));
  candidates.back().timesHost = true;
  // A graph of one kernel is that kernel.
  size_t launched = 0;
  for (const KernelRow &row : measurement.kernels)
    launched += row.launch.grid != 0;
  for (size_t index = 0; index < measurement.kernels.size(); ++index) {
    if (measurement.kernels[index].launch.grid == 0)
      continue;
    timedKernels.push_back(index);
    if (launched > 1)
      candidates.push_back(onSets->rotation().kernel(index));
  }
  Result<Sampling> sampling = sampleInTurns(device(), candidates, samplerOptions());
  if (!sampling)
    return sampling.takeError();
  readDevice();
  measurement.reason = sampling->reason;
  measurement.seconds = sampling->seconds;
  measurement.failure = sampling->failure;
  keep(sampling->results);
  return {};
}

/// Of a launch whose buffers the sets keep out of the L2, all but its workspaces, which may be there; after a flush,
/// what it writes may stay in the L2 as well.
int64_t Bench::memoryBytesOf(const LaunchFacts &launch) const {
  int64_t byteCount = launch.readBytes + launch.writtenBytes;
  if (options.cacheState != CacheState::Cold)
    return 0;
  if (measurement.isFlushed)
    return std::max<int64_t>(0, launch.readBytes - launch.workspaceBytes);
  bool isOutside = byteCount * measurement.sets > 3 * measurement.device.l2Bytes;
  return isOutside ? std::max<int64_t>(0, byteCount - launch.workspaceBytes) : 0;
}

Timed Bench::timed(std::string name, int64_t readBytes, int64_t writtenBytes, int64_t memoryBytes,
                   BenchResult samples) const {
  Timed timed{std::move(name), readBytes, writtenBytes, memoryBytes, std::move(samples), ""};
  refuseImpossible(timed, measurement.device, options.cacheState);
  return timed;
}

void Bench::keep(const std::vector<BenchResult> &results) {
  size_t next = 0;
  for (auto [baseline, place] : {std::pair(&copy, &measurement.copy), std::pair(&stream, &measurement.stream)}) {
    if (!*baseline)
      continue;
    *place = (*baseline)->timed(results[next++]);
    refuseImpossible(**place, measurement.device, options.cacheState);
  }
  const BenchResult &whole = results[next++];
  // What a later launch reads, an earlier one may have left in the L2.
  int64_t first = timedKernels.empty() ? 0 : memoryBytesOf(measurement.kernels[timedKernels.front()].launch);
  measurement.graph = timed("graph", readBytes, writtenBytes, first, whole);
  for (size_t index : timedKernels) {
    KernelRow &row = measurement.kernels[index];
    BenchResult samples = timedKernels.size() > 1 ? results[next++] : whole;
    row.time = timed(row.launch.kernel, row.launch.readBytes, row.launch.writtenBytes, memoryBytesOf(row.launch),
                     std::move(samples));
  }
}

Status Bench::run() {
  Result<Nvml> opened = Nvml::open(measurement.device.busId);
  if (opened)
    nvml.emplace(std::move(*opened));
  else
    measurement.readingsMissing = opened.error();
  readDevice();
  if (Status counted = countBytes(); !counted || mostBytes == 0)
    return counted;
  Interrupt interrupt;
  if (Status prepared = prepareSets(); !prepared)
    return prepared;
  if (Status prepared = prepareBaselines(); !prepared)
    return prepared;
  if (Status sampled = sample(); !sampled)
    return sampled;
  measurement.warnings = findWarnings(measurement);
  return {};
}

Status tool::measure(const Options &options, const BenchInputs &inputs, Measurement &measurement) {
  return Bench(options, inputs, measurement).run();
}
