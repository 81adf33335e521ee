//===- BenchCommand.h - Times a plan beside a copy --------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_BENCHCOMMAND_H
#define FASTNORM_TOOLS_RUN_BENCHCOMMAND_H

#include "runtime/Bench/Table.h"
#include "runtime/Executor/OperandSet.h"

#include <string>

namespace fastnorm::tool {

/// Times every launch of the table, the whole plan and the copies in turns, and writes the times into the table.
/// Returns what stands below the table: a line for the plan and one for the copy. On hardware only.
Result<std::string> benchmark(const Executor &executor, const OperandSources &inputs, const SymbolValues &given,
                              const OperandSetOptions &placement, KernelTable &table);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_BENCHCOMMAND_H
