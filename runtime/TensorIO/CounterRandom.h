//===- CounterRandom.h - Random numbers by their index ----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every number is a function of a key and a counter, in integer arithmetic that
// a device does as well: any element can be had anywhere, in any order.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_TENSORIO_COUNTERRANDOM_H
#define FASTNORM_RUNTIME_TENSORIO_COUNTERRANDOM_H

#include <cstdint>
#include <string_view>

namespace fastnorm {

/// Random numbers addressed by a counter, for one seed and one name.
class CounterRandom {
public:
  CounterRandom(uint64_t seed, std::string_view name) {
    // FNV-1a.
    uint64_t hash = 0xcbf29ce484222325u;
    for (char letter : name)
      hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    streamKey = mix(seed + kStep) ^ mix(hash);
  }

  /// What counters are added to, kStep apart, before they are mixed.
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;
  uint64_t key() const { return streamKey; }

  uint64_t bits(uint64_t counter) const { return mix(streamKey + counter * kStep); }

  /// In [0, 1).
  double uniform(uint64_t counter) const { return static_cast<double>(bits(counter) >> 11) * 0x1p-53; }

  /// In [0, bound).
  uint64_t below(uint64_t counter, uint64_t bound) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(bits(counter)) * bound) >> 64);
  }

  /// Nearly normal with mean 0: a sum of eight uniform numbers of 16 bits, which lies within 2^20 of 0 and has a
  /// deviation of kNormalDeviation. Sums of integers, unlike a logarithm, are the same on every machine.
  int32_t normalSum(uint64_t counter) const {
    int32_t sum = 0;
    for (uint64_t half : {2 * counter, 2 * counter + 1})
      for (uint64_t rest = bits(half), part = 0; part < 4; ++part, rest >>= 16)
        sum += static_cast<int32_t>(rest & 0xffff);
    return sum - 4 * 0xffff;
  }

  /// 2^16 sqrt(8 / 12).
  static constexpr float kNormalDeviation = 53509.953f;

private:
  /// The finalizer of SplitMix64: every bit of the input moves every bit of the output.
  static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
  }

  uint64_t streamKey = 0;
};

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_COUNTERRANDOM_H
