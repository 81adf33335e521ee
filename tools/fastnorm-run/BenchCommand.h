//===- BenchCommand.h - Times a plan beside a copy --------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_BENCHCOMMAND_H
#define FASTNORM_TOOLS_RUN_BENCHCOMMAND_H

#include "Options.h"

#include "runtime/Bench/Measurement.h"
#include "runtime/Executor/OperandSet.h"

namespace fastnorm::tool {

/// A plan and what it is timed on.
struct BenchInputs {
  const Executor &executor;
  const OperandSources &sources;
  const SymbolValues &given;
  const OperandSetOptions &placement;
};

/// What a measurement says before anything was timed: the program, the plan, the device. The launches are those of a
/// run.
Measurement describeRun(const Options &options, const Plan &plan, const std::vector<int64_t> &symbolValues,
                        const DeviceInfo &device, std::vector<KernelRow> launches);

/// Times every launch, the whole plan, the fastest copy and the fastest stream of the plan's mix in turns, and writes
/// what came of it into the measurement. An interruption or a lost device leaves what was measured before; the
/// measurement's reason says so. On hardware only.
Status measure(const Options &options, const BenchInputs &inputs, Measurement &measurement);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_BENCHCOMMAND_H
