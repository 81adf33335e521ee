//===- Program.h - A kernel decoded once, executed by warps -----*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compact instruction stream. Every operand of an instruction is an array of
// 32 lanes, either in the warp's register file or among the constants, so that
// an instruction is one host loop.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_PROGRAM_H
#define FASTNORM_RUNTIME_EMULATOR_PROGRAM_H

#include "PtxModule.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::emulator {

class Warp;
struct Instruction;

constexpr unsigned warpLanes = 32;
constexpr uint32_t allLanes = 0xffffffffu;

/// Where the lanes of an operand are: bytes from the start of the register file (even) or of the constants (odd),
/// shifted left by one.
using OperandCode = uint32_t;
constexpr OperandCode noOperand = 0xffffffffu;

/// Stands before the lanes of every register and constant.
struct SlotHeader {
  uint32_t writtenLanes; ///< reading any other lane is a finding
  uint32_t registerId;
  uint32_t halfLanes[2]; ///< of a value packed of two: lanes that have only its lower, only its upper half; both may be
                         ///< partial

  /// Lanes in which some bits were written.
  uint32_t partLanes() const { return writtenLanes | halfLanes[0] | halfLanes[1]; }
};

/// The unit register files and constants are made of: keeps lanes aligned for vector instructions.
struct alignas(16) SlotUnit {
  std::byte bytes[16];
};
static_assert(sizeof(SlotHeader) == sizeof(SlotUnit));

/// Executes one instruction for the lanes of a mask.
using Handler = void (*)(Warp &warp, const Instruction &instruction, uint32_t mask);

/// What an instruction does beside computing its results.
enum class Flow : uint8_t {
  Next,
  Branch,
  Exit,
  Trap,
  Poll,     ///< what it reads may be what it waits for: then others run first
  WarpSync, ///< needs the lanes of a member mask together
  Barrier,  ///< needs the whole warp together, then other warps
};

enum class BarrierMode : uint8_t { Sync, Arrive, ClusterArrive, ClusterArriveRelaxed, ClusterWait };

struct Instruction {
  Handler run = nullptr;
  std::array<OperandCode, 14> operands = {}; ///< results first, then sources
  uint8_t resultCount = 0;
  uint8_t operandCount = 0;
  Flow flow = Flow::Next;
  BarrierMode barrierMode = BarrierMode::Sync;
  OperandCode guard = noOperand;
  bool guardNegated = false;
  bool readOnly = false;      ///< ld.global.nc: nobody may write there during the launch
  bool sourceNegated = false; ///< the predicate among the sources
  bool movesBits = false;  ///< shifts, masks, picks bits of its sources: what it takes of one may be its written half
  bool isPairwise = false; ///< works on the halves of its sources apart: a half of its result needs those alone
  bool ordered = false;    ///< volatile, relaxed, acquire, release: a race the program means to have
  StateSpace space = StateSpace::Generic;
  uint8_t elementCount = 1;
  uint8_t elementBytes = 0; ///< in memory
  uint8_t mode = 0;         ///< meaning is the handler's
  uint32_t target = 0;      ///< of a branch
  uint32_t siteIndex = 0;   ///< numbers the accesses to global memory
  int64_t offset = 0;       ///< added to an address
};

/// An address among several of one instruction.
struct AddressOperand {
  OperandCode code = noOperand;
  uint8_t bytes = 8; ///< of the register
  StateSpace space = StateSpace::Generic;
  int64_t offset = 0;
};

/// Of an asynchronous copy.
struct CopyOperands {
  AddressOperand to;
  AddressOperand from;
  AddressOperand mbarrier;         ///< of copies that complete on one
  OperandCode bytes = noOperand;   ///< 32 bits
  OperandCode ignored = noOperand; ///< a predicate: nothing is read, zeros are written
};

struct SpecialSlot {
  enum class Value : uint8_t {
    ThreadX,
    ThreadY,
    ThreadZ,
    ThreadsX,
    ThreadsYZ,
    CtaX,
    CtaYZ,
    CtasX,
    CtasYZ,
    ClusterRank,
    ClusterCtas,
    ClusterX,
    ClustersX,
    Lane,
    Warp,
    Warps,
    LanesEqual,
    LanesLess,
    LanesLessEqual,
    LanesGreater,
    LanesGreaterEqual,
    Clock,
    Clock64,
    DynamicSharedBytes,
    TotalSharedBytes,
  };
  Value value;
  OperandCode code;
};

struct SharedVariable {
  std::string name;
  uint32_t address = 0;
  uint64_t byteCount = 0;
};

/// One for each instruction; apart, because only messages need it.
struct SourceLine {
  uint32_t line = 0;
  std::string text;
};

struct KernelProgram {
  std::string name;
  std::vector<PtxParameter> parameters;
  uint64_t parameterBytes = 0;
  uint64_t maxThreads = 0;
  uint64_t requiredThreads = 0;
  uint64_t requiredCluster = 0;
  uint64_t maxCluster = 0;
  std::vector<Instruction> instructions; ///< ends with an exit
  std::vector<SourceLine> sources;
  std::vector<SlotUnit> constants;
  size_t registerFileUnits = 0;
  std::vector<std::pair<OperandCode, uint32_t>> registerSlots; ///< with the lanes written before the first instruction
  std::vector<std::string> registerNames;                      ///< by SlotHeader::registerId
  std::vector<SpecialSlot> specials;
  std::vector<SharedVariable> sharedVariables;
  uint64_t staticSharedBytes = 0; ///< the dynamic part starts here
  bool hasDynamicShared = false;
  uint32_t sharedGranule = 4; ///< bytes: the smallest access to shared memory in the kernel, at most 4
  uint64_t localBytes = 0;    ///< per lane
  uint32_t siteCount = 0;
  bool synchronizesThroughGlobal = false; ///< CTAs may talk to each other through memory, by atomics or flags
  bool usesAsyncStores = false;
  bool usesAsyncCopies = false;
  bool usesBulkCopies = false;
  std::vector<CopyOperands> copies; ///< by Instruction::target
};

/// What one CTA can have, static and dynamic together (H200).
constexpr uint64_t maxSharedBytesPerCta = 227 * 1024;

/// Addresses: shared memory starts past zero, so that a null pointer is no variable.
constexpr uint32_t sharedBase = 1024;
/// In shared::cluster addresses, one more than the CTA's rank stands from this bit on; 0 is the CTA that executes.
constexpr unsigned clusterRankShift = 24;
/// Generic addresses of shared and local memory carry one of these in their upper half; global ones are as they are.
constexpr uint64_t sharedWindow = uint64_t(0x01000000) << 32;
constexpr uint64_t localWindow = uint64_t(0x02000000) << 32;

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_PROGRAM_H
