//===- Bindings.h - Files and symbols for a plan's tensors ------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_BINDINGS_H
#define FASTNORM_TOOLS_RUN_BINDINGS_H

#include "InputFiles.h"
#include "Options.h"

#include "fastnorm/Plan/Plan.h"
#include "runtime/Executor/OperandSet.h"

namespace fastnorm::tool {

/// Whether a name is among those that the plan has; the error lists them, and says "expected FLAG for WHAT of 'norm'".
Status checkKnownName(const std::string &name, const std::string &flag, const std::string &what,
                      const std::vector<std::string> &known, const Plan &plan);
Status checkKnownName(const std::string &name, const std::string &flag, const std::string &what,
                      const std::vector<TensorSpec> &specs, const Plan &plan);

/// Whether every name on the command line is one of the plan's, and every argument has a file or is filled.
Status checkNames(const Plan &plan, const Options &options, const InputFiles &files);

/// What the command line and the shapes of files say of a plan's symbols. Strides that neither gives are those of dense
/// rows.
class SymbolBindings {
public:
  /// Fails where two places give a symbol different values; names both.
  static Result<SymbolBindings> of(const Plan &plan, const Options &options, const InputFiles &files,
                                   const NamedTensors &inputs);

  /// Those that have one, by name.
  SymbolValues given() const;
  /// In the order of the plan's symbols; an error names one without a value.
  Result<std::vector<int64_t>> values() const;

private:
  struct Binding {
    int64_t value;
    std::string place; ///< "--dim", "x.npy"
  };

  explicit SymbolBindings(const Plan &plan) : plan(&plan), bindings(plan.symbols.size()) {}
  void assumeDense(const TensorSpec &spec);
  Status bind(int64_t symbol, int64_t value, const std::string &place);

  const Plan *plan;
  std::vector<std::optional<Binding>> bindings;
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_BINDINGS_H
