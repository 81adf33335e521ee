//===- Warnings.h - What makes figures worth less ---------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_BENCH_WARNINGS_H
#define FASTNORM_RUNTIME_BENCH_WARNINGS_H

#include "runtime/Bench/Measurement.h"

namespace fastnorm {

/// All there is to warn of in a measurement, each with its remedy: refused figures, how sampling ended, clocks, other
/// processes, footprint, noise, short replays.
std::vector<Warning> findWarnings(const Measurement &measurement);

/// "warning: WHAT; REMEDY", one a line.
std::string formatWarnings(const std::vector<Warning> &warnings);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_BENCH_WARNINGS_H
