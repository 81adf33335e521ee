//===- PtxLexer.h - PTX text to tokens --------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits PTX into words, numbers and punctuation, with the line of each. It
// accepts any bytes; what it does not know comes out as punctuation.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_PTXLEXER_H
#define FASTNORM_RUNTIME_EMULATOR_PTXLEXER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm::emulator {

struct PtxToken {
  enum class Kind : uint8_t { Word, Number, String, Punctuation, End };
  Kind kind = Kind::End;
  std::string_view text; ///< into the PTX
  size_t offset = 0;
  uint32_t line = 0;

  bool is(char punctuation) const { return kind == Kind::Punctuation && text[0] == punctuation; }
  bool is(std::string_view word) const { return kind == Kind::Word && text == word; }
};

class PtxLexer {
public:
  explicit PtxLexer(std::string_view ptx) : ptx(ptx) { current = lex(); }

  const PtxToken &peek() const { return current; }
  PtxToken take();
  /// The character after the current token, blanks included; for labels.
  char after() const;
  /// Drops the rest of the current token's line; debug directives end there.
  void skipLine();
  /// The text from a token to the current one, blanks folded.
  std::string textSince(const PtxToken &begin) const;
  /// Registers named in `// implicit-def:` comments since the last call.
  std::vector<std::string> takeImplicitDefinitions();

private:
  PtxToken lex();
  void skipBlanks();
  void skipComment();
  PtxToken token(PtxToken::Kind kind, size_t begin);

  std::string_view ptx;
  size_t position = 0;
  size_t previousEnd = 0;
  uint32_t line = 1;
  PtxToken current;
  std::vector<std::string> implicitDefinitions;
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_PTXLEXER_H
