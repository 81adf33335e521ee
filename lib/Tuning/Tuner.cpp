//===- Tuner.cpp - The fastest schedule, found by measuring ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Tuning/Tuner.h"

#include "KernelTrial.h"
#include "ScheduleSearch.h"

#include "runtime/Bench/Sampler.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <numeric>

using namespace fastnorm;

/// A schedule replaces the fastest so far when it takes this share of its time, as the median of few samples.
static constexpr double kWorthChecking = 0.997;
/// What a table keeps is faster by this share at least, whatever the noise: less does not pay for a variant.
static constexpr double kWorthKeeping = 0.995;
/// Samples of each schedule of a batch, and of the last comparison.
static constexpr int64_t kFewSamples = 7;
static constexpr int64_t kManySamples = 31;
static constexpr double kSecondsOfLastComparison = 0.6;

static std::string today() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof(text), "%Y-%m-%d", &parts);
  return text;
}

namespace {

/// One kernel's tuning.
class Session {
public:
  Session(const IsolatedKernel &kernel, Device &device, const CompileOptions &compileOptions,
          const TunerOptions &options, double seconds)
      : kernel(kernel), device(device), compileOptions(compileOptions), options(options),
        deadline(now() + seconds - kSecondsOfLastComparison) {}

  Result<TunedResult> run(const ScheduleTable *known);

private:
  double now() const {
    using Clock = std::chrono::steady_clock;
    return options.clock ? options.clock() : std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  }
  bool isStopped() const { return options.isStopped && options.isStopped(); }
  bool isOver() const { return now() >= deadline || isStopped(); }

  Status begin(const ScheduleSearch &search);
  std::vector<Contestant> buildChecked(const std::vector<std::string> &schedules);
  Status tryBatch(ScheduleSearch &search);
  void takeFastest(ScheduleSearch &search, std::vector<Contestant> contestants, const Sampling &sampling);
  Status compareWithModel();
  Result<Sampling> sample(const std::vector<const Contestant *> &contestants, SamplerOptions sampler) const;
  void skip(const std::string &schedule, const std::string &reason) { result.skipped.push_back({schedule, reason}); }

  const IsolatedKernel &kernel;
  Device &device;
  const CompileOptions &compileOptions;
  const TunerOptions &options;
  double deadline;
  std::unique_ptr<KernelTrial> trial;
  Contestant model;
  std::optional<Contestant> fastest; ///< nothing: the cost model's choice is
  TunedResult result;
};

/// The cost model's choice must run, and be right.
Status Session::begin(const ScheduleSearch &search) {
  Result<Contestant> built =
      std::move(*buildContestants(kernel, {search.modelChoice()}, compileOptions, device, 1, [] { return false; })[0]);
  if (!built)
    return built.takeError();
  model = std::move(*built);
  Result<std::unique_ptr<KernelTrial>> made = KernelTrial::create(kernel, compileOptions, model, device);
  if (!made)
    return made.takeError();
  trial = std::move(*made);
  return model.bind(trial->sets(), trial->given());
}

Result<Sampling> Session::sample(const std::vector<const Contestant *> &contestants, SamplerOptions sampler) const {
  sampler.isInterrupted = {};
  std::vector<BenchCandidate> candidates;
  for (const Contestant *contestant : contestants)
    candidates.push_back(contestant->candidate());
  Result<Sampling> sampling = sampleInTurns(device, candidates, sampler);
  if (!sampling)
    return sampling;
  if (!sampling->failure.empty())
    return Error{sampling->failure};
  for (const BenchResult &timed : sampling->results)
    if (!(timed.summary.median > 0))
      return Error{"expected launches that take time, but the device measured " + std::to_string(timed.summary.median) +
                   " us"};
  return sampling;
}

/// Those of the schedules that compile, load, run and are right on few rows, with runs on all.
std::vector<Contestant> Session::buildChecked(const std::vector<std::string> &schedules) {
  std::vector<std::optional<Result<Contestant>>> built = buildContestants(
      kernel, schedules, compileOptions, device, std::max(1u, options.threads), [&] { return isOver(); });
  std::vector<Contestant> usable;
  for (size_t index = 0; index < schedules.size() && !isStopped(); ++index) {
    if (!built[index])
      continue;
    if (!*built[index]) {
      skip(schedules[index], built[index]->error());
      continue;
    }
    Contestant contestant = std::move(**built[index]);
    Status fit = trial->checkFewRows(contestant);
    if (fit)
      fit = contestant.bind(trial->sets(), trial->given());
    if (fit)
      fit = contestant.launchOnce(device);
    if (fit)
      usable.push_back(std::move(contestant));
    else
      skip(schedules[index], fit.error());
  }
  return usable;
}

Status Session::tryBatch(ScheduleSearch &search) {
  std::vector<std::string> schedules = search.next(std::max(4u, options.threads));
  result.wasAll = schedules.empty();
  std::vector<Contestant> contestants = buildChecked(schedules);
  if (contestants.empty())
    return {};
  std::vector<const Contestant *> turns{fastest ? &*fastest : &model};
  for (const Contestant &contestant : contestants)
    turns.push_back(&contestant);
  SamplerOptions sampler;
  sampler.stopping = {std::numeric_limits<double>::infinity(), std::max(0.05, deadline - now()), kFewSamples, {}};
  sampler.warmupReplays = 1;
  sampler.minReplayMicroseconds = 200.0;
  Result<Sampling> sampling = sample(turns, sampler);
  if (!sampling)
    return sampling.takeError();
  result.timed += contestants.size();
  takeFastest(search, std::move(contestants), *sampling);
  return {};
}

/// The fastest whose results on all rows are right; the times of wrong ones do not count.
void Session::takeFastest(ScheduleSearch &search, std::vector<Contestant> contestants, const Sampling &sampling) {
  auto timeOf = [&](size_t index) { return sampling.results[index + 1].summary.median; };
  std::vector<size_t> order(contestants.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t left, size_t right) { return timeOf(left) < timeOf(right); });
  for (size_t index : order) {
    if (timeOf(index) > kWorthChecking * sampling.results.front().summary.median)
      return;
    if (Status right = trial->checkAllRows(contestants[index]); !right) {
      skip(contestants[index].schedule, right.error());
      --result.timed;
      continue;
    }
    search.improved(contestants[index].schedule);
    fastest = std::move(contestants[index]);
    return;
  }
}

