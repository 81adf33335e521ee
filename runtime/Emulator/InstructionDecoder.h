//===- InstructionDecoder.h - One PTX instruction to a handler --*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the families of instructions share when they are decoded: modifiers are
// taken one by one, so that one left over is an error, and operands are checked
// against the width that the type asks for.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_INSTRUCTIONDECODER_H
#define FASTNORM_RUNTIME_EMULATOR_INSTRUCTIONDECODER_H

#include "KernelBuilder.h"
#include "Program.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm::emulator {

enum class PtxType : uint8_t {
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  E4M3x2,
  F32,
  F32x2,
  F64,
  Pred
};

/// Bytes of a lane; 0 for predicates.
uint8_t bytesOf(PtxType type);
bool isSigned(PtxType type);
bool isFloat(PtxType type);
std::string_view nameOf(PtxType type);
std::optional<PtxType> parsePtxType(std::string_view name);

class InstructionDecoder {
public:
  InstructionDecoder(KernelBuilder &builder, const PtxInstruction &source);

  KernelBuilder &builder;
  const PtxInstruction &source;
  Instruction result;
  std::string name; ///< the opcode up to its first dot: "ld"

  // --- Modifiers.
  /// Takes a modifier from wherever it stands; false if it is not there.
  bool take(std::string_view modifier);
  void drop(std::initializer_list<std::string_view> modifiers);
  void dropAll() { modifiers.clear(); }
  /// Takes the first modifier that is a type; an error if there is none.
  PtxType takeType();
  std::optional<PtxType> takeOptionalType();
  /// 1, 2, 4 or 8 by .v2, .v4, .v8.
  unsigned takeVector();

  // --- Operands. An error makes them return a harmless code; decode() then fails as a whole.
  size_t operandCount() const { return source.operands.size(); }
  bool expectOperands(size_t least, size_t most);
  void addResult(size_t index, PtxType type);
  void addResult(const PtxOperand &operand, uint8_t bytes, bool wider = false);
  void addSource(size_t index, PtxType type);
  void addSource(const PtxOperand &operand, PtxType type, bool wider = false);
  /// A result, `typed` sources of one type, then `plain` ones of 32 bits: all operands of most instructions.
  void addOperands(PtxType resultType, PtxType type, size_t typed, size_t plain = 0);
  /// The base of an address as a source, and the constant offset.
  void addAddress(size_t index, StateSpace space);
  /// addSource(), and where it is.
  OperandCode takeSource(size_t index, PtxType type);
  /// A constant that is no operand of the result.
  uint32_t takeCount(size_t index);
  /// The same for an address among several.
  AddressOperand takeAddress(size_t index, StateSpace space);
  /// Bytes per lane of a register operand; 0 for what is no register.
  uint8_t registerBytes(const PtxOperand &operand) const;

  // --- Errors: the first is kept.
  bool fail(const std::string &what);
  bool unsupportedType(PtxType type);
  bool failed() const { return !message.empty(); }
  const std::string &error() const { return message; }
  /// An error if a modifier is left over.
  bool finish();

private:
  void pushResult(OperandCode code);
  void pushSource(OperandCode code);
  uint64_t immediateBits(const PtxOperand &operand, PtxType type);

  std::vector<std::string_view> modifiers;
  std::string message;
};

// The families: each returns false if the opcode is not its own. Errors are in the decoder.
bool decodeInteger(InstructionDecoder &decoder);
bool decodeBits(InstructionDecoder &decoder);
bool decodeFloat(InstructionDecoder &decoder);
bool decodeHalf(InstructionDecoder &decoder);
bool decodeCompare(InstructionDecoder &decoder);
bool decodeConvert(InstructionDecoder &decoder);
bool decodeMove(InstructionDecoder &decoder);
bool decodeMemory(InstructionDecoder &decoder);
bool decodeAtomic(InstructionDecoder &decoder);
bool decodeWarpWide(InstructionDecoder &decoder);
bool decodeControl(InstructionDecoder &decoder);
bool decodeCluster(InstructionDecoder &decoder);
bool decodeMBarrier(InstructionDecoder &decoder);
bool decodeAsyncStore(InstructionDecoder &decoder);
bool decodeBulkCopy(InstructionDecoder &decoder);
bool decodeAsyncCopy(InstructionDecoder &decoder);
bool decodeFence(InstructionDecoder &decoder);

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_INSTRUCTIONDECODER_H
