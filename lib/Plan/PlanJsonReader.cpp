//===- PlanJsonReader.cpp - JSON text to a plan ---------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function reads one kind of value; each refuses what it does not know and
// says where it stood.
//
//===----------------------------------------------------------------------===//

#include "JsonDocument.h"
#include "PlanJsonWords.h"
#include "fastnorm/Plan/PlanJson.h"

#include <utility>

namespace fastnorm {

namespace {

/// Reads the value of `result` into `target`, or returns its error from the enclosing function.
#define FASTNORM_READ(target, result)                                                                                  \
  do {                                                                                                                 \
    auto read = (result);                                                                                              \
    if (!read)                                                                                                         \
      return read.takeError();                                                                                         \
    target = std::move(*read);                                                                                         \
  } while (false)

class Reader {
public:
  Result<Plan> document(const JsonPlace &place);
  /// What stands in the document.
  const std::string &contentHash() const { return hash; }

private:
  Result<int64_t> symbol(const JsonPlace &place) const;
  Result<Expression> expression(const JsonPlace &place, int64_t depth = 1) const;
  Result<Expression> operation(const JsonPlace &place, int64_t depth) const;
  Result<Extent> extent(const JsonPlace &place) const;
  Result<TensorSpec> tensor(const JsonPlace &place) const;
  Result<SymbolRange> range(const JsonPlace &place) const;
  Result<WorkspaceSpec> workspace(const JsonPlace &place) const;
  Result<LaunchArgument> argument(const JsonPlace &place) const;
  Result<Launch> launch(const JsonPlace &place) const;
  Result<Variant> variant(const JsonPlace &place) const;

  Result<std::string> string(const JsonPlace &place, const char *key) const;
  Result<int64_t> integer(const JsonPlace &place, const char *key) const;
  Result<bool> boolean(const JsonPlace &place, const char *key) const;
  Result<Expression> expression(const JsonPlace &place, const char *key) const;

  /// Reads every element of the array under `key` by a member function.
  template <typename T>
  Result<std::vector<T>> list(const JsonPlace &place, const char *key,
                              Result<T> (Reader::*read)(const JsonPlace &) const) const {
    Result<JsonPlace> member = place.member(key);
    if (!member)
      return member.takeError();
    Result<size_t> length = member->arrayLength();
    if (!length)
      return length.takeError();
    std::vector<T> values;
    values.reserve(*length);
    for (size_t index = 0; index < *length; ++index) {
      Result<T> value = (this->*read)(member->element(index));
      if (!value)
        return value.takeError();
      values.push_back(std::move(*value));
    }
    return values;
  }

  Result<std::string> text(const JsonPlace &place) const { return place.string(); }

