//===- ScheduleTableReader.cpp - JSON text to a table ---------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function reads one kind of value; each refuses what it does not know and
// says where it stood.
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/ScheduleTable.h"

#include "ScheduleTableJson.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace fastnorm;

using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// Reads members of one object; the first fault is kept and the rest is not looked at.
class ObjectReader {
public:
  ObjectReader(const json::Value &value, std::string place, llvm::ArrayRef<llvm::StringLiteral> keys)
      : place(std::move(place)) {
    object = value.getAsObject();
    if (!object) {
      fail("an object", "");
      return;
    }
    for (const auto &member : *object)
      if (!llvm::is_contained(keys, StringRef(member.first)) && fault)
        fault = Error{"expected the members " + llvm::join(keys, ", ") + " of " + where("") + ", but got '" +
                      member.first.str() + "'"};
  }

  std::string string(StringRef key) {
    std::optional<StringRef> text = object ? object->getString(key) : std::nullopt;
    if (!text || text->empty())
      fail("a string", key);
    return text ? text->str() : "";
  }
  int64_t count(StringRef key) {
    std::optional<int64_t> number = object ? object->getInteger(key) : std::nullopt;
    if (!number || *number < 1)
      fail("a whole number from 1", key);
    return number.value_or(1);
  }
  double microseconds(StringRef key) {
    std::optional<double> number = object ? object->getNumber(key) : std::nullopt;
    if (!number || !(*number > 0) || !std::isfinite(*number))
      fail("microseconds above 0", key);
    return number.value_or(1);
  }
  const json::Array &array(StringRef key) {
    static const json::Array none;
    const json::Array *list = object ? object->getArray(key) : nullptr;
    if (!list)
      fail("a list", key);
    return list ? *list : none;
  }

  void fail(const std::string &what, StringRef key) {
    if (fault)
      fault = Error{"expected " + what + " as " + where(key)};
  }
  std::string where(StringRef key) const {
    std::string text = place + (key.empty() ? "" : "/") + key.str();
    return text.empty() ? "the document" : text;
  }
  Status status() { return fault; }

private:
  const json::Object *object = nullptr;
  std::string place;
  Status fault;
};

} // namespace

/// LLVM's reader recurses for each bracket, so text that nests without end would end the process.
static Status checkNesting(StringRef text) {
  constexpr int64_t kDeepest = 16;
  int64_t depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"')
      while (++at < text.size() && text[at] != '"')
        at += text[at] == '\\';
    else if (text[at] == '[' || text[at] == '{')
      depth += 1;
    else if (text[at] == ']' || text[at] == '}')
      depth -= 1;
    if (depth > kDeepest)
      return Error{"expected brackets nested at most " + std::to_string(kDeepest) + " deep"};
  }
  return {};
}

static bool isDate(StringRef text) {
  return text.size() == 10 && llvm::all_of(llvm::enumerate(text), [](auto letter) {
           return letter.index() == 4 || letter.index() == 7 ? letter.value() == '-' : llvm::isDigit(letter.value());
         });
}

static void readRows(ObjectReader &reader, TunedSchedule &tuned) {
  const json::Array &rows = reader.array("rows");
  std::optional<int64_t> low = rows.size() == 2 ? rows[0].getAsInteger() : std::nullopt;
  std::optional<int64_t> high = rows.size() == 2 ? rows[1].getAsInteger() : std::nullopt;
  if (rows.size() == 2 && rows[1].getAsString() == StringRef("*"))
    high = INT64_MAX;
  if (!low || !high || *low < 1 || *low > tuned.rows || tuned.rows > *high)
    return reader.fail("the first and the last number of rows, or *, with measured_rows between them,", "rows");
  tuned.low = *low;
  tuned.high = *high;
}

static Result<TunedSchedule> readSchedule(const json::Value &value, const std::string &place) {
  ObjectReader reader(value, place, {"rows", "measured_rows", "schedule", "us", "model_us", "date"});
  TunedSchedule tuned;
  tuned.rows = reader.count("measured_rows");
  tuned.schedule = reader.string("schedule");
  tuned.us = reader.microseconds("us");
  tuned.modelUs = reader.microseconds("model_us");
  tuned.date = reader.string("date");
  readRows(reader, tuned);
  if (!isDate(tuned.date))
    reader.fail("a date, YYYY-MM-DD,", "date");
  if (Status status = reader.status(); !status)
    return status.takeError();
  return tuned;
}

