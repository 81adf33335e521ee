//===- PreparedPlan.cpp - A plan bound to the command line ----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedPlan.h"

#include "Bindings.h"
#include "CheckReference.h"
#include "FillRoles.h"
#include "InputFiles.h"
#include "RowSample.h"

using namespace fastnorm;
using namespace fastnorm::tool;

Exit tool::preparePlan(const Options &options, const Source &source, Plan plan, Device &device,
                       std::optional<PreparedPlan> &prepared) {
  Result<InputFiles> files = InputFiles::open(options);
  if (!files)
    return failed(files.error());
  if (Status known = checkNames(plan, options, *files); !known)
    return badUse(known.error());
  mlir::func::FuncOp graph = source.isGraph() ? source.function() : mlir::func::FuncOp();
  Result<std::map<std::string, FillRole>> roles = fillRoles(plan, options, graph);
  if (!roles)
    return badUse(roles.error());
  if (Status possible = RowSample::isPossible(plan, graph); options.check == CheckScope::Sample && !possible)
    return badUse(possible.error());
  Result<NamedTensors> inputs = files->read(plan);
  if (!inputs)
    return failed(inputs.error());
  Result<SymbolBindings> symbols = SymbolBindings::of(plan, options, *files, *inputs);
  if (!symbols)
    return failed(symbols.error());
  Result<std::vector<int64_t>> symbolValues = symbols->values();
  if (!symbolValues)
    return badUse(symbolValues.error());
  SymbolValues given = symbols->given();
  if (auto limit = options.dimensions.find(kSmLimitSymbol); limit != options.dimensions.end())
    given.insert(*limit);
  bool samples = options.check == CheckScope::Sample ||
                 (options.check != CheckScope::All && wantsSample(plan, graph, *symbolValues));
  FillRequest request{options.fillSeed.value_or(0), std::move(*roles), samples};
  Result<ArgumentValues> values = ArgumentValues::create(plan, std::move(*inputs), request, *symbolValues, device);
  if (!values)
    return failed(values.error());
  Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(plan), device);
  if (!executor)
    return failed(executor.error());
  prepared.emplace(
      PreparedPlan{std::move(*executor), std::move(*symbolValues), std::move(given), std::move(*values), samples});
  return Exit::Done;
}
