//===- Lanes.h - Handlers that apply an operation lane by lane --*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation is a struct with a static apply(); these templates make handlers
// of it. All lanes at once are a loop that the compiler vectorizes.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_LANES_H
#define FASTNORM_RUNTIME_EMULATOR_LANES_H

#include "Warp.h"

#include <cstring>

namespace fastnorm::emulator {

/// Calls compute(lane) for the lanes of a mask and stores what it returns. Results pass through a local array: a result
/// register may be a source too, and the compiler need not ask.
template <typename R, typename F> inline void storeLanes(R *result, uint32_t mask, F &&compute) {
  if (mask == allLanes) {
    R values[warpLanes];
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      values[lane] = compute(lane);
    std::memcpy(result, values, sizeof(values));
    return;
  }
  for (; mask; mask &= mask - 1) {
    auto lane = unsigned(__builtin_ctz(mask));
    result[lane] = compute(lane);
  }
}

template <typename R, typename A, typename Op> void unary(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const A *a = warp.lanes<A>(instruction.operands[1]);
  storeLanes(warp.lanes<R>(instruction.operands[0]), mask, [&](unsigned lane) { return R(Op::apply(a[lane])); });
}

template <typename R, typename A, typename B, typename Op>
void binary(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const A *a = warp.lanes<A>(instruction.operands[1]);
  const B *b = warp.lanes<B>(instruction.operands[2]);
  storeLanes(warp.lanes<R>(instruction.operands[0]), mask,
             [&](unsigned lane) { return R(Op::apply(a[lane], b[lane])); });
}

template <typename R, typename A, typename B, typename C, typename Op>
void ternary(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const A *a = warp.lanes<A>(instruction.operands[1]);
  const B *b = warp.lanes<B>(instruction.operands[2]);
  const C *c = warp.lanes<C>(instruction.operands[3]);
  storeLanes(warp.lanes<R>(instruction.operands[0]), mask,
             [&](unsigned lane) { return R(Op::apply(a[lane], b[lane], c[lane])); });
}

template <typename R, typename A, typename B, typename C, typename D, typename Op>
void quaternary(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const A *a = warp.lanes<A>(instruction.operands[1]);
  const B *b = warp.lanes<B>(instruction.operands[2]);
  const C *c = warp.lanes<C>(instruction.operands[3]);
  const D *d = warp.lanes<D>(instruction.operands[4]);
  storeLanes(warp.lanes<R>(instruction.operands[0]), mask,
             [&](unsigned lane) { return R(Op::apply(a[lane], b[lane], c[lane], d[lane])); });
}

/// Writes the bits of a predicate for the lanes of a mask.
inline void storePredicate(Warp &warp, OperandCode code, uint32_t mask, uint32_t bits) {
  auto *predicate = warp.lanes<uint32_t>(code);
  *predicate = (*predicate & ~mask) | (bits & mask);
}

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_LANES_H
