//===- BenchOptions.cpp - The flags of measuring --------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <set>

using namespace fastnorm;
using namespace fastnorm::tool;

using llvm::StringRef;

/// A day: longer is a mistake.
static constexpr double kMaxSeconds = 86400.0;

static Error expected(StringRef what, StringRef got) {
  return Error{("expected " + what + ", but got '" + got + "'").str()};
}

/// "392us" in microseconds; nothing for other text.
static std::optional<double> readTime(StringRef text) {
  const std::pair<StringRef, double> units[] = {{"ns", 1e-3}, {"us", 1.0}, {"ms", 1e3}, {"s", 1e6}};
  for (auto [unit, microseconds] : units) {
    StringRef number = text;
    double value = 0.0;
    if (number.consume_back(unit) && !number.getAsDouble(value) && std::isfinite(value) && value > 0.0)
      return value * microseconds;
  }
  return std::nullopt;
}

static Status readRivals(const CommandLine::Flags &flags, Options &options) {
  for (const std::string &text : flags) {
    auto [name, time] = StringRef(text).rsplit('=');
    std::optional<double> microseconds = readTime(time);
    if (name.empty() || !microseconds)
      return expected("--against NAME=TIME with TIME a number above 0 and ns, us, ms or s", text);
    if (llvm::any_of(options.rivals, [&, name = name](const Rival &rival) { return rival.name == name; }))
      return Error{("expected --against for '" + name + "' once, but got it twice").str()};
    options.rivals.push_back({name.str(), *microseconds});
  }
  return {};
}

static Status readSeconds(const CommandLine::Flag &flag, Options &options) {
  if (!flag.getNumOccurrences())
    return {};
  double seconds = 0.0;
  if (StringRef(flag.getValue()).getAsDouble(seconds) || !(seconds > 0.0 && seconds <= kMaxSeconds))
    return expected("--seconds N with N a number above 0 and at most 86400", flag.getValue());
  options.seconds = options.tuneSeconds = seconds;
  return {};
}

static Status readReports(const CommandLine::Flags &flags, Options &options) {
  std::set<std::string> files;
  for (const std::string &text : flags) {
    auto [form, file] = StringRef(text).split(':');
    std::optional<ReportForm> known = llvm::StringSwitch<std::optional<ReportForm>>(form)
                                          .Case("table", ReportForm::Table)
                                          .Case("json", ReportForm::Json)
                                          .Case("csv", ReportForm::Csv)
                                          .Case("html", ReportForm::Html)
                                          .Default(std::nullopt);
    if (!known || (file.empty() && form.size() != text.size()))
      return expected("--report table, json, csv or html, or one of them and :FILE", text);
    ReportRequest request{*known, file.empty() ? "-" : file.str()};
    if (!files.insert(request.file).second)
      return Error{"expected a file for each --report, but two go to " +
                   (request.file == "-" ? "stdout" : "'" + request.file + "'")};
    options.reports.push_back(std::move(request));
  }
  return {};
}

/// What reports of earlier results, and comparisons, do not do.
static Status checkAlone(const CommandLine &line, const Options &options) {
  if (options.results.empty() && options.compared.empty())
    return {};
  bool makesOther = !options.emit.empty() || !options.dump.empty() || options.explain || options.profile ||
                    options.check != CheckScope::None || !options.outputs.empty() || !options.outputsFile.empty();
  if (makesOther || (!options.results.empty() && options.bench))
    return Error{"expected --results or --compare, which only report, or --bench, --check, --profile, --emit, --dump, "
                 "--explain or --output, but got both"};
  if (!options.compared.empty() && !options.rivals.empty())
    return Error{"expected --compare, whose plans are compared with each other, or --against, but got both"};
  if (!options.compared.empty() && (!options.target.empty() || options.hasFuse || options.hasVariantFlags))
    return Error{"expected --compare, whose plans are compiled, or --target, --fuse, --alignment or --row-invariant, "
                 "but got both"};
  return {};
}

Status tool::readBenchOptions(const CommandLine &line, Options &options) {
  if (Status read = readRivals(line.against, options); !read)
    return read;
  if (Status read = readSeconds(line.seconds, options); !read)
    return read;
  if (Status read = readReports(line.reports, options); !read)
    return read;
  if (Status alone = checkAlone(line, options); !alone)
    return alone;
  if (line.hot && line.serving)
    return Error{"expected --hot or --serving, but got both"};
  options.cacheState = line.hot ? CacheState::Hot : line.serving ? CacheState::Serving : CacheState::Cold;
  if (!options.compared.empty())
    return {};
  bool measures = line.hot || line.serving || (line.seconds.getNumOccurrences() && options.tuneFile.empty());
  measures |= !options.rivals.empty() && options.results.empty();
  if (measures && !options.bench)
    return Error{"expected --hot, --serving, --seconds and --against together with --bench, but got them without"};
  return {};
}
