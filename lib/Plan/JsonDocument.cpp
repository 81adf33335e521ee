//===- JsonDocument.cpp - JSON read with the place of each fault ----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonDocument.h"

#include <algorithm>
#include <limits>

namespace fastnorm {

namespace {

/// Plans nest expressions 64 deep at most, and an expression stands 6 levels deep.
constexpr int64_t kMaxNesting = 100;

std::string lineAndColumn(std::string_view text, size_t byte) {
  size_t end = std::min(byte, text.size());
  size_t line =
      1 + static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  size_t lineStart = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
  size_t column = end - (lineStart == std::string_view::npos ? 0 : lineStart + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// The byte where nesting first exceeds the bound, or npos. Quotes are followed, so brackets in PTX do not count.
size_t findTooDeep(std::string_view text) {
  int64_t depth = 0;
  bool inString = false;
  for (size_t byte = 0; byte < text.size(); ++byte) {
    char letter = text[byte];
    if (inString) {
      if (letter == '\\')
        ++byte;
      else if (letter == '"')
        inString = false;
    } else if (letter == '"') {
      inString = true;
    } else if (letter == '[' || letter == '{') {
      if (++depth > kMaxNesting)
        return byte;
    } else if (letter == ']' || letter == '}') {
      --depth;
    }
  }
  return std::string_view::npos;
}

std::string describe(const Json &value) {
  switch (value.type()) {
  case Json::value_t::object: return "an object";
  case Json::value_t::array: return "an array";
  case Json::value_t::string: return "a string";
  case Json::value_t::boolean: return value.get<bool>() ? "true" : "false";
  case Json::value_t::number_integer:
  case Json::value_t::number_unsigned: return "the number " + value.dump();
  case Json::value_t::number_float: return "a number that is no integer";
  case Json::value_t::null: return "null";
  case Json::value_t::binary:
  case Json::value_t::discarded: break;
  }
  return "nothing";
}

std::string displayPath(const std::string &path) { return path.empty() ? "the top of the document" : path; }

} // namespace

Result<Json> parseJson(std::string_view text) {
  if (size_t byte = findTooDeep(text); byte != std::string_view::npos)
    return Error{"expected JSON nested at most " + std::to_string(kMaxNesting) + " deep, but it is deeper at " +
                 lineAndColumn(text, byte)};
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error &error) {
    // The library counts from 1 and names the last byte read.
    size_t byte = error.byte == 0 ? 0 : error.byte - 1;
    return Error{"expected JSON, but the text is malformed at " + lineAndColumn(text, byte)};
  } catch (const std::exception &) {
    return Error{"expected JSON, but the text holds a value that no 64-bit number can store"};
  }
}

Error JsonPlace::expected(const std::string &what) const { return expected(what, describe(*value)); }

Error JsonPlace::expected(const std::string &what, const std::string &came) const {
  return Error{"expected " + what + " at " + displayPath(path) + ", but got " + came};
}

Result<std::string> JsonPlace::string() const {
  if (!value->is_string())
    return expected("a string");
  return value->get_ref<const std::string &>();
}

Result<int64_t> JsonPlace::integer() const {
  if (!value->is_number_integer())
    return expected("an integer");
  if (value->is_number_unsigned() &&
      value->get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return expected("an integer of 64 bits");
  return value->get<int64_t>();
}

Result<bool> JsonPlace::boolean() const {
  if (!value->is_boolean())
    return expected("true or false");
  return value->get<bool>();
}

Result<JsonPlace> JsonPlace::member(const char *key) const {
  if (!value->is_object())
    return expected("an object");
  auto found = value->find(key);
  if (found == value->end())
    return expected(std::string("the key \"") + key + "\"", "an object without it");
  return JsonPlace(*found, path + "/" + key);
}

JsonPlace JsonPlace::element(size_t index) const {
  return JsonPlace((*value)[index], path + "/" + std::to_string(index));
}

Result<size_t> JsonPlace::arrayLength() const {
  if (!value->is_array())
    return expected("an array");
  return value->size();
}

Status JsonPlace::onlyKeys(std::initializer_list<const char *> keys) const {
  if (!value->is_object())
    return expected("an object");
  for (auto entry = value->begin(); entry != value->end(); ++entry) {
    bool isKnown = std::any_of(keys.begin(), keys.end(), [&](const char *key) { return entry.key() == key; });
    if (!isKnown)
      return expected("only keys this version knows", "the key \"" + entry.key() + "\"");
  }
  return {};
}

} // namespace fastnorm
