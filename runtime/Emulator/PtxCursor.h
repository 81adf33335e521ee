//===- PtxCursor.h - Reading PTX tokens with one error ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps every part of the parser takes: expect a token, read a number, read
// a variable declaration. The first error is kept, with its line; after it every
// step fails at once.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_PTXCURSOR_H
#define FASTNORM_RUNTIME_EMULATOR_PTXCURSOR_H

#include "PtxLexer.h"
#include "PtxModule.h"

#include <optional>
#include <string>
#include <string_view>

namespace fastnorm::emulator {

/// Bytes of a fundamental PTX type such as ".b32"; 0 for .pred; nothing for other words.
std::optional<RegisterBytes> ptxTypeBytes(std::string_view type);

class PtxCursor {
public:
  explicit PtxCursor(std::string_view ptx) : lexer(ptx) {}

  PtxLexer lexer;

  bool failed() const { return !message.empty(); }
  const std::string &error() const { return message; }
  /// Records "PTX line N: …" unless there is an error already. Returns false.
  bool fail(uint32_t line, const std::string &what);
  /// fail() with "expected …, but got '<current token>'".
  bool failExpected(const std::string &what);

  bool expect(char punctuation, std::string_view where);
  bool accept(char punctuation);
  bool expectWord(std::string &word, std::string_view what);
  /// A non-negative integer of at most `limit`.
  bool expectCount(uint64_t &value, uint64_t limit, std::string_view what);
  /// Any numeric literal, with its sign; fills kind and bits.
  bool parseNumber(PtxOperand &operand);

  /// After the state space: `.align 16 .b8 name[4] = {…};` up to the semicolon.
  bool parseVariable(StateSpace space, bool isExtern, PtxVariable &variable);

private:
  bool parseInitializer(PtxVariable &variable, RegisterBytes elementBytes, uint64_t count);

  std::string message;
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_PTXCURSOR_H
