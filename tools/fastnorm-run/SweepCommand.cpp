//===- SweepCommand.cpp - The same at many points -------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SweepCommand.h"

#include "Interrupt.h"
#include "Prepare.h"
#include "Report.h"
#include "RunCommand.h"
#include "SweepFile.h"
#include "TuneCommand.h"

#include "fastnorm/Templates/Templates.h"
#include "runtime/Bench/MeasurementJson.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace fastnorm;
using namespace fastnorm::tool;

namespace json = llvm::json;

static double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static bool tunes(const Options &options) { return !options.tuneFile.empty(); }

/// What must be the same for results to stand in one file.
static json::Object headerOf(const Options &options) {
  json::Object settings, dimensions;
  for (const auto &[key, value] : options.settings)
    settings[key] = value;
  for (const auto &[symbol, value] : options.dimensions)
    dimensions[symbol] = value;
  std::string what = tunes(options) ? "tune" : options.bench ? nameOf(options.cacheState) : "run";
  return json::Object{{"graph", options.source},
                      {"settings", std::move(settings)},
                      {"dimensions", std::move(dimensions)},
                      {"what", what},
                      {"target", options.target},
                      {"fuse", options.fuse},
                      {"tuned", options.tuned},
                      {"compiler", "fastnorm " FASTNORM_VERSION}};
}

/// The command line at one point: keys of the template, but for its rows, are set; others are dimensions.
static Result<Options> optionsAt(const Options &options, const std::vector<std::string> &keys,
                                 const SweepPoint &point) {
  Options at = options;
  for (const auto &[name, value] : point) {
    if (llvm::is_contained(keys, name)) {
      if (!at.settings.emplace(name, value).second)
        return Error{"expected '" + name + "' in --sweep or in --set, but got it in both"};
      at.source += " --set " + name + "=" + value;
      continue;
    }
    int64_t number = 0;
    if (llvm::StringRef(value).getAsInteger(10, number) || number < 0)
      return Error{"expected --sweep to give dimension '" + name + "' numbers from 0, but got '" + value + "'"};
    if (!at.dimensions.emplace(name, number).second)
      return Error{"expected '" + name + "' in --sweep or in --dim, but got it in both"};
  }
  return at;
}

namespace {

class SweepRun {
public:
  SweepRun(const Options &options, SweepFile file, std::vector<std::pair<SweepPoint, Options>> points)
      : options(options), file(std::move(file)), points(std::move(points)), begin(secondsNow()) {}

  Exit run();

private:
  /// Fails where going on makes no sense.
  Status doPoint(const SweepPoint &point, const Options &at);
  bool tuneAt(const Prepared &prepared);
  bool measureAt(const Prepared &prepared, const Options &at, SweepRecord &record);
  void sayProgress(const SweepPoint &point, bool isDone) const;
  Exit reportAll() const;

  const Options &options;
  SweepFile file;
  std::vector<std::pair<SweepPoint, Options>> points;
  double begin;
  std::unique_ptr<Device> device;
  std::optional<TuneCommand> tuner;
  size_t left = 0, doneHere = 0, failures = 0;
};

} // namespace

bool SweepRun::tuneAt(const Prepared &prepared) {
  if (!tuner) {
    Result<TuneCommand> created = TuneCommand::create(options, prepared.compileOptions, *device);
    if (!created) {
      failed(created.error());
      return false;
    }
    tuner.emplace(std::move(*created));
  }
  double share = std::max(0.0, begin + options.tuneSeconds - secondsNow()) / static_cast<double>(left);
  Status tuned = tuner->tune(prepared.source, prepared.compileOptions, share);
  if (!tuned)
    failed(tuned.error());
  return static_cast<bool>(tuned);
}

