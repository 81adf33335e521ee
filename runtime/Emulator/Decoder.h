//===- Decoder.h - A PtxKernel to a KernelProgram ---------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes every instruction once, at load. A family of instructions is one file;
// the decoder asks each in turn.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_DECODER_H
#define FASTNORM_RUNTIME_EMULATOR_DECODER_H

#include "KernelBuilder.h"
#include "fastnorm/Support/Result.h"

namespace fastnorm::emulator {

/// `globals` holds the addresses of the module's variables. An error names the PTX line and the instruction.
Result<KernelProgram> decodeKernel(const PtxModule &module, const PtxKernel &kernel, const GlobalSymbols &globals);

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_DECODER_H
