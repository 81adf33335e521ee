//===- Sweep.h - The points of --sweep --------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_SWEEP_H
#define FASTNORM_TOOLS_RUN_SWEEP_H

#include "fastnorm/Support/Result.h"

#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tool {

/// One value for each key, in the order of the keys.
using SweepPoint = std::vector<std::pair<std::string, std::string>>;

/// "rows=1 hidden=4096"
std::string describe(const SweepPoint &point);

/// The points of "rows=1..65536:x4,hidden=1024,2048": every combination of the values, those of the last key changing
/// first. A value is a word, a range A..B:xF (A, A·F, … up to B) or A..B:+S, or a product of numbers and keys before
/// it: rows*top_k.
Result<std::vector<SweepPoint>> parseSweep(const std::string &text);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_SWEEP_H
