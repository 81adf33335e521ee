//===- Mutator.h - Inputs like those that are known -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_FUZZ_MUTATOR_H
#define FASTNORM_TEST_FUZZ_MUTATOR_H

#include <random>
#include <string>
#include <vector>

namespace fastnorm::fuzz {

/// Makes inputs by a few changes to seeds: bytes, or words, numbers and lines that are dropped, repeated, swapped and
/// brought from another seed. The same for the same seed of the generator.
class Mutator {
public:
  Mutator(std::vector<std::string> seeds, bool isText, uint64_t seed)
      : seeds(std::move(seeds)), isText(isText), random(seed) {}

  std::string next();

private:
  size_t below(size_t count) { return count ? size_t(random() % count) : 0; }
  /// A range of the input: a line, a word with what stands before it, or some bytes.
  std::pair<size_t, size_t> piece(const std::string &text);
  std::string number();
  void change(std::string &text);

  std::vector<std::string> seeds;
  bool isText;
  std::mt19937_64 random;
};

} // namespace fastnorm::fuzz

#endif // FASTNORM_TEST_FUZZ_MUTATOR_H
