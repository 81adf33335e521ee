//===- Options.cpp - What the command line asks for -----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "BenchOptions.h"
#include "CommandLine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"

using namespace fastnorm;
using namespace fastnorm::tool;

using llvm::StringRef;
using llvm::Twine;

static Error expected(StringRef flag, StringRef form, StringRef got) {
  return Error{("expected " + flag + " " + form + ", but got '" + got + "'").str()};
}

/// Reads NAME=VALUE flags, each name at most once.
static Status readPairs(const CommandLine::Flags &flags, StringRef flag, StringRef form,
                        std::map<std::string, std::string> &pairs) {
  for (const std::string &text : flags) {
    auto [name, value] = StringRef(text).split('=');
    if (name.empty() || value.empty())
      return expected(flag, form, text);
    if (!pairs.try_emplace(name.str(), value.str()).second)
      return Error{
          ("expected " + flag + " for '" + name + "' once, but got '" + pairs[name.str()] + "' and '" + value + "'")
              .str()};
  }
  return {};
}

/// The same where the values are numbers from 0; `number` is what the form calls them.
static Status readNumbers(const CommandLine::Flags &flags, StringRef flag, StringRef form, StringRef number,
                          std::map<std::string, int64_t> &numbers) {
  std::map<std::string, std::string> texts;
  if (Status read = readPairs(flags, flag, form, texts); !read)
    return read;
  for (const auto &[name, text] : texts) {
    int64_t value = 0;
    if (StringRef(text).getAsInteger(10, value) || value < 0)
      return expected(flag, (form + " with " + number + " a number from 0").str(), name + "=" + text);
    numbers[name] = value;
  }
  return {};
}

static Status readFill(const CommandLine::Flag &flag, Options &options) {
  if (!flag.getNumOccurrences())
    return {};
  uint64_t seed = 0;
  auto [number, rest] = StringRef(flag.getValue()).split(',');
  if (!number.consume_front("seed:") || number.getAsInteger(10, seed))
    return expected("--fill", "seed:N with N a number from 0", flag);
  options.fillSeed = seed;
  while (!rest.empty()) {
    StringRef word;
    std::tie(word, rest) = rest.split(',');
    auto [name, form] = word.split('=');
    std::optional<FillRole> role = parseFillRole(std::string_view(form.data(), form.size()));
    if (name.empty() || !role)
      return expected("--fill", (Twine("seed:N,NAME=ROLE with ROLE one of ") + kFillRoleForms).str(), word);
    if (!options.fillRoles.try_emplace(name.str(), *role).second)
      return Error{("expected one role for '" + name + "' in --fill, but got two").str()};
  }
  return {};
}

static Status readDevice(const CommandLine &line, Options &options) {
  StringRef text(line.device.getValue());
  if (text == "auto")
    options.device = DeviceKind::Auto;
  else if (text == "emulator")
    options.device = DeviceKind::Emulator;
  else if (text.consume_front("cuda") && (text.empty() || (text.consume_front(":") && !text.starts_with("-") &&
                                                           !text.getAsInteger(10, options.cudaOrdinal))))
    options.device = DeviceKind::Cuda;
  else
    return expected("--device", "auto, cuda, cuda:N or emulator", line.device);
  if (!line.emulatorSeed.getNumOccurrences())
    return {};
  uint64_t seed = 0;
  if (StringRef(line.emulatorSeed.getValue()).getAsInteger(10, seed))
    return expected("--emulator-seed", "a number from 0", line.emulatorSeed);
  options.emulatorSeed = seed;
  return {};
}

static Status readCheck(const CommandLine::Flag &flag, Options &options) {
  if (!flag.getNumOccurrences())
    return {};
  std::optional<CheckScope> scope = llvm::StringSwitch<std::optional<CheckScope>>(flag.getValue())
                                        .Case("reference", CheckScope::Auto)
                                        .Case("reference:all", CheckScope::All)
                                        .Case("reference:sample", CheckScope::Sample)
                                        .Default(std::nullopt);
  if (!scope)
    return expected("--check", "reference, reference:all or reference:sample", flag);
  options.check = *scope;
  return {};
}

/// Checks that a flag is not given or is one of some words.
/// What tuning does not do.
static Status checkTune(const Options &options) {
  if (options.tuneFile.empty())
    return {};
  bool runs = options.bench || options.profile || options.check != CheckScope::None || !options.outputs.empty() ||
              !options.outputsFile.empty() || !options.inputs.empty() || !options.inputsFile.empty();
  if (runs || !options.runs())
    return Error{
        "expected --tune, which tries schedules on values of its own, or --bench, --check, --profile, --input, "
        "--output, --emit, --dump or --explain, but got both"};
  return {};
}