bool SweepRun::measureAt(const Prepared &prepared, const Options &at, SweepRecord &record) {
  std::vector<Measurement> collected;
  Exit exit = runCommand(at, prepared.source, prepared.compileOptions, *device, &collected);
  if (exit != Exit::Done || collected.size() != 1)
    return false;
  llvm::Expected<json::Value> value = json::parse(writeMeasurementJson(collected.front()));
  if (!value) {
    llvm::consumeError(value.takeError());
    return false;
  }
  record.values = std::move(*value->getAsObject());
  return true;
}

Status SweepRun::doPoint(const SweepPoint &point, const Options &at) {
  Exit exit = Exit::Done;
  std::optional<Prepared> prepared = prepare(at, device, exit);
  SweepRecord record{point, {}, false};
  bool isDone = prepared && (tunes(options) ? tuneAt(*prepared) : measureAt(*prepared, at, record));
  // What an interrupt cut short is done again.
  if (Interrupt::hasCome())
    return {};
  record.failed = !isDone;
  failures += !isDone;
  ++doneHere;
  --left;
  sayProgress(point, isDone);
  return file.add(std::move(record));
}

void SweepRun::sayProgress(const SweepPoint &point, bool isDone) const {
  // What a check or tuning said stands before it.
  llvm::outs().flush();
  double each = (secondsNow() - begin) / static_cast<double>(doneHere);
  note(llvm::formatv("{0} of {1} points: {2}{3}; {4:F0} s left", points.size() - left, points.size(), describe(point),
                     isDone ? "" : " failed", each * static_cast<double>(left))
           .str());
}

Exit SweepRun::reportAll() const {
  std::vector<Measurement> measurements;
  for (const auto &[point, at] : points) {
    const SweepRecord *record = file.find(point);
    if (!record)
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << json::Value(json::Object(record->values));
    Result<std::vector<Measurement>> read = readMeasurementJson(text);
    if (!read)
      return failed("the result at " + describe(point) + ": " + read.error());
    measurements.push_back(std::move(read->front()));
  }
  return measurements.empty() ? Exit::Done : report(options, measurements);
}

Exit SweepRun::run() {
  Interrupt interrupt;
  left = llvm::count_if(points, [&](const auto &entry) { return !file.find(entry.first); });
  if (left < points.size())
    note(std::to_string(points.size() - left) + " of " + std::to_string(points.size()) + " points were done before");
  Exit exit = Exit::Done;
  for (const auto &[point, at] : points) {
    if (Interrupt::hasCome())
      break;
    if (file.find(point))
      continue;
    if (Status kept = doPoint(point, at); !kept) {
      exit = failed(kept.error());
      break;
    }
  }
  if (Interrupt::hasCome())
    note("interrupted: " + std::to_string(left) + " of " + std::to_string(points.size()) + " points were not done");
  if (tuner)
    tuner->finish();
  if (!tunes(options))
    if (Exit reported = reportAll(); reported != Exit::Done)
      exit = reported;
  if (failures)
    exit = failed(std::to_string(failures) + " of " + std::to_string(points.size()) + " points failed");
  return Interrupt::hasCome() ? Exit::Failed : exit;
}

Exit tool::sweepCommand(const Options &options) {
  Result<std::vector<SweepPoint>> points = parseSweep(options.sweep);
  if (!points)
    return badUse(points.error());
  std::vector<std::string> keys;
  if (!options.graph.empty()) {
    Result<std::vector<std::string>> known = templateKeys(options.graph);
    if (!known)
      return badUse(known.error());
    keys = std::move(*known);
    // They count rows of operands, which a plan leaves open.
    llvm::erase_if(keys, [](const std::string &key) { return key == "rows" || key == "expert_rows"; });
  }
  std::vector<std::pair<SweepPoint, Options>> all;
  for (const SweepPoint &point : *points) {
    Result<Options> at = optionsAt(options, keys, point);
    if (!at)
      return badUse(at.error());
    all.emplace_back(point, std::move(*at));
  }
  Result<SweepFile> file = SweepFile::open(options.sweepFile, headerOf(options));
  if (!file)
    return failed(file.error());
  return SweepRun(options, std::move(*file), std::move(all)).run();
}
