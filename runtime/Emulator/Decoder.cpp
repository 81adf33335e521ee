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
