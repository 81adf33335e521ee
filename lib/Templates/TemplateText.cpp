//===- TemplateText.cpp - Text with holes ---------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemplateText.h"

#include <cassert>
#include <cstdlib>

namespace fastnorm {

namespace {

/// Reads a text from left to right. The texts are our own: what is malformed is a bug, not an error.
class Expander {
public:
  Expander(const TemplateTexts &values, const TemplateTexts &words) : values(values), words(words) {}

  /// Expands up to the end of the text, or behind the "$)" that ends a section.
  Status expand(std::string_view &text, bool isShown);

  std::string result;

private:
  Status hole(std::string_view name);
  Status quotient(std::string_view dividend, std::string_view divisor);
  bool holds(std::string_view condition) const;
  const std::string &valueOf(std::string_view key) const;

  const TemplateTexts &values;
  const TemplateTexts &words;
};

const std::string &Expander::valueOf(std::string_view key) const {
  auto value = values.find(key);
  assert(value != values.end() && "a hole has no key and no word");
  return value->second;
}

bool Expander::holds(std::string_view condition) const {
  size_t equals = condition.find('=');
  if (equals == std::string_view::npos)
    return valueOf(condition) != "no";
  bool isNegated = condition[equals - 1] == '!';
  bool isEqual = valueOf(condition.substr(0, equals - (isNegated ? 1 : 0))) == condition.substr(equals + 1);
  return isEqual != isNegated;
}

Status Expander::quotient(std::string_view dividend, std::string_view divisor) {
  int64_t above = std::atoll(valueOf(dividend).c_str());
  int64_t below = std::atoll(valueOf(divisor).c_str());
  if (below <= 0 || above % below != 0)
    return Error{"expected " + std::string(dividend) + " to be a multiple of " + std::string(divisor) + ", but got " +
                 std::to_string(above) + " and " + std::to_string(below)};
  result += std::to_string(above / below);
  return {};
}

Status Expander::hole(std::string_view name) {
  if (size_t slash = name.find('/'); slash != std::string_view::npos)
    return quotient(name.substr(0, slash), name.substr(slash + 1));
  auto word = words.find(name);
  if (word == words.end()) {
    result += valueOf(name);
    return {};
  }
  std::string_view text = word->second;
  return expand(text, true);
}

Status Expander::expand(std::string_view &text, bool isShown) {
  while (!text.empty()) {
    size_t mark = text.find('$');
    if (isShown)
      result += text.substr(0, mark);
    if (mark == std::string_view::npos)
      return {};
    char kind = text[mark + 1];
    text.remove_prefix(mark + 2);
    if (kind == ')')
      break;
    size_t end = text.find(kind == '{' ? '}' : ':');
    assert(end != std::string_view::npos && "a hole or condition does not end");
    std::string_view inside = text.substr(0, end);
    text.remove_prefix(end + 1);
    Status status;
    if (kind == '(')
      status = expand(text, isShown && holds(inside));
    else if (isShown)
      status = hole(inside);
    if (!status)
      return status;
  }
  return {};
}

} // namespace

Result<std::string> expandTemplate(std::string_view text, const TemplateTexts &values, const TemplateTexts &words) {
  Expander expander(values, words);
  if (Status status = expander.expand(text, true); !status)
    return status.takeError();
  return std::move(expander.result);
}

} // namespace fastnorm
