//===- PtxParser.h - PTX text to a PtxModule --------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the PTX that LLVM's NVPTX back end writes: entries with their
// parameters, registers and variables, and inline-assembly blocks with scoped
// registers and labels.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_PTXPARSER_H
#define FASTNORM_RUNTIME_EMULATOR_PTXPARSER_H

#include "PtxModule.h"
#include "fastnorm/Support/Result.h"

#include <string_view>

namespace fastnorm::emulator {

/// An error names the PTX line. No text makes it crash, recurse without bound or allocate more than a small multiple
/// of the text's size.
Result<PtxModule> parsePtx(std::string_view ptx);

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_PTXPARSER_H
