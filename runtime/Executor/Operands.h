//===- Operands.h - What a plan is run on -----------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands meet the tensors a plan declares by name or by order. What they
// must be like is the OperandSolver's to say.
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

/// An argument or result in device memory.
struct Operand {
  std::string name; ///< as the plan names it; empty binds by order
  DeviceAddress address = 0;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  /// In elements, one a dimension; empty: dense, row-major.
  std::vector<int64_t> strides = {};
};

/// The same without owning anything: what a run of a loaded plan is given.
struct OperandView {
  DeviceAddress address = 0;
  DType dtype = DType::F32;
  size_t rank = 0;
  const int64_t *shape = nullptr;
  const int64_t *strides = nullptr; ///< null: dense, row-major

  int64_t elementBytes() const { return byteWidth(dtype); }
  /// The elements from one neighbour along the dimension to the next.
  int64_t stride(size_t dimension) const;
};

/// The operand must outlive the view.
OperandView viewOf(const Operand &operand);

/// The operands of one run, as many as the plan has arguments and results, in its order. No results, where only
/// arguments are known yet.
struct OperandViews {
  const OperandView *arguments = nullptr;
  const OperandView *results = nullptr;
};

enum class OperandRole : uint8_t { Argument, Result };

/// "argument 'residual'".
std::string describe(OperandRole role, const std::string &tensor);

/// Values given for symbols, by name.
using SymbolValues = std::map<std::string, int64_t>;

/// The operands in the order of `specs`: by name if the first has a name, else by order.
Result<std::vector<Operand>> bindOperands(const std::vector<TensorSpec> &specs, const std::vector<Operand> &operands,
                                          OperandRole role);

/// Finds the value of every symbol from the shapes and strides of the arguments (in the plan's order), those of the
/// results (all of them, or none) and the values given. Checks as OperandSolver does.
Result<std::vector<int64_t>> solveSymbols(const Plan &plan, const std::vector<Operand> &arguments,
                                          const std::vector<Operand> &results, const SymbolValues &given);

/// The extents of a tensor once the symbols have values.
std::vector<int64_t> resolveShape(const TensorSpec &spec, const std::vector<int64_t> &symbolValues);
/// Its strides; none where it is dense.
std::vector<int64_t> resolveStrides(const TensorSpec &spec, const std::vector<int64_t> &symbolValues);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_EXECUTOR_OPERANDS_H
