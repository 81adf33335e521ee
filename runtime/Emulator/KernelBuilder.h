//===- KernelBuilder.h - Slots, constants and addresses ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out what instructions refer to while a kernel is decoded: a slot for each
// register that is used, constants by value, shared and local variables.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_KERNELBUILDER_H
#define FASTNORM_RUNTIME_EMULATOR_KERNELBUILDER_H

#include "Program.h"
#include "fastnorm/Support/Result.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fastnorm::emulator {

/// Addresses of a module's .global and .const variables.
using GlobalSymbols = std::unordered_map<std::string, uint64_t>;

class KernelBuilder {
public:
  KernelBuilder(const PtxModule &module, const PtxKernel &kernel, const GlobalSymbols &globals);

  const PtxKernel &kernel;
  KernelProgram program;

  /// Lays out variables and parameters.
  Status layOut();

  OperandCode registerSlot(uint32_t registerId);
  /// Written but never read.
  OperandCode sinkSlot(uint8_t bytes);
  OperandCode constant(uint64_t bits, uint8_t bytes);
  std::optional<OperandCode> special(const std::string &name, uint8_t &bytes);

  struct Symbol {
    StateSpace space;
    uint64_t address;
  };
  /// Shared and local variables of the kernel, variables of the module, parameters.
  std::optional<Symbol> symbol(const std::string &name) const;

private:
  OperandCode newSlot(uint8_t bytes, uint32_t writtenLanes, const std::string &name);
  Status layOutShared(const PtxVariable &variable, bool isUnsized, uint64_t &end);

  const PtxModule &module;
  const GlobalSymbols &globals;
  std::vector<OperandCode> slots; ///< by register id
  std::map<std::pair<uint64_t, uint8_t>, OperandCode> constants;
  std::map<uint8_t, OperandCode> sinks;
  std::map<SpecialSlot::Value, OperandCode> specialSlots;
  std::unordered_map<std::string, Symbol> symbols;
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_KERNELBUILDER_H
