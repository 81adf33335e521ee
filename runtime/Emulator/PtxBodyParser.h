//===- PtxBodyParser.h - The statements of a PTX entry ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses what stands between the braces of an entry, and resolves register
// names, which blocks of inline assembly scope.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_PTXBODYPARSER_H
#define FASTNORM_RUNTIME_EMULATOR_PTXBODYPARSER_H

#include "PtxCursor.h"

#include <unordered_map>
#include <vector>

namespace fastnorm::emulator {

class PtxBodyParser {
public:
  PtxBodyParser(PtxCursor &cursor, PtxKernel &kernel) : cursor(cursor), kernel(kernel) {}

  /// From the opening brace to the closing one.
  bool parse();

private:
  struct RegisterRange {
    std::string prefix;
    uint64_t count = 0;
    RegisterBytes bytes = 0;
  };
  struct Scope {
    uint32_t id = 0;
    std::vector<RegisterRange> ranges;
    std::unordered_map<std::string, uint32_t> registers;
    std::unordered_map<std::string, RegisterBytes> declared;
  };

  bool openScope();
  bool parseStatement();
  bool parseDirective();
  bool parseRegisters();
  bool parseLabel();
  bool parseInstruction();
  bool parseOperand(PtxOperand &operand);
  bool parseAddress(PtxOperand &operand);
  bool parseVector(PtxOperand &operand);
  bool parseName(PtxOperand &operand);
  std::optional<uint32_t> findRegister(const std::string &name);
  void markImplicitDefinitions();

  PtxCursor &cursor;
  PtxKernel &kernel;
  std::vector<Scope> scopes;
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_PTXBODYPARSER_H
