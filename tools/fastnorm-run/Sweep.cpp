//===- Sweep.cpp - The points of --sweep ----------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

using namespace fastnorm;
using namespace fastnorm::tool;

using llvm::StringRef;

static constexpr size_t kMostPoints = 100000;

namespace {
struct SweepKey {
  std::string name;
  std::vector<std::string> values;
};
} // namespace

static Error expected(const std::string &what, StringRef got) {
  return Error{"expected --sweep " + what + ", but got '" + got.str() + "'"};
}

std::string tool::describe(const SweepPoint &point) {
  std::string text;
  for (const auto &[name, value] : point)
    text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

/// Appends the numbers of A..B:xF or A..B:+S.
static Status addRange(StringRef text, std::vector<std::string> &values) {
  auto [low, rest] = text.split("..");
  auto [high, step] = rest.split(':');
  int64_t first = 0, last = 0, by = 0;
  bool multiplies = step.consume_front("x");
  bool adds = !multiplies && step.consume_front("+");
  if (low.getAsInteger(10, first) || high.getAsInteger(10, last) || step.getAsInteger(10, by) || first < 1 ||
      last < first || by < (multiplies ? 2 : 1) || !(multiplies || adds))
    return expected("ranges as A..B:xF or A..B:+S of whole numbers from 1, F from 2", text);
  for (int64_t value = first; value <= last;) {
    values.push_back(std::to_string(value));
    if (values.size() > kMostPoints)
      return expected("at most " + std::to_string(kMostPoints) + " values a key", text);
    if (multiplies ? __builtin_mul_overflow(value, by, &value) : __builtin_add_overflow(value, by, &value))
      break;
  }
  return {};
}

static Result<std::vector<SweepKey>> readKeys(StringRef text) {
  std::vector<SweepKey> keys;
  while (!text.empty()) {
    StringRef word;
    std::tie(word, text) = text.split(',');
    if (word.contains('=')) {
      auto [name, value] = word.split('=');
      if (name.empty() || llvm::any_of(keys, [&, name = name](const SweepKey &key) { return key.name == name; }))
        return expected("a name for each key, and each once", word);
      keys.push_back({name.str(), {}});
      word = value;
    }
    if (keys.empty() || word.empty())
      return expected("KEY=VALUE,VALUE...,KEY=...", word);
    if (!word.contains("..")) {
      keys.back().values.push_back(word.str());
      continue;
    }
    if (Status added = addRange(word, keys.back().values); !added)
      return added.takeError();
  }
  return keys;
}

/// The value of a product at a point that has the keys before it; other words as they are.
static Result<std::string> valueAt(StringRef text, const SweepPoint &point) {
  if (!text.contains('*'))
    return text.str();
  int64_t product = 1;
  for (StringRef rest = text, word; !rest.empty();) {
    std::tie(word, rest) = rest.split('*');
    auto key = llvm::find_if(point, [&](const auto &entry) { return entry.first == word; });
    int64_t factor = 0;
    if (StringRef(key == point.end() ? word : StringRef(key->second)).getAsInteger(10, factor) || factor < 1)
      return expected("products of whole numbers from 1 and keys that stand before them", text);
    if (__builtin_mul_overflow(product, factor, &product))
      return expected("products that fit 63 bits", text);
  }
  return std::to_string(product);
}

Result<std::vector<SweepPoint>> tool::parseSweep(const std::string &text) {
  Result<std::vector<SweepKey>> keys = readKeys(text);
  if (!keys)
    return keys.takeError();
  std::vector<SweepPoint> points{{}};
  for (const SweepKey &key : *keys) {
    if (points.size() * key.values.size() > kMostPoints)
      return expected("at most " + std::to_string(kMostPoints) + " points", text);
    std::vector<SweepPoint> longer;
    for (const SweepPoint &point : points)
      for (const std::string &written : key.values) {
        Result<std::string> value = valueAt(written, point);
        if (!value)
          return value.takeError();
        longer.push_back(point);
        longer.back().emplace_back(key.name, std::move(*value));
      }
    points = std::move(longer);
  }
  if (points.front().empty())
    return expected("KEY=VALUE,VALUE...,KEY=...", text);
  return points;
}
