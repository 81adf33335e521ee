//===- Operands.h - What a plan is run on, checked --------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands meet the tensors a plan declares: by name or by order, each checked
// for dtype and shape, and the shapes solved for the plan's symbols.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EXECUTOR_OPERANDS_H
#define FASTNORM_RUNTIME_EXECUTOR_OPERANDS_H

#include "fastnorm/Plan/Plan.h"
#include "runtime/Device.h"

#include <map>
#include <string>
#include <vector>

namespace fastnorm {

/// An argument or result in device memory: dense, row-major.
struct Operand {
  std::string name; ///< as the plan names it; empty binds by order
  DeviceAddress address = 0;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
};

enum class OperandRole : uint8_t { Argument, Result };

/// Values given for symbols, by name.
using SymbolValues = std::map<std::string, int64_t>;

/// The operands in the order of `specs`: by name if the first has a name, else by order.
Result<std::vector<Operand>> bindOperands(const std::vector<TensorSpec> &specs, const std::vector<Operand> &operands,
                                          OperandRole role);

/// Finds the value of every symbol from the shapes of the arguments (in the plan's order), the shapes of the results
/// (all of them, or none) and the values given. Checks dtype, rank, fixed extents, and that equal symbols have equal
/// values; an error names both places.
Result<std::vector<int64_t>> solveSymbols(const Plan &plan, const std::vector<Operand> &arguments,
                                          const std::vector<Operand> &results, const SymbolValues &given);

/// The extents of a tensor once the symbols have values.
std::vector<int64_t> resolveShape(const TensorSpec &spec, const std::vector<int64_t> &symbolValues);

/// An error where the base address is not a multiple of what the plan asks. A tensor without elements is never read,
/// so its address is free.
Status checkAlignment(const TensorSpec &spec, const Operand &operand, OperandRole role);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_EXECUTOR_OPERANDS_H
