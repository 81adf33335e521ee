//===- SweepFile.cpp - Results of a sweep that goes on --------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SweepFile.h"

#include "Exit.h"
#include "OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace fastnorm;
using namespace fastnorm::tool;

namespace json = llvm::json;
namespace fs = llvm::sys::fs;

static std::string lineOf(json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value << "\n";
  return text;
}

static std::string lineOf(const SweepRecord &record) {
  json::Array point;
  for (const auto &[name, value] : record.point)
    point.push_back(json::Array{name, value});
  json::Object line{{"point", std::move(point)}, {"values", json::Object(record.values)}};
  if (record.failed)
    line["failed"] = true;
  return lineOf(std::move(line));
}

/// Nothing for a line that add did not write.
static std::optional<SweepRecord> readRecord(llvm::StringRef line) {
  llvm::Expected<json::Value> value = json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object *object = value->getAsObject();
  const json::Array *point = object ? object->getArray("point") : nullptr;
  const json::Object *values = object ? object->getObject("values") : nullptr;
  if (!point || !values)
    return std::nullopt;
  SweepRecord record;
  record.values = *values;
  record.failed = object->getBoolean("failed").value_or(false);
  for (const json::Value &element : *point) {
    const json::Array *pair = element.getAsArray();
    std::optional<llvm::StringRef> name, text;
    if (pair && pair->size() == 2) {
      name = (*pair)[0].getAsString();
      text = (*pair)[1].getAsString();
    }
    if (!name || !text)
      return std::nullopt;
    record.point.emplace_back(name->str(), text->str());
  }
  return record;
}

Status SweepFile::readLines(llvm::StringRef text, const json::Object &header) {
  auto [first, rest] = text.split('\n');
  llvm::Expected<json::Value> value = json::parse(first);
  json::Object *found = value ? value->getAsObject() : nullptr;
  if (!value)
    llvm::consumeError(value.takeError());
  if (!found || !found->get("sweep"))
    return Error{"'" + path +
                 "': expected the results of a sweep, but its first line is none of theirs; use another file"};
  for (const auto &member : header)
    if (const json::Value *other = found->get(member.first); !other || *other != member.second)
      return Error{"'" + path + "': expected results of the same sweep, but " + member.first.str() + " is " +
                   llvm::StringRef(other ? lineOf(*other) : "missing").trim().str() + " there and " +
                   llvm::StringRef(lineOf(member.second)).trim().str() + " here; use another file"};
  for (int64_t number = 2; !rest.empty(); ++number) {
    llvm::StringRef line;
    bool isWhole = rest.contains('\n');
    std::tie(line, rest) = rest.split('\n');
    std::optional<SweepRecord> record = readRecord(line);
    if (record && isWhole)
      records.push_back(std::move(*record));
    else if (rest.empty())
      note("'" + path + "': the last line is cut off; that point is done again");
    else
      return Error{"'" + path + "': expected a line for each point, but line " + std::to_string(number) +
                   " is none; it is damaged"};
  }
  return {};
}

Result<SweepFile> SweepFile::open(const std::string &path, json::Object header) {
  SweepFile file;
  file.path = path;
  if (path.empty())
    return file;
  if (Status writable = checkWritableText(path); !writable)
    return writable.takeError();
  header["sweep"] = 1;
  std::string text;
  if (fs::is_regular_file(path)) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return Error{"cannot read '" + path + "': " + buffer.getError().message()};
    text = (*buffer)->getBuffer().str();
  }
  if (!text.empty())
    if (Status read = file.readLines(text, header); !read)
      return read.takeError();
  // Anew, without what was cut off, so that the next line stands by itself.
  std::string whole = lineOf(json::Value(std::move(header)));
  for (const SweepRecord &record : file.records)
    whole += lineOf(record);
  if (whole != text)
    if (Status written = writeFile(path, whole); !written)
      return written.takeError();
  return file;
}

const SweepRecord *SweepFile::find(const SweepPoint &point) const {
  // The latest: a point that failed may have been done again.
  for (const SweepRecord &record : llvm::reverse(records))
    if (record.point == point)
      return record.failed ? nullptr : &record;
  return nullptr;
}

Status SweepFile::add(SweepRecord record) {
  std::string line = lineOf(record);
  records.push_back(std::move(record));
  if (path.empty())
    return {};
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, fs::CD_OpenAlways, fs::FA_Write, fs::OF_Append);
  if (!error) {
    stream << line;
    stream.close();
    error = stream.error();
    // A stream with an error that was not looked at ends the process.
    stream.clear_error();
  }
  if (error)
    return Error{"cannot write '" + path + "': " + error.message()};
  return {};
}
