//===- JsonDocument.h - JSON read with the place of each fault --*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JsonPlace walks a parsed document and remembers where it is, so that every
// error reads "expected a string at /arguments/0/name, but got a number".
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_PLAN_JSONDOCUMENT_H
#define FASTNORM_LIB_PLAN_JSONDOCUMENT_H

#include "fastnorm/Support/Result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace fastnorm {

using Json = nlohmann::json;

/// The document, or an error with line and column. Nesting is bounded before anything is built.
Result<Json> parseJson(std::string_view text);

/// A value of a document and the path that leads to it.
class JsonPlace {
public:
  JsonPlace(const Json &value, std::string path) : value(&value), path(std::move(path)) {}

  const Json &json() const { return *value; }

  /// "expected <what> at <path>, but got <what the value is>".
  Error expected(const std::string &what) const;
  /// "expected <what> at <path>, but got <came>".
  Error expected(const std::string &what, const std::string &came) const;

  Result<std::string> string() const;
  Result<int64_t> integer() const;
  Result<bool> boolean() const;

  bool has(const char *key) const { return value->is_object() && value->contains(key); }
  /// A member of an object; an error where this is no object or lacks the key.
  Result<JsonPlace> member(const char *key) const;
  /// An element of an array whose length is known to suffice.
  JsonPlace element(size_t index) const;
  /// The length, or an error where this is no array.
  Result<size_t> arrayLength() const;
  /// An error where this is no object or has a key that is not listed.
  Status onlyKeys(std::initializer_list<const char *> keys) const;

private:
  const Json *value;
  std::string path;
};

} // namespace fastnorm

#endif // FASTNORM_LIB_PLAN_JSONDOCUMENT_H
