//===- Source.h - The graph or plan that is run -----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_SOURCE_H
#define FASTNORM_TOOLS_RUN_SOURCE_H

#include "Options.h"

#include "fastnorm/Compiler/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace fastnorm::tool {

/// What the positional argument names: a graph, or a plan that was compiled before.
class Source {
public:
  static Result<Source> read(const std::string &path);
  /// The graph in a text; `name` stands for a path in messages.
  static Result<Source> parse(llvm::StringRef text, const std::string &name);

  bool isGraph() const { return static_cast<bool>(graph); }
  /// The graph as written, however often it was compiled.
  mlir::ModuleOp module() const { return *graph; }
  mlir::func::FuncOp function() const;
  mlir::MLIRContext &context() const { return *mlirContext; }

  /// The plan read, or the graph compiled; compiles a copy.
  Result<Plan> plan(const CompileOptions &options) const;
  /// How the cost model groups the graph's kernels, for people to read. The source must be a graph.
  Result<std::string> explain(const CompileOptions &options) const;
  /// The text of the IR after a stage.
  Result<std::string> dump(const CompileOptions &options, llvm::StringRef stage) const;

private:
  std::unique_ptr<mlir::MLIRContext> mlirContext;
  mlir::OwningOpRef<mlir::ModuleOp> graph;
  std::optional<Plan> compiled;
};

/// A context that knows every dialect, single-threaded: a graph is too small to share out.
std::unique_ptr<mlir::MLIRContext> createContext();

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_SOURCE_H
