//===- PtxLexer.cpp - PTX text to tokens ----------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The characters of words and numbers, and what counts as blank.
//
//===----------------------------------------------------------------------===//

#include "PtxLexer.h"

#include <algorithm>
#include <utility>

namespace fastnorm::emulator {

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

static bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' || c == '.';
}

static bool isWordPart(char c) { return isWordStart(c) || isDigit(c); }

static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

void PtxLexer::skipComment() {
  size_t end;
  if (ptx[position + 1] == '/') {
    end = std::min(ptx.find('\n', position), ptx.size());
    constexpr std::string_view marker = "implicit-def: ";
    std::string_view comment = ptx.substr(position, end - position);
    size_t found = comment.find(marker);
    if (found != std::string_view::npos) {
      std::string_view name = comment.substr(found + marker.size());
      size_t length = 0;
      while (length < name.size() && isWordPart(name[length]))
        ++length;
      implicitDefinitions.emplace_back(name.substr(0, length));
    }
  } else {
    end = ptx.find("*/", position + 2);
    end = end == std::string_view::npos ? ptx.size() : end + 2;
  }
  line += uint32_t(std::count(ptx.begin() + position, ptx.begin() + end, '\n'));
  position = end;
}

void PtxLexer::skipBlanks() {
  while (position < ptx.size()) {
    if (isBlank(ptx[position])) {
      line += ptx[position] == '\n';
      ++position;
    } else if (ptx[position] == '/' && position + 1 < ptx.size() &&
               (ptx[position + 1] == '/' || ptx[position + 1] == '*')) {
      skipComment();
    } else {
      return;
    }
  }
}

PtxToken PtxLexer::token(PtxToken::Kind kind, size_t begin) {
  PtxToken result;
  result.kind = kind;
  result.text = ptx.substr(begin, position - begin);
  result.offset = begin;
  result.line = line;
  return result;
}

PtxToken PtxLexer::lex() {
  skipBlanks();
  size_t begin = position;
  if (position >= ptx.size())
    return token(PtxToken::Kind::End, begin);
  char first = ptx[position];
  if (isWordStart(first)) {
    while (position < ptx.size()) {
      // `::` joins parts of a modifier (shared::cluster); a single colon ends a label.
      if (isWordPart(ptx[position]))
        ++position;
      else if (ptx.substr(position, 2) == "::")
        position += 2;
      else
        break;
    }
    return token(PtxToken::Kind::Word, begin);
  }
  if (isDigit(first)) {
    bool hex = first == '0' && position + 1 < ptx.size() &&
               std::string_view("xXfFdD").find(ptx[position + 1]) != std::string_view::npos;
    while (position < ptx.size()) {
      char c = ptx[position];
      bool exponentSign = !hex && (c == '+' || c == '-') && (ptx[position - 1] == 'e' || ptx[position - 1] == 'E');
      if (!(isWordPart(c) && c != '$' && c != '%') && !exponentSign)
        break;
      ++position;
    }
    return token(PtxToken::Kind::Number, begin);
  }
  if (first == '"') {
    ++position;
    while (position < ptx.size() && ptx[position] != '"' && ptx[position] != '\n')
      ++position;
    if (position < ptx.size() && ptx[position] == '"')
      ++position;
    return token(PtxToken::Kind::String, begin);
  }
  ++position;
  return token(PtxToken::Kind::Punctuation, begin);
}

PtxToken PtxLexer::take() {
  PtxToken result = current;
  previousEnd = result.offset + result.text.size();
  current = lex();
  return result;
}

char PtxLexer::after() const {
  size_t next = current.offset + current.text.size();
  while (next < ptx.size() && isBlank(ptx[next]))
    ++next;
  return next < ptx.size() ? ptx[next] : '\0';
}

void PtxLexer::skipLine() {
  position = std::min(ptx.find('\n', current.offset), ptx.size());
  line = current.line;
  previousEnd = position;
  current = lex();
}

std::string PtxLexer::textSince(const PtxToken &begin) const {
  std::string result;
  for (char c : ptx.substr(begin.offset, previousEnd - begin.offset)) {
    if (!isBlank(c))
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  return result;
}

std::vector<std::string> PtxLexer::takeImplicitDefinitions() { return std::exchange(implicitDefinitions, {}); }

} // namespace fastnorm::emulator