/// What makes no sense at many points.
static Status checkSweep(const Options &options) {
  if (options.sweep.empty())
    return options.sweepFile.empty() ? Status()
                                     : Error{"expected --sweep-file together with --sweep, but got it alone"};
  bool hasFiles = !options.outputs.empty() || !options.outputsFile.empty() || !options.inputs.empty() ||
                  !options.inputsFile.empty();
  if (hasFiles || options.profile || options.timing || !options.runs() || !options.compared.empty() ||
      !options.results.empty())
    return Error{"expected --sweep, or what is of one run, --input, --output, --profile, --timing, --emit, --dump, "
                 "--explain, --compare or --results, but got both"};
  return {};
}

static Status checkWord(const CommandLine::Flag &flag, llvm::ArrayRef<StringRef> words) {
  if (!flag.getNumOccurrences() || llvm::is_contained(words, StringRef(flag.getValue())))
    return {};
  return expected(("--" + flag.ArgStr).str(), llvm::join(words, " or "), flag);
}

static Status checkFuse(const CommandLine::Flag &flag) {
  StringRef text(flag.getValue());
  if (llvm::is_contained({"auto", "always", "never"}, text) || (text.consume_front("plan:") && !text.empty()))
    return {};
  return expected("--fuse", "auto, always, never or plan:A+B,C", flag);
}

/// Checks that a flag with a free form is not given without a value.
static Status checkValue(const CommandLine::Flag &flag) {
  if (!flag.getNumOccurrences() || !flag.empty())
    return {};
  return expected(("--" + flag.ArgStr).str(), flag.ValueStr, flag);
}

/// What is read is not written over: a graph or an input would be lost.
static Status checkFilesDiffer(const Options &options) {
  std::vector<std::string> read{options.source}, written{options.emitFile};
  for (const auto &[name, file] : options.inputs)
    read.push_back(file);
  for (const auto &[name, file] : options.outputs)
    written.push_back(file);
  if (!options.inputsFile.empty())
    read.push_back(options.inputsFile);
  if (!options.outputsFile.empty())
    written.push_back(options.outputsFile);
  llvm::append_range(read, options.results);
  llvm::append_range(read, options.compared);
  for (const ReportRequest &request : options.reports)
    written.push_back(request.file);
  for (const std::string &to : written)
    for (const std::string &from : read)
      if (to != "-" && llvm::sys::fs::is_regular_file(from) && llvm::sys::fs::equivalent(to, from))
        return Error{"expected to write to another file than '" + from + "', which is read"};
  return {};
}

/// Flags that do not go together.
static Status checkCombination(const CommandLine &line, const Options &options) {
  if (!options.emit.empty() && !options.dump.empty())
    return Error{"expected --emit or --dump, but got both"};
  if (options.explain && (!options.emit.empty() || !options.dump.empty()))
    return Error{"expected --explain or --emit or --dump, but got two of them"};
  if (options.explain && line.fuse.getNumOccurrences())
    return Error{"expected --explain, which shows all ways to fuse, or --fuse, which names one, but got both"};
  if (line.noCache && line.cacheFolder.getNumOccurrences())
    return Error{"expected --cache-dir, which names where plans are kept, or --no-cache, but got both"};
  bool prints = !options.runs() || options.bench || !options.reports.empty() || options.check != CheckScope::None;
  if (options.profile && (prints || !options.outputs.empty() || !options.outputsFile.empty()))
    return Error{"expected --profile, which only runs the graph for a profiler, or --emit, --dump, --bench, --check or "
                 "--output, but got both"};
  if (line.emitFile.getNumOccurrences() && options.emit.empty())
    return Error{"expected -o together with --emit=mlir, plan or ptx, but got it alone; results of a run are written "
                 "with --output NAME=FILE.npy"};
  if (!options.runs() && !options.reports.empty())
    return Error{"expected --emit, --dump or --explain, which do not run the graph, or --report, but got both"};
  if (!options.runs() &&
      (options.bench || options.check != CheckScope::None || !options.outputs.empty() || !options.outputsFile.empty()))
    return Error{"expected --emit, --dump or --explain, which do not run the graph, or --bench, --check, --output or "
                 "--outputs, which "
                 "do, but got both"};
  std::map<std::string, std::string> resultOfFile;
  for (const auto &[result, file] : options.outputs)
    if (auto [entry, isNew] = resultOfFile.try_emplace(file, result); !isNew)
      return Error{"expected a file for each --output, but '" + entry->second + "' and '" + result + "' both go to '" +
                   file + "'"};
  if (auto entry = resultOfFile.find(options.outputsFile); entry != resultOfFile.end())
    return Error{"expected a file for --outputs and one for each --output, but all results and '" + entry->second +
                 "' both go to '" + entry->first + "'"};
  return {};
}

