//===- ScheduleTable.cpp - Schedules that were measured -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/ScheduleTable.h"

#include "ScheduleTableJson.h"

#include "fastnorm/IR/Dialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace fastnorm;

namespace json = llvm::json;

Status ScheduleTable::checkSchedules(MLIRContext &context) const {
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  for (const TunedKernel &kernel : kernels)
    for (const TunedSchedule &tuned : kernel.schedules)
      if (!isa_and_nonnull<ScheduleAttr>(parseAttribute(tuned.schedule, &context)))
        return Error{"expected schedules as this compiler writes them, but '" + kernel.name +
                     "' at rows = " + std::to_string(tuned.rows) + " has '" + tuned.schedule + "'; tune it again"};
  return {};
}

const TunedKernel *ScheduleTable::find(StringRef signature) const {
  auto found = llvm::find_if(kernels, [&](const TunedKernel &kernel) { return kernel.signature == signature; });
  return found == kernels.end() ? nullptr : &*found;
}

/// Rows that lie between two, as many times the one as the other is.
static int64_t middleOf(int64_t low, int64_t high) {
  return std::clamp(static_cast<int64_t>(std::sqrt(static_cast<double>(low) * static_cast<double>(high))), low,
                    high - 1);
}

/// The rows around those that were measured, for each of a kernel's schedules.
static void spread(std::vector<TunedSchedule> &schedules, bool lastServesMore) {
  for (size_t index = 0; index < schedules.size(); ++index) {
    TunedSchedule &tuned = schedules[index];
    tuned.low = (tuned.rows + 1) / 2;
    tuned.high = tuned.rows > INT64_MAX / 2 ? INT64_MAX : 2 * tuned.rows;
    if (index > 0)
      tuned.low = std::max(tuned.low, middleOf(schedules[index - 1].rows, tuned.rows) + 1);
    if (index + 1 < schedules.size())
      tuned.high = std::min(tuned.high, middleOf(tuned.rows, schedules[index + 1].rows));
    else if (lastServesMore)
      tuned.high = INT64_MAX;
  }
}

void ScheduleTable::add(const std::string &name, const std::string &signature, TunedSchedule measured,
                        bool servesMore) {
  auto kernel = llvm::find_if(kernels, [&](const TunedKernel &other) { return other.signature == signature; });
  if (kernel == kernels.end())
    kernel = kernels.insert(kernels.end(), TunedKernel{name, signature, {}});
  std::vector<TunedSchedule> &schedules = kernel->schedules;
  // What serves more rows than were measured with is known of the largest only.
  bool lastServesMore = !schedules.empty() && schedules.back().high == INT64_MAX;
  auto place = llvm::lower_bound(schedules, measured.rows,
                                 [](const TunedSchedule &tuned, int64_t rows) { return tuned.rows < rows; });
  bool isLast = place == schedules.end() || (place->rows == measured.rows && std::next(place) == schedules.end());
  if (place != schedules.end() && place->rows == measured.rows)
    *place = std::move(measured);
  else
    schedules.insert(place, std::move(measured));
  spread(schedules, lastServesMore || (isLast && servesMore));
}

void ScheduleTable::merge(const ScheduleTable &older) {
  for (const TunedKernel &kernel : older.kernels)
    for (const TunedSchedule &tuned : kernel.schedules) {
      const TunedKernel *here = find(kernel.signature);
      auto hasRows = [&](const TunedSchedule &other) { return other.rows == tuned.rows; };
      if (!here || llvm::none_of(here->schedules, hasRows))
        add(kernel.name, kernel.signature, tuned, tuned.high == INT64_MAX);
    }
}

const TunedSchedule *fastnorm::findTuned(const TunedKernel &kernel, std::optional<int64_t> rows) {
  for (const TunedSchedule &tuned : kernel.schedules)
    if (rows ? tuned.low <= std::max<int64_t>(1, *rows) && *rows <= tuned.high : tuned.high == INT64_MAX)
      return &tuned;
  return nullptr;
}

/// Microseconds as they are written: to the nanosecond.
static double written(double us) { return std::round(us * 1000) / 1000; }

static json::Object toJson(const TunedSchedule &tuned) {
  json::Value high = tuned.high == INT64_MAX ? json::Value("*") : json::Value(tuned.high);
  return json::Object{{"rows", json::Array{tuned.low, std::move(high)}},
                      {"measured_rows", tuned.rows},
                      {"schedule", tuned.schedule},
                      {"us", written(tuned.us)},
                      {"model_us", written(tuned.modelUs)},
                      {"date", tuned.date}};
}

std::string fastnorm::hashOfTable(const json::Object &document) {
  json::Object content(document);
  content.erase("hash");
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(content));
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string ScheduleTable::str() const {
  json::Array list;
  for (const TunedKernel &kernel : kernels) {
    json::Array schedules;
    for (const TunedSchedule &tuned : kernel.schedules)
      schedules.push_back(toJson(tuned));
    list.push_back(
        json::Object{{"name", kernel.name}, {"signature", kernel.signature}, {"schedules", std::move(schedules)}});
  }
  json::Object document{{"format", kFormat},
                        {"compiler", kCompilerOfTables},
                        {"target", target},
                        {"chip", chip},
                        {"kernels", std::move(list)}};
  document["hash"] = hashOfTable(document);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", json::Value(std::move(document))) << "\n";
  return text;
}
