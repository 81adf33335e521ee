//===- Report.cpp - What a run prints and writes --------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "OutputFile.h"

#include "runtime/Bench/CsvReport.h"
#include "runtime/Bench/HtmlReport.h"
#include "runtime/Bench/MeasurementJson.h"
#include "runtime/Bench/Table.h"
#include "runtime/Bench/Warnings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace fastnorm;
using namespace fastnorm::tool;

/// "graph.mlir, rows 16".
static std::string headingOf(const Measurement &measurement) {
  std::string symbols = describeSymbols(measurement);
  return measurement.source + (symbols.empty() ? "" : ", " + symbols);
}

/// The tables, under their names where there are several.
static std::string formatTables(const std::vector<Measurement> &measurements, const std::string &remark) {
  std::string text;
  for (const Measurement &measurement : measurements) {
    if (measurements.size() > 1)
      text += (text.empty() ? "" : "\n") + headingOf(measurement) + "\n";
    text += formatTable(measurement) + formatSummary(measurement);
  }
  return text + remark;
}

static std::string format(ReportForm form, const std::vector<Measurement> &measurements, const std::string &remark) {
  switch (form) {
  case ReportForm::Table: return formatTables(measurements, remark);
  case ReportForm::Json:
    return measurements.size() == 1 ? writeMeasurementJson(measurements.front()) : writeMeasurementJson(measurements);
  case ReportForm::Csv: return formatCsv(measurements);
  case ReportForm::Html: return formatHtml(measurements);
  }
  return "";
}

Exit tool::report(const Options &options, const std::vector<Measurement> &measurements, const std::string &remark) {
  std::vector<ReportRequest> requests = options.reports;
  if (llvm::none_of(requests, [](const ReportRequest &request) { return request.file == "-"; }))
    requests.push_back({ReportForm::Table, "-"});
  Exit exit = Exit::Done;
  for (const ReportRequest &request : requests)
    if (Status written = writeFile(request.file, format(request.form, measurements, remark)); !written)
      exit = failed(written.error());
  for (const Measurement &measurement : measurements) {
    if (measurements.size() > 1 && !measurement.warnings.empty())
      note("of " + headingOf(measurement) + ":");
    llvm::errs() << formatWarnings(measurement.warnings);
    bool isWhole = measurement.reason == StopReason::Precise || measurement.reason == StopReason::OutOfTime;
    if (options.bench && !measurement.device.isEmulator && isWhole && !measurement.isTimed())
      note("nothing was timed: no kernel reads or writes anything");
    if (!isWhole && options.results.empty())
      exit = Exit::Failed;
  }
  return exit;
}

Exit tool::reportResults(const Options &options) {
  std::vector<Measurement> measurements;
  for (const std::string &path : options.results) {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
    if (!file)
      return failed("cannot read '" + path + "': " + file.getError().message());
    llvm::StringRef text = (*file)->getBuffer();
    Result<std::vector<Measurement>> read = readMeasurementJson(std::string_view(text.data(), text.size()));
    if (!read)
      return failed(path + ": " + read.error());
    llvm::append_range(measurements, *read);
  }
  if (!options.rivals.empty())
    for (Measurement &measurement : measurements)
      measurement.rivals = options.rivals;
  return report(options, measurements);
}
