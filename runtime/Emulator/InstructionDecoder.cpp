//===- InstructionDecoder.cpp - One PTX instruction to a handler ----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, modifiers and operands; what an instruction does is its family's.
//
//===----------------------------------------------------------------------===//

#include "InstructionDecoder.h"

#include "FloatFormats.h"

#include <algorithm>

namespace fastnorm::emulator {

namespace {

struct TypeFacts {
  PtxType type;
  std::string_view name;
  uint8_t bytes;
  bool isSigned;
  bool isFloat;
};

constexpr TypeFacts typeFacts[] = {
    {PtxType::B8, "b8", 1, false, false},        {PtxType::B16, "b16", 2, false, false},
    {PtxType::B32, "b32", 4, false, false},      {PtxType::B64, "b64", 8, false, false},
    {PtxType::B128, "b128", 16, false, false},   {PtxType::U8, "u8", 1, false, false},
    {PtxType::U16, "u16", 2, false, false},      {PtxType::U32, "u32", 4, false, false},
    {PtxType::U64, "u64", 8, false, false},      {PtxType::S8, "s8", 1, true, false},
    {PtxType::S16, "s16", 2, true, false},       {PtxType::S32, "s32", 4, true, false},
    {PtxType::S64, "s64", 8, true, false},       {PtxType::F16, "f16", 2, false, true},
    {PtxType::F16x2, "f16x2", 4, false, true},   {PtxType::BF16, "bf16", 2, false, true},
    {PtxType::BF16x2, "bf16x2", 4, false, true}, {PtxType::E4M3x2, "e4m3x2", 2, false, true},
    {PtxType::F32, "f32", 4, false, true},       {PtxType::F32x2, "f32x2", 8, false, true},
    {PtxType::F64, "f64", 8, false, true},       {PtxType::Pred, "pred", 0, false, false},
};

const TypeFacts &factsOf(PtxType type) { return typeFacts[static_cast<size_t>(type)]; }

} // namespace

uint8_t bytesOf(PtxType type) { return factsOf(type).bytes; }
bool isSigned(PtxType type) { return factsOf(type).isSigned; }
bool isFloat(PtxType type) { return factsOf(type).isFloat; }
std::string_view nameOf(PtxType type) { return factsOf(type).name; }

std::optional<PtxType> parsePtxType(std::string_view name) {
  for (const TypeFacts &facts : typeFacts)
    if (facts.name == name)
      return facts.type;
  return std::nullopt;
}

InstructionDecoder::InstructionDecoder(KernelBuilder &builder, const PtxInstruction &source)
    : builder(builder), source(source) {
  std::string_view opcode = source.opcode;
  size_t dot = std::min(opcode.find('.'), opcode.size());
  name = std::string(opcode.substr(0, dot));
  while (dot < opcode.size()) {
    size_t next = std::min(opcode.find('.', dot + 1), opcode.size());
    modifiers.push_back(opcode.substr(dot + 1, next - dot - 1));
    dot = next;
  }
  if (source.guardRegister) {
    result.guard = builder.registerSlot(*source.guardRegister);
    result.guardNegated = source.guardNegated;
  }
}

bool InstructionDecoder::fail(const std::string &what) {
  if (message.empty())
    message = what;
  return false;
}

bool InstructionDecoder::unsupportedType(PtxType type) {
  return fail("type '." + std::string(nameOf(type)) + "' of '" + name + "' is not supported");
}

bool InstructionDecoder::take(std::string_view modifier) {
  auto found = std::find(modifiers.begin(), modifiers.end(), modifier);
  if (found == modifiers.end())
    return false;
  modifiers.erase(found);
  return true;
}

void InstructionDecoder::drop(std::initializer_list<std::string_view> dropped) {
  for (std::string_view modifier : dropped)
    take(modifier);
}

std::optional<PtxType> InstructionDecoder::takeOptionalType() {
  for (std::string_view modifier : modifiers)
    if (std::optional<PtxType> type = parsePtxType(modifier)) {
      take(modifier);
      return type;
    }
  return std::nullopt;
}

PtxType InstructionDecoder::takeType() {
  std::optional<PtxType> type = takeOptionalType();
  if (!type)
    fail("expected '" + name + "' to have a type, such as .b32");
  return type.value_or(PtxType::B32);
}

unsigned InstructionDecoder::takeVector() { return take("v2") ? 2 : take("v4") ? 4 : take("v8") ? 8 : 1; }

bool InstructionDecoder::expectOperands(size_t least, size_t most) {
  if (operandCount() >= least && operandCount() <= most)
    return !failed();
  std::string wanted = std::to_string(least) + (most > least ? " to " + std::to_string(most) : "");
  return fail("expected '" + source.opcode + "' to have " + wanted + " operands, but got " +
              std::to_string(operandCount()));
}

void InstructionDecoder::pushResult(OperandCode code) {
  if (result.operandCount >= result.operands.size()) {
    fail("too many operands");
    return;
  }
  result.operands[result.operandCount++] = code;
  ++result.resultCount;
}

void InstructionDecoder::pushSource(OperandCode code) {
  if (result.operandCount >= result.operands.size())
    fail("too many operands");
  else
    result.operands[result.operandCount++] = code;
}

uint8_t InstructionDecoder::registerBytes(const PtxOperand &operand) const {
  return operand.kind == PtxOperand::Kind::Register ? builder.kernel.registers[operand.registerId].bytes : 0;
}

static std::string describeBytes(uint8_t bytes) { return bytes == 0 ? ".pred" : ".b" + std::to_string(bytes * 8); }

void InstructionDecoder::addResult(size_t index, PtxType type) { addResult(source.operands[index], bytesOf(type)); }

void InstructionDecoder::addResult(const PtxOperand &operand, uint8_t bytes, bool wider) {
  if (operand.kind == PtxOperand::Kind::Sink)
    return pushResult(builder.sinkSlot(bytes));
  if (operand.kind != PtxOperand::Kind::Register) {
    fail("expected a register as the result of '" + source.opcode + "'" +
         (operand.name.empty() ? "" : ", but got '" + operand.name + "', which is not declared"));
    return;
  }
  uint8_t actual = registerBytes(operand);
  if (actual != bytes && !(wider && bytes != 0 && actual > bytes)) {
    fail("expected a " + describeBytes(bytes) + " register as the result of '" + source.opcode + "', but got the " +
         describeBytes(actual) + " register '" + operand.name + "'");
    return;
  }
  pushResult(builder.registerSlot(operand.registerId));
}

void InstructionDecoder::addSource(size_t index, PtxType type) { addSource(source.operands[index], type); }

uint64_t InstructionDecoder::immediateBits(const PtxOperand &operand, PtxType type) {
  if (operand.kind == PtxOperand::Kind::Float32 && type == PtxType::F64)
    return bitsAs<uint64_t>(double(bitsAs<float>(uint32_t(operand.bits))));
  if (operand.kind == PtxOperand::Kind::Float64 && bytesOf(type) == 4)
    return bitsAs<uint32_t>(float(bitsAs<double>(operand.bits)));
  if (operand.kind == PtxOperand::Kind::Integer && type == PtxType::F32)
    return bitsAs<uint32_t>(float(int64_t(operand.bits)));
  if (operand.kind == PtxOperand::Kind::Integer && type == PtxType::F64)
    return bitsAs<uint64_t>(double(int64_t(operand.bits)));
  return operand.bits;
}

void InstructionDecoder::addSource(const PtxOperand &operand, PtxType type, bool wider) {
  uint8_t bytes = bytesOf(type);
  switch (operand.kind) {
  case PtxOperand::Kind::Register: {
    uint8_t actual = registerBytes(operand);
    if (actual != bytes && !(wider && bytes != 0 && actual > bytes)) {
      fail("expected a " + describeBytes(bytes) + " operand of '" + source.opcode + "', but got the " +
           describeBytes(actual) + " register '" + operand.name + "'");
      return;
    }
    return pushSource(builder.registerSlot(operand.registerId));
  }
  case PtxOperand::Kind::Integer:
  case PtxOperand::Kind::Float32:
  case PtxOperand::Kind::Float64: return pushSource(builder.constant(immediateBits(operand, type), bytes));
  case PtxOperand::Kind::Special: {
    uint8_t actual = 0;
    std::optional<OperandCode> code = builder.special(operand.name, actual);
    if (!code)
      fail("'%" + operand.name + "' is neither a declared register nor a known special register");
    else if (bytes != actual)
      fail("expected a " + describeBytes(bytes) + " operand of '" + source.opcode + "', but '%" + operand.name +
           "' has " + std::to_string(actual * 8) + " bits");
    else
      pushSource(*code);
    return;
  }
  case PtxOperand::Kind::Symbol: {
    auto symbol = builder.symbol(operand.name);
    if (!symbol || symbol->space == StateSpace::Param)
      fail("expected '" + operand.name + "' to be a register or a variable, but it is neither");
    else if (bytes != 4 && bytes != 8)
      fail("expected the address of '" + operand.name + "' to go to a 32-bit or 64-bit register");
    else
      pushSource(builder.constant(symbol->address, bytes));
    return;
  }
  default: fail("expected a register or a value as an operand of '" + source.opcode + "'");
  }
}

void InstructionDecoder::addOperands(PtxType resultType, PtxType type, size_t typed, size_t plain) {
  if (!expectOperands(1 + typed + plain, 1 + typed + plain))
    return;
  addResult(0, resultType);
  for (size_t i = 1; i <= typed; ++i)
    addSource(i, type);
  for (size_t i = typed + 1; i <= typed + plain; ++i)
    addSource(i, PtxType::U32);
}

void InstructionDecoder::addAddress(size_t index, StateSpace space) {
  const PtxOperand &operand = source.operands[index];
  if (operand.kind != PtxOperand::Kind::Address) {
    fail("expected an address in brackets as an operand of '" + source.opcode + "'");
    return;
  }
  const PtxOperand &base = operand.elements[0];
  result.offset = int64_t(operand.bits);
  result.space = space;
  if (base.kind == PtxOperand::Kind::Register) {
    uint8_t bytes = registerBytes(base);
    if (bytes != 4 && bytes != 8)
      fail("expected a 32-bit or 64-bit address, but got the register '" + base.name + "'");
    // Handlers read 64-bit addresses only where the register has them.
    result.mode = bytes;
    return pushSource(builder.registerSlot(base.registerId));
  }
  result.mode = 8;
  if (base.kind == PtxOperand::Kind::Integer)
    return pushSource(builder.constant(base.bits, 8));
  auto symbol = base.kind == PtxOperand::Kind::Symbol ? builder.symbol(base.name) : std::nullopt;
  if (!symbol || symbol->space == StateSpace::Param) {
    fail("expected '" + base.name + "' to be a register or a variable, but it is neither");
    return;
  }
  StateSpace wanted = space == StateSpace::Constant        ? StateSpace::Global
                      : space == StateSpace::SharedCluster ? StateSpace::Shared
                                                           : space;
  if (wanted != StateSpace::Generic && symbol->space != wanted) {
    fail("variable '" + base.name + "' is not in the state space that '" + source.opcode + "' names");
    return;
  }
  uint64_t window = space != StateSpace::Generic          ? 0
                    : symbol->space == StateSpace::Shared ? sharedWindow
                    : symbol->space == StateSpace::Local  ? localWindow
                                                          : 0;
  pushSource(builder.constant(symbol->address + window, 8));
}

AddressOperand InstructionDecoder::takeAddress(size_t index, StateSpace space) {
  addAddress(index, space);
  OperandCode code = failed() ? noOperand : result.operands[result.operandCount - 1u];
  return {code, result.mode, space, result.offset};
}

OperandCode InstructionDecoder::takeSource(size_t index, PtxType type) {
  addSource(index, type);
  return failed() ? noOperand : result.operands[result.operandCount - 1u];
}

uint32_t InstructionDecoder::takeCount(size_t index) {
  const PtxOperand &operand = source.operands[index];
  if (operand.kind != PtxOperand::Kind::Integer || operand.bits > INT32_MAX)
    fail("expected a constant from 0 on as an operand of '" + source.opcode + "'");
  return failed() ? 0 : uint32_t(operand.bits);
}

bool InstructionDecoder::finish() {
  if (!failed() && !modifiers.empty())
    fail("modifier '." + std::string(modifiers.front()) + "' of '" + name + "' is not supported");
  return !failed();
}

} // namespace fastnorm::emulator
