//===- RingHarness.h - Kernels with faults put in ---------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernels that copy asynchronously from one buffer to another.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_RINGHARNESS_H
#define FASTNORM_TEST_UNIT_RINGHARNESS_H

#include "EmulatorHarness.h"

#include <numeric>

namespace fastnorm::test {

inline std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return text.replace(found, from.size(), to);
}

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

inline EmulatorOptions seeded(uint64_t seed) {
  EmulatorOptions options;
  options.seed = seed;
  return options;
}

/// The error of kernel @k(from, to), over 1024 words that count up and as many that nothing was written to; `words` are
/// what it leaves there.
inline std::string runCopies(const std::string &ptx, const LaunchShape &shape, std::vector<uint32_t> *words = nullptr,
                             const EmulatorOptions &options = {}) {
  EmulatorHarness harness(options);
  std::vector<uint32_t> values(1024);
  std::iota(values.begin(), values.end(), 0u);
  uint64_t from = harness.filled("from", values), to = harness.empty("to", 4096);
  std::string error = harness.launch(ptx, shape, {from, to});
  if (words && error.empty())
    *words = harness.read<uint32_t>(to, 1024);
  return error;
}

/// The same for a body, with the buffers in %rd100 and %rd101.
inline std::string runCopyBody(const std::string &body, const LaunchShape &shape = {1, 32, 0},
                               std::vector<uint32_t> *words = nullptr) {
  return runCopies(ptxKernel(2, body), shape, words);
}

} // namespace fastnorm::test

#endif // FASTNORM_TEST_UNIT_RINGHARNESS_H
