//===- PtxBodyParser.cpp - The statements of a PTX entry ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers are created when they are first named, so that `.reg .b32 %r<N>`
// costs nothing however large N is.
//
//===----------------------------------------------------------------------===//

#include "PtxBodyParser.h"

#include <algorithm>

namespace fastnorm::emulator {

static constexpr size_t maxScopeDepth = 64;
static constexpr size_t maxVectorElements = 8;
static constexpr size_t maxOperands = 16;
/// Past this a warp's registers would not fit the host's caches; hardware stops at 255 a thread.
static constexpr size_t maxRegisters = 1 << 16;
static constexpr uint64_t maxRegisterNumber = UINT32_MAX;

bool PtxBodyParser::openScope() {
  if (scopes.size() >= maxScopeDepth)
    return cursor.failExpected("at most " + std::to_string(maxScopeDepth) + " nested blocks");
  Scope scope;
  scope.id = uint32_t(kernel.scopeParents.size());
  kernel.scopeParents.push_back(scopes.empty() ? 0 : scopes.back().id);
  scopes.push_back(std::move(scope));
  return true;
}

bool PtxBodyParser::parse() {
  if (!cursor.expect('{', "before the body of entry '" + kernel.name + "'") || !openScope())
    return false;
  while (!scopes.empty()) {
    if (cursor.failed())
      return false;
    if (cursor.lexer.peek().kind == PtxToken::Kind::End)
      return cursor.failExpected("'}' at the end of entry '" + kernel.name + "'");
    if (cursor.accept('}')) {
      markImplicitDefinitions();
      scopes.pop_back();
    } else if (cursor.accept('{')) {
      if (!openScope())
        return false;
    } else if (!parseStatement()) {
      return false;
    }
  }
  return !cursor.failed();
}

void PtxBodyParser::markImplicitDefinitions() {
  for (const std::string &name : cursor.lexer.takeImplicitDefinitions())
    if (std::optional<uint32_t> id = findRegister(name))
      kernel.registers[*id].implicitlyDefined = true;
}

bool PtxBodyParser::parseStatement() {
  markImplicitDefinitions();
  if (cursor.accept(';'))
    return true;
  const PtxToken &token = cursor.lexer.peek();
  if (token.is('@'))
    return parseInstruction();
  if (token.kind != PtxToken::Kind::Word)
    return cursor.failExpected("an instruction, a label or a directive");
  if (cursor.lexer.after() == ':')
    return parseLabel();
  if (token.text[0] == '.')
    return parseDirective();
  return parseInstruction();
}

bool PtxBodyParser::parseLabel() {
  PtxToken token = cursor.lexer.take();
  cursor.accept(':');
  auto index = uint32_t(kernel.instructions.size());
  if (!kernel.labels.insert({{scopes.back().id, std::string(token.text)}, index}).second)
    return cursor.fail(token.line, "label '" + std::string(token.text) + "' is defined twice in one block");
  return true;
}

bool PtxBodyParser::parseDirective() {
  PtxToken token = cursor.lexer.peek();
  if (token.is(".loc") || token.is(".file")) {
    cursor.lexer.skipLine();
    return true;
  }
  cursor.lexer.take();
  if (token.is(".reg"))
    return parseRegisters();
  if (token.is(".shared") || token.is(".local")) {
    PtxVariable variable;
    if (!cursor.parseVariable(token.is(".shared") ? StateSpace::Shared : StateSpace::Local, false, variable))
      return false;
    kernel.variables.push_back(std::move(variable));
    return true;
  }
  if (token.is(".pragma")) {
    while (cursor.lexer.peek().kind == PtxToken::Kind::String || cursor.lexer.peek().is(','))
      cursor.lexer.take();
    return cursor.expect(';', "after .pragma");
  }
  return cursor.fail(token.line, "directive '" + std::string(token.text) + "' in a kernel is not supported");
}

bool PtxBodyParser::parseRegisters() {
  PtxToken type = cursor.lexer.peek();
  std::optional<RegisterBytes> bytes = ptxTypeBytes(type.text);
  if (!bytes)
    return cursor.failExpected("a register type, such as .b32");
  cursor.lexer.take();
  do {
    std::string name;
    if (!cursor.expectWord(name, "the name of a register"))
      return false;
    if (cursor.accept('<')) {
      RegisterRange range{name, 0, *bytes};
      if (!cursor.expectCount(range.count, maxRegisterNumber, "the number of registers") ||
          !cursor.expect('>', "after the number of registers"))
        return false;
      scopes.back().ranges.push_back(std::move(range));
    } else if (!scopes.back().declared.insert({name, *bytes}).second) {
      return cursor.fail(type.line, "register '" + name + "' is declared twice in one block");
    }
  } while (cursor.accept(','));
  return cursor.expect(';', "after the registers");
}

std::optional<uint32_t> PtxBodyParser::findRegister(const std::string &name) {
  size_t digits = name.find_last_not_of("0123456789") + 1;
  // A number with a leading zero or too many digits is no register of a range.
  bool numbered =
      digits < name.size() && name.size() - digits <= 10 && (name[digits] != '0' || digits + 1 == name.size());
  uint64_t number = numbered ? std::stoull(name.substr(digits)) : 0;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto known = scope->registers.find(name);
    if (known != scope->registers.end())
      return known->second;
    std::optional<RegisterBytes> bytes;
    auto declared = scope->declared.find(name);
    if (declared != scope->declared.end())
      bytes = declared->second;
    for (const RegisterRange &range : scope->ranges)
      if (!bytes && numbered && number < range.count && name.compare(0, digits, range.prefix) == 0)
        bytes = range.bytes;
    if (!bytes)
      continue;
    auto id = uint32_t(kernel.registers.size());
    kernel.registers.push_back({name, *bytes, false});
    scope->registers.emplace(name, id);
    return id;
  }
  return std::nullopt;
}

