//===- Bindings.h - Files and symbols for a plan's tensors ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_BINDINGS_H
#define FASTNORM_TOOLS_RUN_BINDINGS_H

#include "Options.h"

#include "fastnorm/Plan/Plan.h"
#include "runtime/Executor/OperandSet.h"

namespace fastnorm::tool {

/// Whether every name on the command line is one of the plan's, and every argument has a file or is filled.
Status checkNames(const Plan &plan, const Options &options);

/// Reads the files of --input; each has the dtype, rank and fixed extents of its argument.
Result<NamedTensors> readInputs(const Plan &plan, const Options &options);

/// What the command line and the shapes of files say of a plan's symbols.
class SymbolBindings {
public:
  /// Fails where two places give a symbol different values; names both.
  static Result<SymbolBindings> of(const Plan &plan, const Options &options, const NamedTensors &inputs);

  /// In the order of the plan's symbols; an error names one without a value.
  Result<std::vector<int64_t>> values() const;

private:
  struct Binding {
    int64_t value;
    std::string place; ///< "--dim", "x.npy"
  };

  explicit SymbolBindings(const Plan &plan) : plan(&plan), bindings(plan.symbols.size()) {}
  Status bind(int64_t symbol, int64_t value, const std::string &place);

  const Plan *plan;
  std::vector<std::optional<Binding>> bindings;
};

/// Adds a filled tensor for every argument without a file.
Status fillInputs(const Plan &plan, uint64_t seed, const std::vector<int64_t> &symbolValues, NamedTensors &inputs);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_BINDINGS_H
