//===- LibFuzzerMain.cpp - One target for libFuzzer -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

/// FASTNORM_FUZZ_TARGET is the target's name.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const fastnorm::fuzz::Target target = [] {
    for (const fastnorm::fuzz::Target &known : fastnorm::fuzz::runtimeTargets())
      if (known.name == FASTNORM_FUZZ_TARGET)
        return known;
    std::abort();
  }();
  target.run({reinterpret_cast<const char *>(data), size});
  return 0;
}
