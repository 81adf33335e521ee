//===- PtxCursor.cpp - Reading PTX tokens with one error ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers are checked for overflow and sizes for sense: any text may come in.
//
//===----------------------------------------------------------------------===//

#include "PtxCursor.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace fastnorm::emulator {

/// A variable larger than this is a mistake in the text, not a kernel of ours.
static constexpr uint64_t maxVariableBytes = uint64_t(1) << 28;

std::optional<RegisterBytes> ptxTypeBytes(std::string_view type) {
  if (type == ".pred")
    return RegisterBytes(0);
  if (type == ".b128")
    return RegisterBytes(16);
  if (type.size() < 3 || type[0] != '.' || std::string_view("busf").find(type[1]) == std::string_view::npos)
    return std::nullopt;
  std::string_view bits = type.substr(2);
  if (bits == "8" && type[1] != 'f')
    return RegisterBytes(1);
  if (bits == "16")
    return RegisterBytes(2);
  if (bits == "32")
    return RegisterBytes(4);
  if (bits == "64")
    return RegisterBytes(8);
  return std::nullopt;
}

bool PtxCursor::fail(uint32_t line, const std::string &what) {
  if (message.empty())
    message = "PTX line " + std::to_string(line) + ": " + what;
  return false;
}

bool PtxCursor::failExpected(const std::string &what) {
  const PtxToken &token = lexer.peek();
  std::string got =
      token.kind == PtxToken::Kind::End ? "the end of the text" : "'" + std::string(token.text.substr(0, 60)) + "'";
  return fail(token.line, "expected " + what + ", but got " + got);
}

bool PtxCursor::expect(char punctuation, std::string_view where) {
  if (failed())
    return false;
  if (!lexer.peek().is(punctuation))
    return failExpected(std::string("'") + punctuation + "' " + std::string(where));
  lexer.take();
  return true;
}

bool PtxCursor::accept(char punctuation) {
  if (failed() || !lexer.peek().is(punctuation))
    return false;
  lexer.take();
  return true;
}

bool PtxCursor::expectWord(std::string &word, std::string_view what) {
  if (failed())
    return false;
  if (lexer.peek().kind != PtxToken::Kind::Word)
    return failExpected(std::string(what));
  word = std::string(lexer.take().text);
  return true;
}

bool PtxCursor::expectCount(uint64_t &value, uint64_t limit, std::string_view what) {
  if (failed())
    return false;
  PtxToken token = lexer.peek();
  PtxOperand operand;
  if (token.kind != PtxToken::Kind::Number)
    return failExpected(std::string(what));
  if (!parseNumber(operand))
    return false;
  if (operand.kind != PtxOperand::Kind::Integer || operand.bits > limit)
    return fail(token.line, "expected " + std::string(what) + " to be an integer of at most " + std::to_string(limit) +
                                ", but got '" + std::string(token.text.substr(0, 60)) + "'");
  value = operand.bits;
  return true;
}

