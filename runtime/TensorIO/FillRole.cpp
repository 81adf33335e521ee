//===- FillRole.cpp - What a tensor is filled with ------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/FillRole.h"

#include <charconv>
#include <cmath>

namespace fastnorm {

namespace {

bool endsIn(const std::string &text, std::string_view ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

/// Takes a number off the front.
std::optional<double> takeNumber(std::string_view &text) {
  double value = 0.0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc())
    return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

/// "100+0.01" or "100".
std::optional<FillRole> parseAround(std::string_view text) {
  FillRole role = FillRole::normal(0.0, 0.1);
  std::optional<double> mean = takeNumber(text);
  if (!mean || !std::isfinite(*mean))
    return std::nullopt;
  role.mean = *mean;
  if (text.empty())
    return role;
  if (text.front() != '+')
    return std::nullopt;
  text.remove_prefix(1);
  std::optional<double> deviation = takeNumber(text);
  if (!deviation || !text.empty() || !std::isfinite(*deviation) || *deviation < 0)
    return std::nullopt;
  role.deviation = *deviation;
  return role;
}

bool consume(std::string_view &text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

} // namespace

std::optional<FillRole> parseFillRole(std::string_view text) {
  using Kind = FillRole::Kind;
  if (text == "gate")
    return FillRole::gate();
  if (text == "perm")
    return FillRole{Kind::Permutation, 0.0, 0.0, 0.0, std::nullopt};
  if (text == "dup")
    return FillRole{Kind::Duplicates, 0.0, 0.0, 0.0, std::nullopt};
  if (consume(text, "around:"))
    return parseAround(text);
  bool isShare = consume(text, "drop:");
  if (!isShare && !consume(text, "constant:"))
    return std::nullopt;
  std::optional<double> value = takeNumber(text);
  if (!value || !text.empty())
    return std::nullopt;
  if (!isShare)
    return FillRole{Kind::Constant, *value, 0.0, 0.0, std::nullopt};
  if (!(*value >= 0.0 && *value <= 1.0))
    return std::nullopt;
  return FillRole::indices(*value);
}

FillRole guessFillRole(const TensorSpec &spec) {
  if (spec.indexes)
    return FillRole::indices();
  if (endsIn(spec.name, "gate"))
    return FillRole::gate();
  if (endsIn(spec.name, "weight"))
    return FillRole::weight(0.0);
  if (endsIn(spec.name, "bias"))
    return FillRole::bias();
  return FillRole::normal(0.0, spec.dtype == DType::I8 ? 32.0 : 1.0);
}

Status checkFillRole(const TensorSpec &spec, const FillRole &role) {
  bool indexes = spec.indexes || role.rows;
  bool takesIndices = fastnorm::isIndex(spec.dtype) && indexes;
  if (role.isIndex() && !takesIndices)
    return Error{"expected '" + spec.name + "' to index rows with integers, because it is filled as a row index, but " +
                 "it holds " + std::string(name(spec.dtype)) + (indexes ? "" : " and indexes nothing")};
  if (!role.isIndex() && role.kind != FillRole::Kind::Constant && takesIndices)
    return Error{"expected '" + spec.name +
                 "', which indexes rows, to be filled as perm, dup, drop:SHARE or "
                 "constant:VALUE, but got another role"};
  return {};
}

} // namespace fastnorm
