//===- Source.cpp - The graph or plan that is run -------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Source.h"

#include "fastnorm/Plan/PlanJson.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace fastnorm;
using namespace fastnorm::tool;

std::unique_ptr<MLIRContext> tool::createContext() {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  return std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
}

Result<Source> Source::read(const std::string &path) {
  // A device may never end: /dev/zero.
  llvm::sys::fs::file_status status;
  if (path != "-" && !llvm::sys::fs::status(path, status) && status.type() == llvm::sys::fs::file_type::character_file)
    return Error{"cannot read '" + path + "': it is a device"};
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!file)
    return Error{"cannot read '" + path + "': " + file.getError().message()};
  llvm::StringRef text = (*file)->getBuffer();
  if (!llvm::StringRef(path).ends_with(".json"))
    return parse(text, path);
  Source source;
  source.mlirContext = createContext();
  Result<Plan> plan = readPlanJson(std::string_view(text.data(), text.size()));
  if (!plan)
    return Error{path + ": " + plan.error()};
  source.compiled = std::move(*plan);
  return source;
}

Result<Source> Source::parse(llvm::StringRef text, const std::string &name) {
  Source source;
  source.mlirContext = createContext();
  Result<OwningOpRef<ModuleOp>> graph = parseGraph(text, name, *source.mlirContext);
  if (!graph)
    return graph.takeError();
  source.graph = std::move(*graph);
  return source;
}

func::FuncOp Source::function() const {
  auto functions = module().getOps<func::FuncOp>();
  return functions.empty() ? func::FuncOp() : *functions.begin();
}

Result<Plan> Source::plan(const CompileOptions &options) const {
  if (compiled)
    return *compiled;
  OwningOpRef<ModuleOp> copy(module().clone());
  return compile(*copy, options);
}

Result<std::string> Source::explain(const CompileOptions &options) const {
  OwningOpRef<ModuleOp> copy(module().clone());
  return fastnorm::explain(*copy, options);
}

Result<std::string> Source::dump(const CompileOptions &options, llvm::StringRef stage) const {
  OwningOpRef<ModuleOp> copy(module().clone());
  if (Status lowered = lower(*copy, options, stage); !lowered)
    return lowered.takeError();
  std::string text;
  llvm::raw_string_ostream(text) << *copy << "\n";
  return text;
}
