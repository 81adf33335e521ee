//===- Compiler.h - From .mlir text to a Plan -------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool calls: parse a graph, lower it up to a stage, compile it.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_COMPILER_COMPILER_H
#define FASTNORM_COMPILER_COMPILER_H

#include "fastnorm/Plan/Plan.h"
#include "fastnorm/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fastnorm {

struct CompileOptions {
  /// A name of KnownTargets, "h200", or a chip, "sm_90".
  std::string target = "h200";
  /// "auto": what the cost model says is fastest, "always", "never", or "plan:A+B,C": kernels that share a launch by
  /// name.
  std::string fuse = "auto";
  /// "aligned": operands whose bases and row strides are multiples of 16 bytes; "any"; "both": a variant for each.
  std::string alignment = "aligned";
  /// One schedule for every number of rows, so that a row's result never depends on how many rows run with it.
  bool rowInvariant = false;
  /// Where measured schedules are looked up before the cost model is asked: "shipped", the table that the compiler
  /// brings for the target; "none"; or the file of a table (docs/Tuning.md).
  std::string tuned = "shipped";
  /// Told after each stage, and after "export", how many milliseconds it took. None: nobody.
  std::function<void(llvm::StringRef stage, double milliseconds)> afterStage = {};
  /// Symbol values that are known: variants for others are not made.
  std::map<std::string, int64_t> symbols;
};

/// Adds every dialect and interface that parsing and compiling need. Call before the context is made.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Parses and verifies a graph. Arguments and results without a `fastnorm.name` get the names that the text gives
/// them (`%residual` is "residual"). Diagnostics, with `bufferName` and line, become the error.
Result<mlir::OwningOpRef<mlir::ModuleOp>> parseGraph(llvm::StringRef text, llvm::StringRef bufferName,
                                                     mlir::MLIRContext &context);

/// The stages of the pipeline in order: decompose, fuse, schedule, gpu, nvvm, ptx.
llvm::ArrayRef<llvm::StringLiteral> stageNames();

/// Lowers a parsed graph in place, up to and including a stage. Remarks go to the context's diagnostic handler; errors
/// become the result.
Status lower(mlir::ModuleOp module, const CompileOptions &options, llvm::StringRef untilStage);

/// Lowers a parsed graph in place to kernels and says how the cost model groups them and why: a page of text for
/// people.
Result<std::string> explain(mlir::ModuleOp module, const CompileOptions &options);

/// Lowers a parsed graph in place to the last stage and exports it. The module holds one function.
Result<Plan> compile(mlir::ModuleOp module, const CompileOptions &options);

} // namespace fastnorm

#endif // FASTNORM_COMPILER_COMPILER_H