/// Results of earlier runs, or two plans.
static Status readOtherSources(const CommandLine &line, Options &options) {
  size_t wanted = line.compare ? 2 : 0;
  bool isTemplate = line.graph.getNumOccurrences() || line.settings.getNumOccurrences();
  if (isTemplate || (line.compare && line.results.getNumOccurrences()) || line.sources.size() != wanted)
    return Error{line.compare ? "expected --compare with two compiled plans (.json) and no other graph, but got " +
                                    std::to_string(line.sources.size())
                              : "expected --results without a graph or plan, but got one"};
  if (line.compare)
    options.compared.assign(line.sources.begin(), line.sources.end());
  options.results.assign(line.results.begin(), line.results.end());
  return {};
}

/// A file or a template, and the template's settings.
static Status readSource(const CommandLine &line, Options &options) {
  options.graph = line.graph;
  bool isTemplate = line.graph.getNumOccurrences() != 0;
  if (line.results.getNumOccurrences() || line.compare)
    return readOtherSources(line, options);
  if (line.sources.size() + isTemplate != 1)
    return Error{"expected one graph (.mlir), plan (.json) or --graph NAME, but got " +
                 std::to_string(line.sources.size() + isTemplate) + "; see fastnorm-run --help"};
  options.source = isTemplate ? "--graph=" + options.graph : line.sources.front();
  for (const std::string &text : line.settings) {
    for (StringRef rest(text), word; !rest.empty();) {
      std::tie(word, rest) = rest.split(',');
      auto [key, value] = word.split('=');
      if (!isTemplate || key.empty() || value.empty())
        return expected("--set", "KEY=VALUE,... together with --graph", word);
      if (!options.settings.try_emplace(key.str(), value.str()).second)
        return Error{("expected --set for '" + key + "' once, but got it twice").str()};
    }
  }
  return {};
}

Result<Options> tool::parseOptions(int argc, char **argv) {
  // LLVM keeps what is registered until the process ends.
  static CommandLine line;
  if (Status parsed = line.parse(argc, argv); !parsed)
    return parsed.takeError();
  Options options;
  if (Status read = readSource(line, options); !read)
    return read.takeError();
  options.target = line.target;
  options.fuse = line.fuse;
  options.alignment = line.alignment;
  options.rowInvariant = line.rowInvariant;
  options.hasVariantFlags = line.alignment.getNumOccurrences() || line.rowInvariant.getNumOccurrences();
  options.hasFuse = line.fuse.getNumOccurrences() != 0;
  options.tuned = line.tuned;
  options.tuneFile = line.tune;
  options.hasTuned = line.tuned.getNumOccurrences() != 0;
  options.usesCache = !line.noCache;
  options.cacheFolder = line.cacheFolder;
  options.bench = line.bench;
  options.profile = line.profile;
  options.explain = line.explain;
  options.timing = line.timing;
  options.sweep = line.sweep;
  options.sweepFile = line.sweepFile;
  options.emit = line.emit;
  options.emitFile = line.emitFile;
  options.dump = line.dump;
  options.inputsFile = line.inputsFile;
  options.outputsFile = line.outputsFile;
  Status checks[] = {readPairs(line.inputs, "--input", "NAME=FILE.npy", options.inputs),
                     readPairs(line.outputs, "--output", "NAME=FILE.npy", options.outputs),
                     readNumbers(line.dimensions, "--dim", "SYMBOL=N", "N", options.dimensions),
                     readNumbers(line.offsets, "--offset", "NAME=ELEMENTS", "ELEMENTS", options.offsets),
                     readFill(line.fill, options),
                     readDevice(line, options),
                     readCheck(line.check, options),
                     checkFuse(line.fuse),
                     checkWord(line.alignment, {"aligned", "any", "both"}),
                     checkWord(line.emit, {"mlir", "plan", "ptx"}),
                     checkValue(line.graph),
                     checkValue(line.target),
                     checkValue(line.tuned),
                     checkValue(line.tune),
                     checkTune(options),
                     checkValue(line.sweep),
                     checkValue(line.sweepFile),
                     checkSweep(options),
                     checkValue(line.cacheFolder),
                     checkValue(line.dump),
                     checkValue(line.inputsFile),
                     checkValue(line.outputsFile),
                     readBenchOptions(line, options),
                     checkCombination(line, options),
                     checkFilesDiffer(options)};
  for (Status &check : checks)
    if (!check)
      return check.takeError();
  // A variant for every operand beside the one for aligned operands: the runtime takes the first that serves.
  bool hasOffset = llvm::any_of(options.offsets, [](const auto &offset) { return offset.second != 0; });
  if (hasOffset && !line.alignment.getNumOccurrences())
    options.alignment = "both";
  return options;
}
