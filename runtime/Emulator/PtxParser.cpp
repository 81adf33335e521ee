//===- PtxParser.cpp - PTX text to a PtxModule ----------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module level: directives, variables, and the heads of entries.
//
//===----------------------------------------------------------------------===//

#include "PtxParser.h"

#include "PtxBodyParser.h"
#include "PtxCursor.h"

#include <algorithm>

namespace fastnorm::emulator {

namespace {

/// Bytes of kernel parameters that hardware accepts.
constexpr uint64_t maxParameterBytes = 32764;

class ModuleParser {
public:
  explicit ModuleParser(std::string_view ptx) : cursor(ptx) {}

  Result<PtxModule> parse();

private:
  bool parseDirective();
  bool parseTarget();
  bool parseEntry();
  bool parseParameters(PtxKernel &kernel);
  bool parseParameter(PtxKernel &kernel);
  bool parseEntryDirectives(PtxKernel &kernel);
  bool parseExtents(uint64_t &product, std::string_view what);
  bool skipSection();

  PtxCursor cursor;
  PtxModule module;
};

Result<PtxModule> ModuleParser::parse() {
  while (cursor.lexer.peek().kind != PtxToken::Kind::End)
    if (!parseDirective())
      return Error{cursor.error()};
  if (module.version.empty())
    cursor.failExpected(".version");
  else if (module.target.empty())
    cursor.failExpected(".target");
  if (cursor.failed())
    return Error{cursor.error()};
  return std::move(module);
}

bool ModuleParser::parseTarget() {
  if (!cursor.expectWord(module.target, "a target, such as sm_90"))
    return false;
  while (cursor.accept(',')) {
    std::string option;
    if (!cursor.expectWord(option, "an option of .target"))
      return false;
  }
  return true;
}

bool ModuleParser::parseDirective() {
  PtxToken token = cursor.lexer.peek();
  if (token.is(".file") || token.is(".loc")) {
    cursor.lexer.skipLine();
    return true;
  }
  if (token.kind != PtxToken::Kind::Word || token.text[0] != '.')
    return cursor.failExpected("a directive, such as .entry");
  cursor.lexer.take();
  if (token.is(".version")) {
    if (cursor.lexer.peek().kind != PtxToken::Kind::Number)
      return cursor.failExpected("a version, such as 7.8");
    module.version = std::string(cursor.lexer.take().text);
    return true;
  }
  if (token.is(".target"))
    return parseTarget();
  if (token.is(".address_size")) {
    uint64_t bits = 0;
    return cursor.expectCount(bits, 64, "an address size") &&
           (bits == 64 || cursor.fail(token.line, "expected .address_size 64, but got " + std::to_string(bits)));
  }
  if (token.is(".section"))
    return skipSection();
  bool isExtern = token.is(".extern");
  if (isExtern || token.is(".visible") || token.is(".weak")) {
    token = cursor.lexer.peek();
    cursor.lexer.take();
  }
  if (token.is(".entry"))
    return parseEntry();
  if (token.is(".func"))
    return cursor.fail(token.line, "functions are not supported; every call must be inlined into its entry");
  PtxVariable variable;
  if (token.is(".global") || token.is(".const") || token.is(".shared")) {
    StateSpace space = token.is(".global")  ? StateSpace::Global
                       : token.is(".const") ? StateSpace::Constant
                                            : StateSpace::Shared;
    if (isExtern && space != StateSpace::Shared)
      return cursor.fail(token.line, "variables defined in another module are not supported");
    if (!cursor.parseVariable(space, isExtern, variable))
      return false;
    module.variables.push_back(std::move(variable));
    return true;
  }
  return cursor.fail(token.line, "directive '" + std::string(token.text.substr(0, 60)) + "' is not supported");
}

bool ModuleParser::skipSection() {
  // Debug sections hold nothing that runs.
  std::string name;
  if (!cursor.expectWord(name, "the name of a section") || !cursor.expect('{', "after the name of a section"))
    return false;
  for (size_t depth = 1; depth > 0;) {
    if (cursor.lexer.peek().kind == PtxToken::Kind::End)
      return cursor.failExpected("'}' at the end of section '" + name + "'");
    PtxToken token = cursor.lexer.take();
    depth += token.is('{');
    depth -= token.is('}');
  }
  return true;
}

bool ModuleParser::parseEntry() {
  PtxKernel kernel;
  kernel.line = cursor.lexer.peek().line;
  if (!cursor.expectWord(kernel.name, "the name of an entry"))
    return false;
  for (const PtxKernel &other : module.kernels)
    if (other.name == kernel.name)
      return cursor.fail(kernel.line, "entry '" + kernel.name + "' is defined twice");
  if (cursor.accept('(') && !parseParameters(kernel))
    return false;
  if (!parseEntryDirectives(kernel) || !PtxBodyParser(cursor, kernel).parse())
    return false;
  module.kernels.push_back(std::move(kernel));
  return true;
}

bool ModuleParser::parseParameters(PtxKernel &kernel) {
  if (cursor.accept(')'))
    return true;
  do {
    if (!parseParameter(kernel))
      return false;
  } while (cursor.accept(','));
  return cursor.expect(')', "after the parameters of entry '" + kernel.name + "'");
}

bool ModuleParser::parseParameter(PtxKernel &kernel) {
  PtxParameter parameter;
  uint32_t line = cursor.lexer.peek().line;
  if (!cursor.lexer.peek().is(".param"))
    return cursor.failExpected(".param");
  cursor.lexer.take();
  RegisterBytes elementBytes = 0;
  // `.u64 .ptr .global .align 16 name`: after .ptr, .align speaks of the buffer, not of the parameter.
  bool isPointer = false;
  while (!cursor.failed() && cursor.lexer.peek().kind == PtxToken::Kind::Word && cursor.lexer.peek().text[0] == '.') {
    PtxToken token = cursor.lexer.take();
    if (token.is(".align")) {
      uint64_t alignment = 0;
      if (!cursor.expectCount(alignment, 4096, "an alignment"))
        return false;
      if (alignment == 0 || (alignment & (alignment - 1)) != 0)
        return cursor.fail(token.line,
                           "expected an alignment that is a power of two, but got " + std::to_string(alignment));
      if (!isPointer)
        parameter.alignment = alignment;
      continue;
    }
    if (token.is(".ptr")) {
      isPointer = true;
      continue;
    }
    if (token.is(".global") || token.is(".shared") || token.is(".const") || token.is(".local"))
      continue;
    std::optional<RegisterBytes> bytes = ptxTypeBytes(token.text);
    if (!bytes || *bytes == 0 || *bytes > 8)
      return cursor.fail(token.line, "expected the type of a parameter, but got '" + std::string(token.text) + "'");
    elementBytes = *bytes;
  }
  if (elementBytes == 0)
    return cursor.failExpected("the type of a parameter");
  if (!cursor.expectWord(parameter.name, "the name of a parameter"))
    return false;
  uint64_t count = 1;
  if (cursor.accept('[') && (!cursor.expectCount(count, maxParameterBytes, "the size of a parameter") ||
                             !cursor.expect(']', "after the size of a parameter")))
    return false;
  parameter.byteCount = count * elementBytes;
  parameter.alignment = std::max<uint64_t>(parameter.alignment, elementBytes);
  uint64_t end = kernel.parameters.empty() ? 0 : kernel.parameters.back().offset + kernel.parameters.back().byteCount;
  parameter.offset = (end + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
  if (parameter.offset + parameter.byteCount > maxParameterBytes)
    return cursor.fail(line, "the parameters of entry '" + kernel.name + "' take more than " +
                                 std::to_string(maxParameterBytes) + " bytes");
  kernel.parameters.push_back(std::move(parameter));
  return true;
}

bool ModuleParser::parseExtents(uint64_t &product, std::string_view what) {
  product = 1;
  do {
    uint64_t extent = 0;
    if (!cursor.expectCount(extent, 1024, what))
      return false;
    product *= extent;
  } while (cursor.accept(',') && product <= 1024 * 1024);
  return !cursor.failed();
}

bool ModuleParser::parseEntryDirectives(PtxKernel &kernel) {
  while (!cursor.failed() && !cursor.lexer.peek().is('{')) {
    PtxToken token = cursor.lexer.peek();
    if (token.kind != PtxToken::Kind::Word)
      return cursor.failExpected("'{' or a directive of entry '" + kernel.name + "'");
    cursor.lexer.take();
    uint64_t ignored = 0;
    if (token.is(".maxntid")) {
      parseExtents(kernel.maxThreads, "a number of threads");
    } else if (token.is(".reqntid")) {
      parseExtents(kernel.requiredThreads, "a number of threads");
    } else if (token.is(".reqnctapercluster")) {
      parseExtents(kernel.requiredCluster, "a number of CTAs");
    } else if (token.is(".maxclusterrank")) {
      cursor.expectCount(kernel.maxCluster, UINT32_MAX, "the value of " + std::string(token.text));
    } else if (token.is(".explicitcluster")) {
      // The launch is checked against .reqnctapercluster.
    } else if (token.is(".minnctapersm") || token.is(".maxnreg")) {
      cursor.expectCount(ignored, UINT32_MAX, "the value of " + std::string(token.text));
    } else if (token.is(".pragma")) {
      cursor.lexer.take();
      cursor.expect(';', "after .pragma");
    } else {
      return cursor.fail(token.line, "directive '" + std::string(token.text.substr(0, 60)) + "' of entry '" +
                                         kernel.name + "' is not supported");
    }
  }
  return !cursor.failed();
}

} // namespace

Result<PtxModule> parsePtx(std::string_view ptx) { return ModuleParser(ptx).parse(); }

} // namespace fastnorm::emulator
