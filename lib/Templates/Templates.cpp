//===- Templates.cpp - Graphs by name and settings ------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Templates/Templates.h"

#include "GraphTexts.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace fastnorm {

namespace {

std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// A whole number from 1, as it would be printed.
bool isCount(const std::string &text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::to_string(value) == text && value >= 1;
}

/// A finite number as MLIR writes f32: with a point. Empty for anything else.
std::string floatLiteral(const std::string &text) {
  float value = 0.0f;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return "";
  char literal[64];
  std::snprintf(literal, sizeof(literal), "%.8e", static_cast<double>(value));
  // Zeros that say nothing: 1.00000000e-06 is 1.0e-06.
  std::string digits(literal);
  size_t exponent = digits.find('e');
  size_t last = digits.find_last_not_of('0', exponent - 1);
  digits.erase(digits[last] == '.' ? last + 2 : last + 1, exponent - (digits[last] == '.' ? last + 2 : last + 1));
  return digits;
}

/// The value as it goes into the text, or nothing where the key does not take it. `forms` is TemplateKey::values.
std::string accept(std::string forms, const std::string &value) {
  while (!forms.empty()) {
    size_t bar = forms.find('|');
    std::string form = forms.substr(0, bar);
    forms = bar == std::string::npos ? "" : forms.substr(bar + 1);
    if (form == "N" ? isCount(value) : form == value)
      return value;
    if (form == "X")
      if (std::string literal = floatLiteral(value); !literal.empty())
        return literal;
  }
  return "";
}

/// "a whole number from 1", "? or a whole number from 1", "f32, bf16 or f16".
std::string describeForms(std::string forms) {
  std::string text;
  while (!forms.empty()) {
    size_t bar = forms.find('|');
    std::string form = forms.substr(0, bar);
    forms = bar == std::string::npos ? "" : forms.substr(bar + 1);
    text += text.empty() ? "" : forms.empty() ? " or " : ", ";
    text += form == "N" ? "a whole number from 1" : form == "X" ? "a number" : form;
  }
  return text;
}

std::vector<std::string> keyNames(const GraphTemplate &graph) {
  std::vector<std::string> names;
  for (const TemplateKey &key : graph.keys)
    names.emplace_back(key.name);
  return names;
}

Status checkKeys(const GraphTemplate &graph, const std::map<std::string, std::string> &settings) {
  std::vector<std::string> known = keyNames(graph);
  for (const auto &[key, value] : settings)
    if (std::find(known.begin(), known.end(), key) == known.end())
      return Error{"expected a key of '" + std::string(graph.name) + "' (" + join(known) + "), but got '" + key + "'"};
  return {};
}

/// A graph that has keys for its results returns one of them at least.
Status checkResults(const GraphTemplate &graph, const TemplateTexts &values) {
  std::vector<std::string> results;
  for (const TemplateKey &key : graph.keys)
    if (std::string_view(key.name).substr(0, 5) == "grad_" && std::string_view(key.values) == "yes|no")
      results.emplace_back(key.name);
  bool returnsNone = !results.empty() && std::all_of(results.begin(), results.end(),
                                                     [&](const std::string &name) { return values.at(name) == "no"; });
  if (returnsNone)
    return Error{"expected one of the keys " + join(results) + " of '" + graph.name + "' to be yes, but all are no"};
  return {};
}

/// The value of every key, and "no" for the conditions of keys that the template does not have.
Result<TemplateTexts> valuesOf(const GraphTemplate &graph, const std::map<std::string, std::string> &settings) {
  TemplateTexts values;
  for (const char *optional : {"heads", "stride", "head_weights", "weight", "bias", "statistics", "round_xhat", "group",
                               "residual", "accumulate"})
    values[optional] = "no";
  for (const TemplateKey &key : graph.keys) {
    auto set = settings.find(key.name);
    Result<std::string> value =
        set != settings.end() ? Result<std::string>(set->second) : expandTemplate(key.fallback, values, {});
    if (!value)
      return value.takeError();
    std::string accepted = accept(key.values, *value);
    if (accepted.empty())
      return Error{"expected key '" + std::string(key.name) + "' of '" + graph.name + "' to be " +
                   describeForms(key.values) + ", but got '" + *value + "'"};
    values[key.name] = accepted;
  }
  for (const TemplateKey &key : graph.keys)
    if (settings.count(key.name) && *key.needs && values.at(key.needs) == "no")
      return Error{"expected key '" + std::string(key.name) + "' of '" + graph.name + "' only together with '" +
                   key.needs + "', but '" + key.needs + "' is no"};
  if (Status returns = checkResults(graph, values); !returns)
    return returns.takeError();
  return values;
}

} // namespace

std::vector<std::string> templateNames() {
  std::vector<std::string> names;
  for (const GraphTemplate &graph : graphTemplates())
    names.emplace_back(graph.name);
  return names;
}

static Error unknownTemplate(const std::string &name) {
  return Error{"expected a graph among " + join(templateNames()) + ", but got '" + name + "'"};
}

Result<std::vector<std::string>> templateKeys(const std::string &name) {
  for (const GraphTemplate &graph : graphTemplates())
    if (name == graph.name)
      return keyNames(graph);
  return unknownTemplate(name);
}

std::string describeTemplates() {
  std::string text;
  for (const GraphTemplate &graph : graphTemplates()) {
    text += std::string(graph.name) + ": " + graph.summary + "\n";
    for (const TemplateKey &key : graph.keys) {
      std::string fallback = key.fallback;
      if (fallback.front() == '$')
        fallback = "that of " + fallback.substr(2, fallback.size() - 3);
      text += "  " + std::string(key.name) + ": " + describeForms(key.values) + " (default: " + fallback + ")\n";
    }
  }
  return text;
}

Result<std::string> instantiateTemplate(const std::string &name, const std::map<std::string, std::string> &settings) {
  for (const GraphTemplate &graph : graphTemplates()) {
    if (name != graph.name)
      continue;
    if (Status known = checkKeys(graph, settings); !known)
      return known.takeError();
    Result<TemplateTexts> values = valuesOf(graph, settings);
    if (!values)
      return values.takeError();
    Result<std::string> text = expandTemplate(graph.text, *values, templateWords());
    if (!text)
      return Error{"expected settings of '" + name + "' that fit together: " + text.error()};
    return text;
  }
  return unknownTemplate(name);
}

} // namespace fastnorm
