//===- CompilerTargets.cpp - Texts that the compiler reads -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"

#include "fastnorm/Compiler/Compiler.h"
#include "fastnorm/CostModel/ScheduleTable.h"
#include "fastnorm/Plan/PlanJson.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>

using namespace mlir;
using namespace fastnorm;

/// A context remembers all types and attributes that it ever saw, so it is made anew now and then.
static MLIRContext &context() {
  static std::unique_ptr<MLIRContext> context;
  static int uses = 0;
  if (uses++ % 256 == 0) {
    DialectRegistry registry;
    registerCompilerDialects(registry);
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
  }
  return *context;
}

/// A different target and options for different texts, the same for the same.
static CompileOptions optionsFor(std::string_view input) {
  static constexpr const char *kTargets[] = {"h200", "a100", "a10", "l40s", "b200", "rtx5090"};
  size_t hash = std::hash<std::string_view>()(input);
  CompileOptions options;
  options.target = kTargets[hash % 6];
  options.rowInvariant = hash / 6 % 4 == 0;
  return options;
}

static void fuzzMlir(std::string_view input) {
  Result<OwningOpRef<ModuleOp>> module = parseGraph(StringRef(input.data(), input.size()), "input", context());
  if (!module)
    return fuzz::expect(!module.error().empty(), "an error that says something");
  Result<Plan> plan = compile(**module, optionsFor(input));
  if (!plan)
    return fuzz::expect(!plan.error().empty(), "an error that says something");
  Result<Plan> again = readPlanJson(writePlanJson(*plan));
  fuzz::expect(bool(again), "a plan that the runtime takes");
}

static void fuzzTable(std::string_view input) {
  Result<ScheduleTable> table = ScheduleTable::parse(StringRef(input.data(), input.size()));
  if (!table)
    return fuzz::expect(!table.error().empty(), "an error that says something");
  (void)table->checkSchedules(context());
  std::string text = table->str();
  Result<ScheduleTable> again = ScheduleTable::parse(text);
  fuzz::expect(again && again->str() == text, "a table that was read to be written and read again");
}

std::vector<fuzz::Target> fuzz::compilerTargets() { return {{"mlir", fuzzMlir, true}, {"table", fuzzTable, true}}; }
