//===- SafetensorsHeader.cpp - The header of a .safetensors file ----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header is JSON: {"x": {"dtype": "F32", "shape": [3, 4], "data_offsets":
// [0, 48]}}, with an optional "__metadata__" of strings, which is not read.
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/SafetensorsHeader.h"

#include "fastnorm/Support/HostTensor.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

namespace fastnorm {

namespace {

using Json = nlohmann::json;

constexpr const char *kMetadata = "__metadata__";
constexpr size_t kMaxRank = 32;
/// The header, a tensor, its shape.
constexpr int kMaxNesting = 3;
constexpr size_t kShownNameBytes = 80;

constexpr struct {
  DType dtype;
  const char *word;
} kWords[] = {{DType::F32, "F32"}, {DType::BF16, "BF16"}, {DType::F16, "F16"}, {DType::F8E4M3FN, "F8_E4M3"},
              {DType::I8, "I8"},   {DType::I32, "I32"},   {DType::I64, "I64"}};

/// "'x'": a name may hold anything, so what could disturb a terminal is replaced and what is long is cut.
std::string inQuotes(const std::string &name) {
  std::string shown = name.substr(0, kShownNameBytes);
  for (char &letter : shown)
    if (static_cast<unsigned char>(letter) < ' ' || letter == '\x7f')
      letter = '?';
  return "'" + shown + (name.size() > kShownNameBytes ? "…'" : "'");
}

std::string range(int64_t begin, int64_t end) {
  return "bytes " + std::to_string(begin) + " to " + std::to_string(end);
}

Result<DType> parseWord(const std::string &tensor, const Json &json) {
  std::string known;
  for (const auto &entry : kWords) {
    if (json.is_string() && json.get_ref<const std::string &>() == entry.word)
      return entry.dtype;
    known += (known.empty() ? "" : ", ") + std::string(entry.word);
  }
  return Error{"expected the dtype of " + tensor + " to be one of " + known + ", but got " +
               (json.is_string() ? inQuotes(json.get_ref<const std::string &>()) : std::string("no string"))};
}

std::optional<int64_t> size(const Json &json) {
  if (!json.is_number_unsigned() || json.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max()))
    return std::nullopt;
  return json.get<int64_t>();
}

/// An array of numbers from 0 of 63 bits; nothing where it is anything else.
std::optional<std::vector<int64_t>> sizes(const Json &json, size_t maxCount) {
  if (!json.is_array() || json.size() > maxCount)
    return std::nullopt;
  std::vector<int64_t> values;
  for (const Json &element : json) {
    std::optional<int64_t> value = size(element);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

Result<SafetensorsEntry> parseEntry(const std::string &name, const Json &json) {
  std::string tensor = inQuotes(name);
  bool hasKeys = json.is_object() && json.size() == 3;
  for (const char *key : {"dtype", "shape", "data_offsets"})
    hasKeys = hasKeys && json.contains(key);
  if (!hasKeys)
    return Error{"expected " + tensor +
                 " to have dtype, shape and data_offsets and nothing else, but the header says "
                 "otherwise"};
  SafetensorsEntry entry;
  entry.name = name;
  Result<DType> dtype = parseWord(tensor, json["dtype"]);
  if (!dtype)
    return dtype.takeError();
  entry.dtype = *dtype;
  std::optional<std::vector<int64_t>> shape = sizes(json["shape"], kMaxRank);
  if (!shape)
    return Error{"expected the shape of " + tensor + " to be at most " + std::to_string(kMaxRank) +
                 " extents of 63 bits, but the header says otherwise"};
  entry.shape = *shape;
  std::optional<std::vector<int64_t>> offsets = sizes(json["data_offsets"], 2);
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
    return Error{"expected the data_offsets of " + tensor +
                 " to be two ascending numbers of 63 bits, but the header "
                 "says otherwise"};
  entry.begin = (*offsets)[0];
  entry.end = (*offsets)[1];
  std::optional<int64_t> byteCount = checkedByteCount(entry.dtype, entry.shape);
  if (!byteCount)
    return Error{"expected a tensor whose bytes can be counted in 63 bits, but " + tensor + " is " +
                 describe(entry.dtype, entry.shape)};
  if (*byteCount != entry.end - entry.begin)
    return Error{"expected " + std::to_string(*byteCount) + " bytes of data for " + tensor + " (" +
                 describe(entry.dtype, entry.shape) +
                 "), but its data_offsets "
                 "hold " +
                 std::to_string(entry.end - entry.begin)};
  return entry;
}

/// Whether sorted entries fill the data exactly.
Status checkPlaces(const std::vector<SafetensorsEntry> &entries, int64_t dataBytes) {
  int64_t next = 0;
  const std::string *last = nullptr;
  for (const SafetensorsEntry &entry : entries) {
    if (entry.end > dataBytes)
      return Error{"expected the data of " + inQuotes(entry.name) + " at " + range(entry.begin, entry.end) +
                   " behind the header, but the file has " + std::to_string(dataBytes) + " bytes there"};
    if (entry.begin < next)
      return Error{"expected the data of each tensor in a place of its own, but that of " + inQuotes(entry.name) +
                   " at " + range(entry.begin, entry.end) + " overlaps that of " + inQuotes(*last)};
    if (entry.begin > next)
      return Error{"expected data without gaps, but no tensor holds " + range(next, entry.begin)};
    next = entry.end;
    last = &entry.name;
  }
  if (next != dataBytes)
    return Error{"expected the file to end behind its last tensor, but " + std::to_string(dataBytes - next) +
                 " bytes follow"};
  return {};
}

/// Parses text that is an object; finds names that stand twice, which JSON libraries pass over.
Result<Json> parseObject(std::string_view text) {
  std::vector<std::set<std::string>> names(kMaxNesting + 2);
  std::optional<std::string> twice;
  bool isDeep = false;
  auto callback = [&](int depth, Json::parse_event_t event, Json &parsed) {
    isDeep |= depth > kMaxNesting;
    if (isDeep || twice)
      return false;
    if (event == Json::parse_event_t::object_start)
      names[static_cast<size_t>(depth) + 1].clear();
    if (event == Json::parse_event_t::key)
      if (std::string name = parsed.get<std::string>(); !names[static_cast<size_t>(depth)].insert(name).second)
        twice = name;
    return true;
  };
  Json header;
  try {
    header = Json::parse(text.begin(), text.end(), callback);
  } catch (const Json::parse_error &error) {
    return Error{"expected the header to be JSON, but it is malformed at byte " + std::to_string(error.byte)};
  } catch (const std::exception &) {
    return Error{"expected the header to be JSON, but it holds a value that no 64-bit number can store"};
  }
  if (twice)
    return Error{"expected each name once in the header, but " + inQuotes(*twice) + " stands twice"};
  if (isDeep || !header.is_object())
    return Error{"expected the header to be an object of tensors, but it is something else"};
  return header;
}

Status checkMetadata(const Json &json) {
  bool areStrings = json.is_object();
  for (auto entry = json.begin(); areStrings && entry != json.end(); ++entry)
    areStrings = entry->is_string();
  if (areStrings)
    return {};
  return Error{std::string("expected ") + kMetadata + " to be an object of strings, but it is something else"};
}

} // namespace

Result<int64_t> safetensorsHeaderBytes(std::string_view prefix, int64_t fileBytes) {
  if (prefix.size() < kSafetensorsPrefixBytes)
    return Error{"expected a .safetensors file, but it ends after " + std::to_string(prefix.size()) +
                 " bytes, within the length of its header"};
  uint64_t textBytes = 0;
  for (size_t index = kSafetensorsPrefixBytes; index-- > 0;)
    textBytes = textBytes << 8 | static_cast<unsigned char>(prefix[index]);
  if (textBytes > uint64_t(kMaxSafetensorsHeaderBytes))
    return Error{"expected a .safetensors header of at most " + std::to_string(kMaxSafetensorsHeaderBytes) +
                 " bytes, but it claims " + std::to_string(textBytes)};
  int64_t available = fileBytes - static_cast<int64_t>(kSafetensorsPrefixBytes);
  if (static_cast<int64_t>(textBytes) > available)
    return Error{"expected a .safetensors header of " + std::to_string(textBytes) + " bytes, but the file has " +
                 std::to_string(available) + " behind its length"};
  return static_cast<int64_t>(textBytes);
}

Result<std::vector<SafetensorsEntry>> parseSafetensorsHeader(std::string_view text, int64_t dataBytes) {
  Result<Json> header = parseObject(text);
  if (!header)
    return header.takeError();
  std::vector<SafetensorsEntry> entries;
  for (auto item = header->begin(); item != header->end(); ++item) {
    if (item.key() == kMetadata) {
      if (Status status = checkMetadata(*item); !status)
        return status.takeError();
      continue;
    }
    Result<SafetensorsEntry> entry = parseEntry(item.key(), *item);
    if (!entry)
      return entry.takeError();
    entries.push_back(std::move(*entry));
  }
  std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry &a, const SafetensorsEntry &b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  if (Status status = checkPlaces(entries, dataBytes); !status)
    return status.takeError();
  return entries;
}

std::string formatSafetensorsHeader(const std::vector<SafetensorsEntry> &entries) {
  Json header = Json::object();
  for (const SafetensorsEntry &entry : entries) {
    const char *word = "";
    for (const auto &known : kWords)
      if (known.dtype == entry.dtype)
        word = known.word;
    header[entry.name] = {{"dtype", word}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string bytes;
  for (size_t index = 0; index < kSafetensorsPrefixBytes; ++index)
    bytes += static_cast<char>(static_cast<uint64_t>(text.size()) >> 8 * index & 0xff);
  return bytes + text;
}

} // namespace fastnorm
