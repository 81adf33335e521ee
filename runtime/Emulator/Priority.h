//===- Priority.h - Who runs first ------------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_PRIORITY_H
#define FASTNORM_RUNTIME_EMULATOR_PRIORITY_H

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace fastnorm::emulator {

/// splitmix64: spreads neighbouring seeds over all bits.
inline uint64_t mixBits(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// 0 to count - 1, highest priority first: in rising order for seed 0, else at random, by the seed and whose order it
/// is.
inline std::vector<unsigned> orderByPriority(unsigned count, uint64_t seed, uint64_t whose) {
  std::vector<unsigned> order(count);
  std::iota(order.begin(), order.end(), 0u);
  if (seed == 0)
    return order;
  uint64_t ownSeed = mixBits(seed ^ mixBits(whose));
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return std::pair(mixBits(ownSeed ^ a), a) < std::pair(mixBits(ownSeed ^ b), b);
  });
  return order;
}

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_PRIORITY_H