/// On fresh samples: what was the fastest of many may have been lucky.
Status Session::compareWithModel() {
  std::vector<const Contestant *> turns{&model};
  if (fastest)
    turns.push_back(&*fastest);
  SamplerOptions sampler;
  sampler.stopping = {0.005, kSecondsOfLastComparison, kManySamples, {}};
  Result<Sampling> sampling = sample(turns, sampler);
  if (!sampling)
    return sampling.takeError();
  const BenchResult &ofModel = sampling->results.front();
  TunedSchedule &measured = result.measured;
  measured.modelUs = measured.us = ofModel.summary.median;
  measured.schedule = model.schedule;
  result.noise = ofModel.summary.noise;
  result.isModelChoice = true;
  if (!fastest)
    return {};
  const BenchResult &ofFastest = sampling->results.back();
  Summary ratio = summarizeRatios(ofFastest.microseconds, ofModel.microseconds);
  result.noise = ratio.noise;
  if (ratio.median > std::min(kWorthKeeping, 1.0 - ratio.noise) || ratio.medianHigh >= 1.0)
    return {};
  result.isModelChoice = false;
  measured.schedule = fastest->schedule;
  measured.us = ofFastest.summary.median;
  return {};
}

Result<TunedResult> Session::run(const ScheduleTable *known) {
  Result<ScheduleSearch> search = ScheduleSearch::create(kernel, compileOptions, known);
  if (!search)
    return search.takeError();
  result.kernel = kernel.name;
  result.signature = kernel.signature;
  result.servesMore = search->servesMore();
  result.modelSchedule = search->modelChoice();
  result.measured.rows = kernel.rows;
  result.measured.date = today();
  if (Status begun = begin(*search); !begun)
    return Error{"the cost model's choice, " + search->modelChoice() + ": " + begun.error()};
  while (!isOver() && !result.wasAll)
    if (Status tried = tryBatch(*search); !tried) {
      result.failure = tried.error();
      break;
    }
  if (Status compared = compareWithModel(); !compared)
    return Error{result.failure.empty() ? compared.error() : result.failure};
  return std::move(result);
}

} // namespace

Tuner::Tuner(Device &device, CompileOptions compileOptions, TunerOptions options, const ScheduleTable *known)
    : device(device), compileOptions(std::move(compileOptions)), options(std::move(options)), known(known) {}

Result<TunedResult> Tuner::tune(const IsolatedKernel &kernel, double seconds) const {
  return Session(kernel, device, compileOptions, options, seconds).run(known);
}
