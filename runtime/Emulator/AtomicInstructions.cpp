//===- AtomicInstructions.cpp - atom and red ------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An update is a compare-and-swap loop on host memory, so that CTAs on several
// host threads may update one address. Lanes update in order.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "FloatFormats.h"
#include "InstructionDecoder.h"
#include "Lanes.h"
#include "MemoryAccess.h"
#include "Priority.h"

namespace fastnorm::emulator {

namespace {

struct Add {
  template <typename T> static T apply(T old, T value) { return T(old + value); }
  static F16 apply(F16 old, F16 value) { return F16::round(old.value() + value.value()); }
  static Bf16 apply(Bf16 old, Bf16 value) { return Bf16::round(old.value() + value.value()); }
  template <typename T> static Pair<T> apply(Pair<T> old, Pair<T> value) {
    return {apply(old.low, value.low), apply(old.high, value.high)};
  }
};
struct Min {
  template <typename T> static T apply(T old, T value) { return value < old ? value : old; }
};
struct Max {
  template <typename T> static T apply(T old, T value) { return old < value ? value : old; }
};
struct And {
  template <typename T> static T apply(T old, T value) { return T(old & value); }
};
struct Or {
  template <typename T> static T apply(T old, T value) { return T(old | value); }
};
struct Xor {
  template <typename T> static T apply(T old, T value) { return T(old ^ value); }
};
struct Exchange {
  template <typename T> static T apply(T, T value) { return value; }
};
struct Increment {
  template <typename T> static T apply(T old, T limit) { return old >= limit ? T(0) : T(old + 1); }
};
struct Decrement {
  template <typename T> static T apply(T old, T limit) { return old == 0 || old > limit ? limit : T(old - 1); }
};

template <size_t bytes> struct BitsOf;
template <> struct BitsOf<2> {
  using Type = uint16_t;
};
template <> struct BitsOf<4> {
  using Type = uint32_t;
};
template <> struct BitsOf<8> {
  using Type = uint64_t;
};

/// Replaces *where by compute(*where); returns what was there.
template <typename T, typename F> T update(std::byte *where, F &&compute) {
  using Bits = typename BitsOf<sizeof(T)>::Type;
  auto *cell = reinterpret_cast<Bits *>(where);
  Bits old = __atomic_load_n(cell, __ATOMIC_RELAXED);
  for (;;) {
    auto next = bitsAs<Bits>(T(compute(bitsAs<T>(old))));
    if (__atomic_compare_exchange_n(cell, &old, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return bitsAs<T>(old);
  }
}

/// Watches what the lanes of an atomic find: one that changes nothing may be waiting for a change.
class Finds {
public:
  Finds(Warp &warp, const Instruction &instruction, uint32_t mask)
      : warp(warp), instruction(instruction),
        isGlobal(instruction.space == StateSpace::Global || instruction.space == StateSpace::Generic), seen(mask) {}
  ~Finds() {
    if (changed)
      warp.cta.cluster.noteEffect();
    else if (instruction.flow == Flow::Poll)
      warp.notePoll(instruction, seen, isGlobal);
  }
  template <typename T> void add(const std::byte *where, T old, bool changes) {
    uint64_t value = 0;
    std::memcpy(&value, &old, sizeof(old));
    seen = mixBits(seen ^ uint64_t(reinterpret_cast<uintptr_t>(where))) ^ value;
    changed |= changes;
  }

private:
  Warp &warp;
  const Instruction &instruction;
  bool isGlobal;
  bool changed = false;
  uint64_t seen;
};

template <typename T> bool sameBits(T a, T b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

/// Operands: the old value of each element unless it is a reduction, the new operands, the address.
template <typename T, typename Op> void atomic(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const unsigned count = instruction.elementCount, first = instruction.resultCount;
  LaneMemory memory;
  if (!accessMemory(warp, instruction, mask, instruction.operands[first + count], AccessKind::Atomic, nullptr, memory))
    return;
  Finds finds(warp, instruction, mask);
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    for (unsigned i = 0; i < count; ++i) {
      T value = warp.lanes<T>(instruction.operands[first + i])[lane];
      std::byte *where = memory.lanes[lane] + i * sizeof(T);
      T found = update<T>(where, [&](T old) { return Op::apply(old, value); });
      finds.add(where, found, !sameBits(found, Op::apply(found, value)));
      if (first)
        warp.lanes<T>(instruction.operands[i])[lane] = found;
    }
  }
}

/// Operands: the old value, what to compare with, the new value, the address.
template <typename T> void compareAndSwap(Warp &warp, const Instruction &instruction, uint32_t mask) {
  LaneMemory memory;
  if (!accessMemory(warp, instruction, mask, instruction.operands[3], AccessKind::Atomic, nullptr, memory))
    return;
  Finds finds(warp, instruction, mask);
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    T expected = warp.lanes<T>(instruction.operands[1])[lane], value = warp.lanes<T>(instruction.operands[2])[lane];
    T found = update<T>(memory.lanes[lane], [&](T old) { return old == expected ? value : old; });
    finds.add(memory.lanes[lane], found, found == expected && value != expected);
    warp.lanes<T>(instruction.operands[0])[lane] = found;
  }
}

template <typename Op> Handler chooseInteger(PtxType type) {
  switch (type) {
  case PtxType::S32: return atomic<int32_t, Op>;
  case PtxType::S64: return atomic<int64_t, Op>;
  case PtxType::B32:
  case PtxType::U32: return atomic<uint32_t, Op>;
  case PtxType::B64:
  case PtxType::U64: return atomic<uint64_t, Op>;
  default: return nullptr;
  }
}

Handler chooseAdd(PtxType type) {
  switch (type) {
  case PtxType::F32: return atomic<float, Add>;
  case PtxType::F64: return atomic<double, Add>;
  case PtxType::F16: return atomic<F16, Add>;
  case PtxType::BF16: return atomic<Bf16, Add>;
  case PtxType::F16x2: return atomic<Pair<F16>, Add>;
  case PtxType::BF16x2: return atomic<Pair<Bf16>, Add>;
  case PtxType::S32: return atomic<uint32_t, Add>;
  case PtxType::S64: return atomic<uint64_t, Add>;
  default: return chooseInteger<Add>(type);
  }
}

Handler chooseAtomic(InstructionDecoder &decoder, PtxType type, bool &isSwap) {
  struct Named {
    std::string_view name;
    Handler (*choose)(PtxType);
  };
  constexpr Named names[] = {{"add", chooseAdd},
                             {"min", chooseInteger<Min>},
                             {"max", chooseInteger<Max>},
                             {"and", chooseInteger<And>},
                             {"or", chooseInteger<Or>},
                             {"xor", chooseInteger<Xor>},
                             {"inc", chooseInteger<Increment>},
                             {"dec", chooseInteger<Decrement>},
                             {"exch", chooseInteger<Exchange>}};
  isSwap = decoder.take("cas");
  decoder.drop({"noftz", "ftz"});
  for (const Named &named : names)
    if (!isSwap && decoder.take(named.name))
      return named.choose(type);
  if (!isSwap)
    return nullptr;
  switch (bytesOf(type)) {
  case 2: return compareAndSwap<uint16_t>;
  case 4: return compareAndSwap<uint32_t>;
  case 8: return compareAndSwap<uint64_t>;
  default: return nullptr;
  }
}

/// As many as decoder.result.elementCount says.
std::vector<PtxOperand> takeElements(InstructionDecoder &decoder, size_t index) {
  const PtxOperand &operand = decoder.source.operands[index];
  const size_t count = decoder.result.elementCount;
  std::vector<PtxOperand> elements = count > 1 ? operand.elements : std::vector<PtxOperand>{operand};
  if (elements.size() != count)
    decoder.fail("expected '" + decoder.source.opcode + "' to have " + std::to_string(count) + " elements");
  return elements;
}

/// Gives the access a number and notes what it means for the whole kernel.
void noteAtomic(InstructionDecoder &decoder, bool isReduction) {
  KernelProgram &program = decoder.builder.program;
  const StateSpace space = decoder.result.space;
  decoder.result.siteIndex = program.siteCount++;
  // What red finds, the program does not see: it can't be waiting for it, nor learn by it what others did.
  decoder.result.flow = isReduction ? Flow::Next : Flow::Poll;
  program.synchronizesThroughGlobal |= !isReduction && (space == StateSpace::Global || space == StateSpace::Generic);
  if (space != StateSpace::Global)
    program.sharedGranule = std::min<uint32_t>(program.sharedGranule, decoder.result.elementBytes);
}

} // namespace

bool decodeAtomic(InstructionDecoder &decoder) {
  bool isReduction = decoder.name == "red";
  if (decoder.name != "atom" && !isReduction)
    return false;
  StateSpace space = decoder.take("global")                                  ? StateSpace::Global
                     : decoder.take("shared") || decoder.take("shared::cta") ? StateSpace::Shared
                     : decoder.take("shared::cluster")                       ? StateSpace::SharedCluster
                                                                             : StateSpace::Generic;
  decoder.drop({"relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys"});
  bool hasPolicy = decoder.take("L2::cache_hint"), isSwap = false;
  unsigned count = decoder.takeVector();
  PtxType type = decoder.takeType();
  decoder.result.run = chooseAtomic(decoder, type, isSwap);
  // Vectors are of floats, and of 16 bytes at most.
  if (!decoder.result.run || bytesOf(type) * count > 16 || (count > 1 && !isFloat(type)) || (count > 4 && !isReduction))
    return decoder.fail("instruction '" + decoder.source.opcode + "' is not supported"), true;
  decoder.result.elementCount = uint8_t(count);
  decoder.result.elementBytes = bytesOf(type);
  size_t address = isReduction ? 0 : 1, wanted = address + 2 + (isSwap ? 1 : 0) + (hasPolicy ? 1 : 0);
  if (!decoder.expectOperands(wanted, wanted))
    return true;
  if (!isReduction)
    for (const PtxOperand &result : takeElements(decoder, 0))
      decoder.addResult(result, bytesOf(type));
  for (const PtxOperand &value : takeElements(decoder, address + 1))
    decoder.addSource(value, type);
  if (isSwap)
    decoder.addSource(address + 2, type);
  decoder.addAddress(address, space);
  noteAtomic(decoder, isReduction);
  if (hasPolicy)
    decoder.addSource(wanted - 1, PtxType::B64);
  return true;
}

} // namespace fastnorm::emulator
