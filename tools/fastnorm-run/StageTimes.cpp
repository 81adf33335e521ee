//===- StageTimes.cpp - How long compiling takes, stage by stage ----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageTimes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace fastnorm::tool;

std::string StageTimes::str() const {
  std::string text;
  double sum = 0;
  for (const auto &[stage, milliseconds] : times) {
    text += llvm::formatv("{0,-10} {1,8:F2} ms\n", stage, milliseconds).str();
    sum += milliseconds;
  }
  return text + llvm::formatv("{0,-10} {1,8:F2} ms\n", "total", sum).str();
}