static Result<TunedKernel> readKernel(const json::Value &value, const std::string &place) {
  ObjectReader reader(value, place, {"name", "signature", "schedules"});
  TunedKernel kernel;
  kernel.name = reader.string("name");
  kernel.signature = reader.string("signature");
  const json::Array &schedules = reader.array("schedules");
  if (Status status = reader.status(); !status)
    return status.takeError();
  for (auto [index, element] : llvm::enumerate(schedules)) {
    std::string here = place + "/schedules/" + std::to_string(index);
    Result<TunedSchedule> tuned = readSchedule(element, here);
    if (!tuned)
      return tuned.takeError();
    if (index > 0 && tuned->low <= kernel.schedules.back().high)
      return Error{"expected ranges of rows that ascend and do not overlap, but " + here + "/rows begins at " +
                   std::to_string(tuned->low) + ", where the one before it still serves"};
    kernel.schedules.push_back(std::move(*tuned));
  }
  return kernel;
}

/// What a table must have in common with this reader, before the rest of it is looked at.
static Status checkOrigin(const json::Object &document) {
  std::optional<int64_t> format = document.getInteger("format");
  if (!format)
    return Error{"expected a schedule table, as fastnorm-run --tune writes it, but it has no \"format\""};
  if (*format != ScheduleTable::kFormat)
    return Error{"expected a table of format " + std::to_string(ScheduleTable::kFormat) + ", but got " +
                 std::to_string(*format) + "; tune again with this version"};
  std::optional<StringRef> hash = document.getString("hash");
  if (!hash || *hash != hashOfTable(document))
    return Error{"expected a table as it was written, but its content does not match its hash; it is damaged or was "
                 "edited"};
  std::optional<StringRef> compiler = document.getString("compiler");
  if (!compiler || *compiler != kCompilerOfTables)
    return Error{std::string("expected a table of ") + kCompilerOfTables + ", but it is of " +
                 (compiler ? compiler->str() : "no compiler") + "; tune again with this version"};
  return {};
}

Result<ScheduleTable> ScheduleTable::parse(StringRef text) {
  if (text.trim().empty())
    return Error{"expected a schedule table, but it is empty"};
  if (Status nested = checkNesting(text); !nested)
    return nested.takeError();
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return Error{"expected a schedule table in JSON, but it does not parse: " + llvm::toString(value.takeError())};
  if (!value->getAsObject())
    return Error{"expected a schedule table, but it is no JSON object"};
  if (Status origin = checkOrigin(*value->getAsObject()); !origin)
    return origin.takeError();
  ObjectReader reader(*value, "", {"format", "hash", "compiler", "target", "chip", "kernels"});
  ScheduleTable table;
  table.target = reader.string("target");
  table.chip = reader.string("chip");
  const json::Array &list = reader.array("kernels");
  if (Status status = reader.status(); !status)
    return status.takeError();
  llvm::StringSet<> signatures;
  for (auto [index, element] : llvm::enumerate(list)) {
    std::string place = "/kernels/" + std::to_string(index);
    Result<TunedKernel> kernel = readKernel(element, place);
    if (!kernel)
      return kernel.takeError();
    if (!signatures.insert(kernel->signature).second)
      return Error{"expected each kernel once, but " + place + " has the signature of one before it"};
    table.kernels.push_back(std::move(*kernel));
  }
  return table;
}

Result<ScheduleTable> ScheduleTable::read(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return Error{"cannot read '" + path + "': " + error.message()};
  // A device or a pipe may never end.
  if (!llvm::sys::fs::is_regular_file(status))
    return Error{"cannot read '" + path + "': it is not a regular file"};
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return Error{"cannot read '" + path + "': " + file.getError().message()};
  Result<ScheduleTable> table = parse((*file)->getBuffer());
  if (!table)
    return Error{"'" + path + "': " + table.error()};
  return table;
}
