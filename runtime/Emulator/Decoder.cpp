//===- Decoder.cpp - A PtxKernel to a KernelProgram -----------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the families matters only where one opcode serves several types.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "InstructionDecoder.h"

namespace fastnorm::emulator {

/// The back end packs a value with a register that nothing wrote, and then shifts or masks that half away.
static bool movesBits(std::string_view opcode) {
  std::string_view name = opcode.substr(0, opcode.find('.'));
  for (std::string_view mover : {"shl", "shr", "and", "or", "bfe", "bfi", "prmt", "shf"})
    if (name == mover)
      return true;
  // An integer that a wider one begins with.
  return name == "cvt" && opcode.find('f') == std::string_view::npos;
}

/// Two floats in a register at once; the back end leaves one undefined where it has a lone one to work on.
static bool isPairwise(std::string_view opcode) {
  std::string_view name = opcode.substr(0, opcode.find('.'));
  for (std::string_view op : {"add", "sub", "mul", "fma", "neg", "abs", "min", "max"})
    if (name == op)
      return opcode.size() > 2 && opcode.substr(opcode.size() - 2) == "x2";
  return false;
}

static bool decodeByFamily(InstructionDecoder &decoder) {
  for (auto *family : {decodeInteger, decodeBits, decodeFloat, decodeHalf, decodeCompare, decodeConvert, decodeMove,
                       decodeMBarrier, decodeAsyncStore, decodeBulkCopy, decodeAsyncCopy, decodeMemory, decodeAtomic,
                       decodeWarpWide, decodeFence, decodeCluster, decodeControl})
    if (family(decoder))
      return true;
  return decoder.fail("instruction '" + decoder.source.opcode + "' is not supported");
}

Result<KernelProgram> decodeKernel(const PtxModule &module, const PtxKernel &kernel, const GlobalSymbols &globals) {
  KernelBuilder builder(module, kernel, globals);
  if (Status status = builder.layOut(); !status)
    return status.takeError();
  for (const PtxInstruction &source : kernel.instructions) {
    InstructionDecoder decoder(builder, source);
    if (!decodeByFamily(decoder) || !decoder.finish())
      return Error{"PTX line " + std::to_string(source.line) + ": " + decoder.error() + ", in '" + source.text + "'"};
    decoder.result.movesBits = movesBits(source.opcode);
    decoder.result.isPairwise = isPairwise(source.opcode) && decoder.result.resultCount == 1;
    builder.program.instructions.push_back(decoder.result);
    builder.program.sources.push_back({source.line, source.text});
  }
  // A label may stand behind the last instruction, and lanes may run off the end.
  Instruction end;
  end.flow = Flow::Exit;
  builder.program.instructions.push_back(end);
  builder.program.sources.push_back({kernel.instructions.empty() ? kernel.line : kernel.instructions.back().line, "}"});
  return std::move(builder.program);
}

} // namespace fastnorm::emulator
