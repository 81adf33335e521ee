//===- PlanJsonWriter.cpp - A plan to JSON text ---------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanJsonWords.h"
#include "fastnorm/Plan/PlanJson.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <limits>

namespace fastnorm {

namespace {

/// Keeps keys in the order they are written, so that the same plan gives the same text.
using Json = nlohmann::ordered_json;

class Writer {
public:
  explicit Writer(const Plan &plan) : plan(plan) {}

  /// With the hash, where there is one.
  Json document(const std::string &hash) const;

private:
  Json symbol(int64_t index) const;
  Json expression(const Expression &expression) const;
  Json extents(const std::vector<Extent> &extents) const;
  Json tensor(const TensorSpec &spec) const;
  Json range(const SymbolRange &range) const;
  Json argument(const LaunchArgument &argument) const;
  Json launch(const Launch &launch) const;
  Json variant(const Variant &variant) const;

  const Plan &plan;
};

/// A symbol's name. A plan that verifies has no other index; one that doesn't must still be printable.
Json Writer::symbol(int64_t index) const {
  if (index < 0 || index >= static_cast<int64_t>(plan.symbols.size()))
    return "unknown symbol " + std::to_string(index);
  return plan.symbols[static_cast<size_t>(index)];
}

Json Writer::expression(const Expression &expression) const {
  if (expression.kind() == Expression::Kind::Constant)
    return expression.value();
  if (expression.kind() == Expression::Kind::Symbol)
    return symbol(expression.value());
  Json json = Json::array();
  for (const auto &[kind, word] : planjson::kOperations)
    if (kind == expression.kind())
      json.push_back(word);
  for (const Expression &operand : expression.operands())
    json.push_back(this->expression(operand));
  return json;
}

Json Writer::extents(const std::vector<Extent> &extents) const {
  Json json = Json::array();
  for (const Extent &extent : extents)
    json.push_back(extent.symbol ? symbol(*extent.symbol) : Json(extent.fixed));
  return json;
}

Json Writer::tensor(const TensorSpec &spec) const {
  Json json = Json::object();
  json["name"] = spec.name;
  json["dtype"] = std::string(name(spec.dtype));
  json["shape"] = extents(spec.shape);
  if (!spec.strides.empty())
    json["strides"] = extents(spec.strides);
  json["alignment"] = spec.alignment;
  if (spec.indexes)
    json["indexes"] = symbol(*spec.indexes);
  if (spec.result)
    json["result"] = *spec.result;
  return json;
}

Json Writer::range(const SymbolRange &range) const {
  Json json = Json::object();
  json["symbol"] = symbol(range.symbol);
  json["low"] = range.low;
  if (range.high != std::numeric_limits<int64_t>::max())
    json["high"] = range.high;
  return json;
}

Json Writer::argument(const LaunchArgument &argument) const {
  Json json = Json::object();
  for (const auto &[kind, word] : planjson::kArgumentKinds)
    if (kind == argument.kind)
      json[word] = planjson::isValue(kind) ? expression(argument.value) : Json(argument.index);
  return json;
}

Json Writer::launch(const Launch &launch) const {
  Json json = Json::object();
  json["kernel"] = launch.kernel;
  json["grid"] = expression(launch.grid);
  json["threads"] = launch.threads;
  json["cluster"] = launch.cluster;
  json["dynamic_shared_bytes"] = launch.dynamicSharedBytes;
  json["dependent"] = launch.dependent;
  json["arguments"] = Json::array();
  for (const LaunchArgument &argument : launch.arguments)
    json["arguments"].push_back(this->argument(argument));
  json["schedule"] = launch.schedule;
  json["read_bytes"] = expression(launch.readBytes);
  json["written_bytes"] = expression(launch.writtenBytes);
  return json;
}

Json Writer::variant(const Variant &variant) const {
  Json json = Json::object();
  json["ranges"] = Json::array();
  for (const SymbolRange &range : variant.ranges)
    json["ranges"].push_back(this->range(range));
  json["alignment"] = variant.alignment;
  json["workspaces"] = Json::array();
  for (const WorkspaceSpec &workspace : variant.workspaces)
    json["workspaces"].push_back(Json{{"bytes", expression(workspace.bytes)}});
  json["launches"] = Json::array();
  for (const Launch &launch : variant.launches)
    json["launches"].push_back(this->launch(launch));
  json["ptx"] = variant.ptx;
  return json;
}

Json Writer::document(const std::string &hash) const {
  Json json = Json::object();
  json[planjson::kVersionKey] = Plan::kFormatVersion;
  if (!hash.empty())
    json[planjson::kHashKey] = hash;
  json["producer"] = plan.producer;
  json["function"] = plan.function;
  json["target"] = plan.target;
  json["chip"] = plan.chip;
  json["symbols"] = plan.symbols;
  json["arguments"] = Json::array();
  for (const TensorSpec &spec : plan.arguments)
    json["arguments"].push_back(tensor(spec));
  json["results"] = Json::array();
  for (const TensorSpec &spec : plan.results)
    json["results"].push_back(tensor(spec));
  json["variants"] = Json::array();
  for (const Variant &variant : plan.variants)
    json["variants"].push_back(this->variant(variant));
  return json;
}

/// Names are UTF-8 in every plan a compiler makes; text that is not must not become an exception.
std::string textOf(const Json &json) {
  return json.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

} // namespace

std::string contentHash(const Plan &plan) {
  // FNV-1a.
  uint64_t hash = 0xcbf29ce484222325u;
  for (char byte : textOf(Writer(plan).document("")))
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

std::string writePlanJson(const Plan &plan) { return textOf(Writer(plan).document(contentHash(plan))) + "\n"; }

} // namespace fastnorm