bool PtxBodyParser::parseName(PtxOperand &operand) {
  PtxToken token = cursor.lexer.take();
  operand.name = std::string(token.text);
  if (operand.name == "_") {
    operand.kind = PtxOperand::Kind::Sink;
    return true;
  }
  if (std::optional<uint32_t> id = findRegister(operand.name)) {
    operand.kind = PtxOperand::Kind::Register;
    operand.registerId = *id;
    return kernel.registers.size() <= maxRegisters ||
           cursor.fail(token.line,
                       "entry '" + kernel.name + "' uses more than " + std::to_string(maxRegisters) + " registers");
  }
  if (operand.name[0] == '%') {
    operand.kind = PtxOperand::Kind::Special;
    operand.name.erase(0, 1);
    return true;
  }
  operand.kind = PtxOperand::Kind::Symbol;
  return true;
}

bool PtxBodyParser::parseVector(PtxOperand &operand) {
  operand.kind = PtxOperand::Kind::Vector;
  do {
    PtxOperand element;
    if (operand.elements.size() >= maxVectorElements)
      return cursor.failExpected("at most " + std::to_string(maxVectorElements) + " elements of a vector");
    bool ok = cursor.lexer.peek().kind == PtxToken::Kind::Word ? parseName(element) : cursor.parseNumber(element);
    if (!ok)
      return false;
    operand.elements.push_back(std::move(element));
  } while (cursor.accept(','));
  return cursor.expect('}', "after the elements of a vector");
}

bool PtxBodyParser::parseAddress(PtxOperand &operand) {
  operand.kind = PtxOperand::Kind::Address;
  PtxOperand base;
  if (cursor.lexer.peek().kind == PtxToken::Kind::Word) {
    if (!parseName(base))
      return false;
    if (cursor.lexer.peek().is('+') || cursor.lexer.peek().is('-')) {
      cursor.accept('+');
      PtxToken offset = cursor.lexer.peek();
      PtxOperand value;
      if (!cursor.parseNumber(value))
        return false;
      if (value.kind != PtxOperand::Kind::Integer)
        return cursor.fail(offset.line, "expected an integer offset in an address");
      operand.bits = value.bits;
    }
  } else {
    PtxToken token = cursor.lexer.peek();
    if (!cursor.parseNumber(base))
      return false;
    if (base.kind != PtxOperand::Kind::Integer)
      return cursor.fail(token.line, "expected an integer address");
  }
  operand.elements.push_back(std::move(base));
  return cursor.expect(']', "after an address");
}

bool PtxBodyParser::parseOperand(PtxOperand &operand) {
  if (cursor.accept('{'))
    return parseVector(operand);
  if (cursor.accept('['))
    return parseAddress(operand);
  bool negated = cursor.accept('!');
  if (cursor.lexer.peek().kind != PtxToken::Kind::Word)
    return cursor.parseNumber(operand);
  if (!parseName(operand))
    return false;
  operand.negated = negated;
  if (!cursor.accept('|'))
    return true;
  PtxOperand pair;
  pair.kind = PtxOperand::Kind::Pair;
  pair.elements.push_back(std::move(operand));
  PtxOperand second;
  if (cursor.lexer.peek().kind != PtxToken::Kind::Word)
    return cursor.failExpected("a register after '|'");
  if (!parseName(second))
    return false;
  pair.elements.push_back(std::move(second));
  operand = std::move(pair);
  return true;
}

bool PtxBodyParser::parseInstruction() {
  PtxToken begin = cursor.lexer.peek();
  PtxInstruction instruction;
  instruction.line = begin.line;
  instruction.scope = scopes.back().id;
  if (cursor.accept('@')) {
    instruction.guardNegated = cursor.accept('!');
    PtxOperand guard;
    if (cursor.lexer.peek().kind != PtxToken::Kind::Word)
      return cursor.failExpected("a predicate after '@'");
    if (!parseName(guard))
      return false;
    if (guard.kind != PtxOperand::Kind::Register || kernel.registers[guard.registerId].bytes != 0)
      return cursor.fail(begin.line, "expected a declared predicate after '@', but got '" + guard.name + "'");
    instruction.guardRegister = guard.registerId;
  }
  if (!cursor.expectWord(instruction.opcode, "an instruction"))
    return false;
  if (!cursor.lexer.peek().is(';')) {
    do {
      PtxOperand operand;
      if (instruction.operands.size() >= maxOperands)
        return cursor.failExpected("at most " + std::to_string(maxOperands) + " operands");
      if (!parseOperand(operand))
        return false;
      instruction.operands.push_back(std::move(operand));
    } while (cursor.accept(','));
  }
  if (!cursor.expect(';', "after the operands of '" + instruction.opcode + "'"))
    return false;
  instruction.text = cursor.lexer.textSince(begin);
  instruction.text.pop_back();
  kernel.instructions.push_back(std::move(instruction));
  return true;
}

} // namespace fastnorm::emulator
