//===- Targets.h - What is fuzzed -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each target takes any bytes. It may not crash, hang or leak, whatever they
// are, and stops the process where what was read is not what is written.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_FUZZ_TARGETS_H
#define FASTNORM_TEST_FUZZ_TARGETS_H

#include <string>
#include <string_view>
#include <vector>

namespace fastnorm::fuzz {

struct Target {
  std::string name; ///< also of the folder of its inputs
  void (*run)(std::string_view input);
  bool isText; ///< mutations keep to words and lines
};

/// PTX text to the emulator and a short run, Plan JSON, headers of .npy and .safetensors.
std::vector<Target> runtimeTargets();
/// .mlir text to PTX, tables of schedules.
std::vector<Target> compilerTargets();

/// Ends the process where a target's promise is broken.
void expect(bool condition, const char *promise);

} // namespace fastnorm::fuzz

#endif // FASTNORM_TEST_FUZZ_TARGETS_H
