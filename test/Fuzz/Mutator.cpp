//===- Mutator.cpp - Inputs like those that are known -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

#include <algorithm>
#include <cctype>

using namespace fastnorm::fuzz;

static bool isOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '.' || c == '-';
}

std::pair<size_t, size_t> Mutator::piece(const std::string &text) {
  if (text.empty())
    return {0, 0};
  size_t place = below(text.size());
  if (!isText)
    return {place, std::min(text.size(), place + 1 + below(8))};
  if (below(3) == 0) {
    size_t begin = text.rfind('\n', place), end = text.find('\n', place);
    begin = begin == std::string::npos ? 0 : begin + 1;
    return {std::min(begin, place), end == std::string::npos ? text.size() : end + 1};
  }
  size_t begin = place, end = place + 1;
  while (begin > 0 && isOfWord(text[begin - 1]) == isOfWord(text[place]))
    --begin;
  while (end < text.size() && isOfWord(text[end]) == isOfWord(text[place]))
    ++end;
  return {begin, end};
}

std::string Mutator::number() {
  static const char *const kNumbers[] = {"0",
                                         "1",
                                         "-1",
                                         "2",
                                         "3",
                                         "7",
                                         "8",
                                         "16",
                                         "17",
                                         "32",
                                         "64",
                                         "255",
                                         "256",
                                         "1024",
                                         "65536",
                                         "2147483647",
                                         "2147483648",
                                         "4294967295",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "18446744073709551616",
                                         "1.0e+40",
                                         "nan",
                                         "?"};
  return kNumbers[below(sizeof(kNumbers) / sizeof(*kNumbers))];
}

void Mutator::change(std::string &text) {
  auto [begin, end] = piece(text);
  switch (below(isText ? 8 : 5)) {
  case 0: text.erase(begin, end - begin); return;
  case 1: text.insert(begin, text.substr(begin, end - begin)); return;
  case 2: {
    std::string other = seeds[below(seeds.size())];
    auto [from, to] = piece(other);
    text.replace(begin, end - begin, other.substr(from, to - from));
    return;
  }
  case 3: {
    auto [from, to] = piece(text);
    std::string moved = text.substr(from, to - from);
    text.replace(begin, end - begin, moved);
    return;
  }
  case 4:
    if (!text.empty())
      text[below(text.size())] = char(isText && below(8) ? 32 + below(95) : below(256));
    return;
  default: {
    // A number becomes another one.
    size_t digit = text.find_first_of("0123456789", below(text.size() + 1));
    if (digit == std::string::npos)
      return;
    size_t behind = std::min(text.find_first_not_of("0123456789", digit), text.size());
    text.replace(digit, behind - digit, number());
  }
  }
}

std::string Mutator::next() {
  std::string text = seeds[below(seeds.size())];
  size_t changes = 1 + below(below(4) ? 3 : 12);
  for (size_t done = 0; done < changes; ++done)
    change(text);
  if (below(32) == 0)
    text.resize(below(text.size() + 1));
  return text;
}
