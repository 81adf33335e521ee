//===- PtxModule.h - PTX text as data ---------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parser hands to the decoder: names are resolved to registers and
// labels, opcodes are still text.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_PTXMODULE_H
#define FASTNORM_RUNTIME_EMULATOR_PTXMODULE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::emulator {

enum class StateSpace : uint8_t { Generic, Param, Global, Shared, SharedCluster, Local, Constant };

struct PtxOperand {
  enum class Kind : uint8_t {
    Register,
    Integer, ///< `bits` is the value
    Float32, ///< `bits` are the bits of an f32, as in 0f3F800000
    Float64, ///< `bits` are the bits of an f64, as in 0d3FF0000000000000 and 1.0
    Symbol,  ///< a variable, parameter or label
    Special, ///< %tid.x and its like, without the %
    Address, ///< elements[0] is the base, `bits` the offset
    Vector,  ///< {a, b}
    Pair,    ///< a|b
    Sink,    ///< _
  };
  Kind kind = Kind::Sink;
  bool negated = false; ///< !%p1
  uint32_t registerId = 0;
  uint64_t bits = 0;
  std::string name;
  std::vector<PtxOperand> elements;
};

struct PtxInstruction {
  std::string opcode; ///< with its modifiers: "ld.global.nc.v4.b32"
  std::vector<PtxOperand> operands;
  std::optional<uint32_t> guardRegister;
  bool guardNegated = false;
  uint32_t scope = 0; ///< where its labels are looked up
  uint32_t line = 0;
  std::string text; ///< as written, blanks folded
};

/// Bytes of a lane; 0 is a predicate.
using RegisterBytes = uint8_t;

struct PtxRegister {
  std::string name;
  RegisterBytes bytes = 4;
  bool implicitlyDefined = false; ///< the back end says that its first value does not matter
};

struct PtxVariable {
  std::string name;
  StateSpace space = StateSpace::Global;
  uint64_t alignment = 1;
  uint64_t byteCount = 0;
  bool unsizedExtern = false; ///< `.extern .shared … name[]`: starts where dynamic shared memory does
  std::vector<std::byte> initializer;
};

struct PtxParameter {
  std::string name;
  uint64_t alignment = 1;
  uint64_t byteCount = 0;
  uint64_t offset = 0;
};

struct PtxKernel {
  std::string name;
  uint32_t line = 0;
  std::vector<PtxParameter> parameters;
  uint64_t maxThreads = 0;      ///< .maxntid; 0 if not given
  uint64_t requiredThreads = 0; ///< .reqntid; 0 if not given
  uint64_t requiredCluster = 0; ///< .reqnctapercluster; 0 if not given
  uint64_t maxCluster = 0;      ///< .maxclusterrank; 0 if not given
  std::vector<PtxVariable> variables;
  std::vector<PtxRegister> registers;
  std::vector<PtxInstruction> instructions;
  /// (scope, label) → index of the instruction it stands before.
  std::map<std::pair<uint32_t, std::string>, uint32_t> labels;
  std::vector<uint32_t> scopeParents; ///< scope 0 is the body, its own parent

  std::optional<uint32_t> findLabel(uint32_t scope, const std::string &label) const {
    for (;; scope = scopeParents[scope]) {
      auto found = labels.find({scope, label});
      if (found != labels.end())
        return found->second;
      if (scope == 0)
        return std::nullopt;
    }
  }
};

struct PtxModule {
  std::string version;
  std::string target; ///< "sm_90"
  std::vector<PtxVariable> variables;
  std::vector<PtxKernel> kernels;
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_PTXMODULE_H
