//===- EmitCommand.cpp - Compile and write, without running ---------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitCommand.h"

#include "OutputFile.h"
#include "PlanCache.h"

#include "fastnorm/Plan/PlanJson.h"

#include "llvm/Support/raw_ostream.h"

using namespace fastnorm;
using namespace fastnorm::tool;

/// "// rows 67 to *"
static std::string rangesOf(const Plan &plan, const Variant &variant) {
  std::string text = "//";
  for (const SymbolRange &range : variant.ranges)
    text += " " + plan.symbols[range.symbol] + " " + std::to_string(range.low) + " to " +
            (range.high == INT64_MAX ? "*" : std::to_string(range.high));
  return text + "\n";
}

/// The PTX of every variant, one after the other; where there are several, each behind what it serves.
static std::string ptxOf(const Plan &plan) {
  std::string text;
  for (const Variant &variant : plan.variants)
    text += (plan.variants.size() > 1 ? rangesOf(plan, variant) : "") + variant.ptx;
  return text;
}

static Result<std::string> textFor(const Options &options, const Source &source, const CompileOptions &compileOptions) {
  if (options.explain)
    return source.explain(compileOptions);
  if (!options.dump.empty())
    return source.dump(compileOptions, options.dump);
  if (options.emit == "mlir") {
    std::string text;
    llvm::raw_string_ostream(text) << source.module() << "\n";
    return text;
  }
  Result<Plan> plan = PlanCache(options).plan(source, compileOptions);
  if (!plan)
    return plan.takeError();
  return options.emit == "plan" ? writePlanJson(*plan) : ptxOf(*plan);
}

Exit tool::emitCommand(const Options &options, const Source &source, const CompileOptions &compileOptions) {
  if (Status writable = checkWritableText(options.emitFile); !writable)
    return failed(writable.error());
  Result<std::string> text = textFor(options, source, compileOptions);
  if (!text)
    return failed(text.error());
  if (Status written = writeFile(options.emitFile, *text); !written)
    return failed(written.error());
  return Exit::Done;
}