bool PtxCursor::parseNumber(PtxOperand &operand) {
  if (failed())
    return false;
  bool negative = accept('-');
  if (lexer.peek().kind != PtxToken::Kind::Number)
    return failExpected("a number");
  PtxToken token = lexer.take();
  std::string text(token.text);
  auto bad = [&] { return fail(token.line, "expected a number, but got '" + text.substr(0, 60) + "'"); };
  auto integer = [&](size_t prefix, int base, size_t digits) {
    if (text.size() <= prefix || (digits && text.size() != prefix + digits))
      return false;
    char *end = nullptr;
    errno = 0;
    operand.bits = std::strtoull(text.c_str() + prefix, &end, base);
    return errno == 0 && *end == '\0';
  };
  bool isPrefixed = text.size() > 1 && text[0] == '0';
  char prefix = isPrefixed ? char(text[1] | 0x20) : '\0';
  if (prefix == 'f' || prefix == 'd') {
    operand.kind = prefix == 'f' ? PtxOperand::Kind::Float32 : PtxOperand::Kind::Float64;
    if (!integer(2, 16, prefix == 'f' ? 8 : 16))
      return bad();
    if (negative)
      operand.bits ^= prefix == 'f' ? uint64_t(1) << 31 : uint64_t(1) << 63;
    return true;
  }
  operand.kind = PtxOperand::Kind::Integer;
  bool isFloat = prefix != 'x' && prefix != 'b' && text.find_first_of(".eE") != std::string::npos;
  if (isFloat) {
    char *end = nullptr;
    double value = std::strtod(text.c_str(), &end);
    if (*end != '\0')
      return bad();
    value = negative ? -value : value;
    operand.kind = PtxOperand::Kind::Float64;
    std::memcpy(&operand.bits, &value, sizeof(value));
    return true;
  }
  if (text.size() > 1 && text.back() == 'U')
    text.pop_back();
  bool ok = prefix == 'x'   ? integer(2, 16, 0)
            : prefix == 'b' ? integer(2, 2, 0)
            : isPrefixed    ? integer(1, 8, 0)
                            : integer(0, 10, 0);
  if (!ok)
    return bad();
  if (negative)
    operand.bits = 0 - operand.bits;
  return true;
}

bool PtxCursor::parseInitializer(PtxVariable &variable, RegisterBytes elementBytes, uint64_t count) {
  bool braces = accept('{');
  uint64_t index = 0;
  do {
    uint32_t line = lexer.peek().line;
    PtxOperand value;
    if (!parseNumber(value))
      return false;
    if (index >= count)
      return fail(line, "expected at most " + std::to_string(count) + " initial values for '" + variable.name +
                            "', but got more");
    // Little-endian hosts only, as the GPU is.
    std::memcpy(variable.initializer.data() + index * elementBytes, &value.bits, elementBytes);
    ++index;
  } while (braces && accept(','));
  return !failed() && (!braces || expect('}', "after the initial values"));
}

bool PtxCursor::parseVariable(StateSpace space, bool isExtern, PtxVariable &variable) {
  variable.space = space;
  RegisterBytes elementBytes = 0;
  while (!failed()) {
    PtxToken token = lexer.peek();
    if (token.is(".align")) {
      lexer.take();
      if (!expectCount(variable.alignment, 4096, "an alignment"))
        return false;
      if (variable.alignment == 0 || (variable.alignment & (variable.alignment - 1)) != 0)
        return fail(token.line,
                    "expected an alignment that is a power of two, but got " + std::to_string(variable.alignment));
      continue;
    }
    std::optional<RegisterBytes> bytes = ptxTypeBytes(token.text);
    if (!bytes || *bytes == 0 || *bytes > 8)
      return failExpected("the type of a variable, such as .b8");
    elementBytes = *bytes;
    lexer.take();
    break;
  }
  if (!expectWord(variable.name, "the name of a variable"))
    return false;
  if (variable.alignment < elementBytes)
    variable.alignment = elementBytes;
  uint64_t count = 1;
  if (accept('[')) {
    if (lexer.peek().is(']')) {
      if (!isExtern || space != StateSpace::Shared)
        return failExpected("a size for '" + variable.name + "', which is not .extern .shared");
      variable.unsizedExtern = true;
      count = 0;
    } else if (!expectCount(count, maxVariableBytes / elementBytes, "the size of '" + variable.name + "'")) {
      return false;
    }
    if (!expect(']', "after the size of '" + variable.name + "'"))
      return false;
  }
  variable.byteCount = count * elementBytes;
  if (space == StateSpace::Global || space == StateSpace::Constant) {
    variable.initializer.resize(variable.byteCount);
    if (accept('=') && !parseInitializer(variable, elementBytes, count))
      return false;
  }
  return expect(';', "after the variable '" + variable.name + "'");
}

} // namespace fastnorm::emulator