  std::vector<std::string> symbols;
  std::string hash;
};

Result<std::string> Reader::string(const JsonPlace &place, const char *key) const {
  Result<JsonPlace> member = place.member(key);
  if (!member)
    return member.takeError();
  return member->string();
}

Result<int64_t> Reader::integer(const JsonPlace &place, const char *key) const {
  Result<JsonPlace> member = place.member(key);
  if (!member)
    return member.takeError();
  return member->integer();
}

Result<bool> Reader::boolean(const JsonPlace &place, const char *key) const {
  Result<JsonPlace> member = place.member(key);
  if (!member)
    return member.takeError();
  return member->boolean();
}

Result<Expression> Reader::expression(const JsonPlace &place, const char *key) const {
  Result<JsonPlace> member = place.member(key);
  if (!member)
    return member.takeError();
  return expression(*member);
}

Result<int64_t> Reader::symbol(const JsonPlace &place) const {
  Result<std::string> name = place.string();
  if (!name)
    return name.takeError();
  for (size_t index = 0; index < symbols.size(); ++index)
    if (symbols[index] == *name)
      return static_cast<int64_t>(index);
  return place.expected("the name of a symbol", "\"" + *name + "\"");
}

Result<Expression> Reader::expression(const JsonPlace &place, int64_t depth) const {
  if (place.json().is_array())
    return operation(place, depth);
  if (place.json().is_string()) {
    Result<int64_t> index = symbol(place);
    if (!index)
      return index.takeError();
    return Expression::symbol(*index);
  }
  if (!place.json().is_number())
    return place.expected("an expression (an integer, a symbol's name, or [operation, left, right])");
  Result<int64_t> value = place.integer();
  if (!value)
    return value.takeError();
  return Expression::constant(*value);
}

Result<Expression> Reader::operation(const JsonPlace &place, int64_t depth) const {
  if (depth >= Expression::kMaxDepth)
    return place.expected("an expression nested at most " + std::to_string(Expression::kMaxDepth) + " deep",
                          "a deeper one");
  if (place.json().size() != 3)
    return place.expected("an expression of the form [operation, left, right]",
                          "an array of " + std::to_string(place.json().size()));
  std::string word;
  FASTNORM_READ(word, place.element(0).string());
  for (const auto &[kind, known] : planjson::kOperations) {
    if (word != known)
      continue;
    Result<Expression> left = expression(place.element(1), depth + 1);
    if (!left)
      return left;
    Result<Expression> right = expression(place.element(2), depth + 1);
    if (!right)
      return right;
    return Expression::binary(kind, std::move(*left), std::move(*right));
  }
  return place.element(0).expected("add, multiply, ceil_divide, minimum or maximum", "\"" + word + "\"");
}

Result<Extent> Reader::extent(const JsonPlace &place) const {
  Extent extent;
  if (place.json().is_string())
    FASTNORM_READ(extent.symbol, symbol(place));
  else
    FASTNORM_READ(extent.fixed, place.integer());
  return extent;
}

Result<TensorSpec> Reader::tensor(const JsonPlace &place) const {
  if (Status status = place.onlyKeys({"name", "dtype", "shape", "strides", "alignment", "indexes", "result"}); !status)
    return status.takeError();
  TensorSpec spec;
  FASTNORM_READ(spec.name, string(place, "name"));
  Result<JsonPlace> dtypePlace = place.member("dtype");
  if (!dtypePlace)
    return dtypePlace.takeError();
  std::string word;
  FASTNORM_READ(word, dtypePlace->string());
  std::optional<DType> dtype = parseDType(word);
  if (!dtype)
    return dtypePlace->expected(allDTypeNames(), "\"" + word + "\"");
  spec.dtype = *dtype;
  FASTNORM_READ(spec.shape, list(place, "shape", &Reader::extent));
  FASTNORM_READ(spec.alignment, integer(place, "alignment"));
  if (place.has("indexes"))
    FASTNORM_READ(spec.indexes, symbol(*place.member("indexes")));
  if (place.has("strides"))
    FASTNORM_READ(spec.strides, list(place, "strides", &Reader::extent));
  if (place.has("result"))
    FASTNORM_READ(spec.result, integer(place, "result"));
  return spec;
}

Result<SymbolRange> Reader::range(const JsonPlace &place) const {
  if (Status status = place.onlyKeys({"symbol", "low", "high"}); !status)
    return status.takeError();
  SymbolRange range;
  Result<JsonPlace> symbolPlace = place.member("symbol");
  if (!symbolPlace)
    return symbolPlace.takeError();
  FASTNORM_READ(range.symbol, symbol(*symbolPlace));
  FASTNORM_READ(range.low, integer(place, "low"));
  if (place.has("high"))
    FASTNORM_READ(range.high, integer(place, "high"));
  return range;
}

Result<WorkspaceSpec> Reader::workspace(const JsonPlace &place) const {
  if (Status status = place.onlyKeys({"bytes"}); !status)
    return status.takeError();
  WorkspaceSpec workspace;
  FASTNORM_READ(workspace.bytes, expression(place, "bytes"));
  return workspace;
}

Result<LaunchArgument> Reader::argument(const JsonPlace &place) const {
  if (!place.json().is_object() || place.json().size() != 1)
    return place.expected("an object with one key (argument, result, workspace, i32 or i64)");
  for (const auto &[kind, word] : planjson::kArgumentKinds) {
    if (!place.has(word))
      continue;
    LaunchArgument argument;
    argument.kind = kind;
    if (planjson::isValue(kind))
      FASTNORM_READ(argument.value, expression(place, word));
    else
      FASTNORM_READ(argument.index, integer(place, word));
    return argument;
  }
  return place.expected("one of the keys argument, result, workspace, i32, i64",
                        "\"" + place.json().begin().key() + "\"");
}

Result<Launch> Reader::launch(const JsonPlace &place) const {
  if (Status status = place.onlyKeys({"kernel", "grid", "threads", "cluster", "dynamic_shared_bytes", "dependent",
                                      "arguments", "schedule", "read_bytes", "written_bytes"});
      !status)
    return status.takeError();
  Launch launch;
  FASTNORM_READ(launch.kernel, string(place, "kernel"));
  FASTNORM_READ(launch.grid, expression(place, "grid"));
  FASTNORM_READ(launch.threads, integer(place, "threads"));
  FASTNORM_READ(launch.cluster, integer(place, "cluster"));
  FASTNORM_READ(launch.dynamicSharedBytes, integer(place, "dynamic_shared_bytes"));
  FASTNORM_READ(launch.dependent, boolean(place, "dependent"));
  FASTNORM_READ(launch.arguments, list(place, "arguments", &Reader::argument));
  FASTNORM_READ(launch.schedule, string(place, "schedule"));
  FASTNORM_READ(launch.readBytes, expression(place, "read_bytes"));
  FASTNORM_READ(launch.writtenBytes, expression(place, "written_bytes"));
  return launch;
}

Result<Variant> Reader::variant(const JsonPlace &place) const {
  if (Status status = place.onlyKeys({"ranges", "alignment", "workspaces", "launches", "ptx"}); !status)
    return status.takeError();
  Variant variant;
  FASTNORM_READ(variant.ranges, list(place, "ranges", &Reader::range));
  FASTNORM_READ(variant.alignment, integer(place, "alignment"));
  FASTNORM_READ(variant.workspaces, list(place, "workspaces", &Reader::workspace));
  FASTNORM_READ(variant.launches, list(place, "launches", &Reader::launch));
  FASTNORM_READ(variant.ptx, string(place, "ptx"));
  return variant;
}

Result<Plan> Reader::document(const JsonPlace &place) {
  int64_t version = 0;
  FASTNORM_READ(version, integer(place, planjson::kVersionKey));
  if (version != Plan::kFormatVersion)
    return Error{"expected a plan of format version " + std::to_string(Plan::kFormatVersion) + ", but got version " +
                 std::to_string(version) + "; compile the graph again"};
  if (Status status = place.onlyKeys({planjson::kVersionKey, planjson::kHashKey, "producer", "function", "target",
                                      "chip", "symbols", "arguments", "results", "variants"});
      !status)
    return status.takeError();
  Plan plan;
  FASTNORM_READ(hash, string(place, planjson::kHashKey));
  FASTNORM_READ(plan.producer, string(place, "producer"));
  FASTNORM_READ(plan.function, string(place, "function"));
  FASTNORM_READ(plan.target, string(place, "target"));
  FASTNORM_READ(plan.chip, string(place, "chip"));
  FASTNORM_READ(plan.symbols, list(place, "symbols", &Reader::text));
  symbols = plan.symbols;
  FASTNORM_READ(plan.arguments, list(place, "arguments", &Reader::tensor));
  FASTNORM_READ(plan.results, list(place, "results", &Reader::tensor));
  FASTNORM_READ(plan.variants, list(place, "variants", &Reader::variant));
  return plan;
}

#undef FASTNORM_READ

} // namespace

Result<Plan> readPlanJson(std::string_view text) {
  Result<Json> json = parseJson(text);
  if (!json)
    return json.takeError();
  Reader reader;
  Result<Plan> plan = reader.document(JsonPlace(*json, ""));
  if (!plan)
    return plan;
  if (Status status = verify(*plan); !status)
    return status.takeError();
  if (contentHash(*plan) != reader.contentHash())
    return Error{"expected the plan that its content hash " + reader.contentHash() +
                 " was computed from, but the text was changed; compile the graph again"};
  return plan;
}

} // namespace fastnorm
