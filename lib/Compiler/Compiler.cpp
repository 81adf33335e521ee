//===- Compiler.cpp - From .mlir text to a Plan -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Compiler/Compiler.h"

#include "fastnorm/Compiler/Pipeline.h"
#include "fastnorm/Conversion/ExportPlan.h"
#include "fastnorm/IR/Dialect.h"
#include "fastnorm/Transforms/ExplainPlans.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>

using namespace mlir;
using namespace fastnorm;

void fastnorm::registerCompilerDialects(DialectRegistry &registry) {
  // What people write, then what the stages lower to, so that the text of every stage can be read again.
  registry.insert<FastnormDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect>();
  registry.insert<cf::ControlFlowDialect, gpu::GPUDialect, LLVM::LLVMDialect, memref::MemRefDialect, NVVM::NVVMDialect,
                  scf::SCFDialect, vector::VectorDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

namespace {

/// Collects the errors that a context reports while it lives, as "file:line:column: message", and lets everything else
/// pass to outer handlers.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          append(diagnostic);
          return success();
        }) {
    // One sentence, without the op's text behind it.
    context->printOpOnDiagnostic(false);
  }

  Error error(StringRef fallback) const { return Error{text.empty() ? fallback.str() : text}; }

private:
  void append(Diagnostic &diagnostic) {
    // The first error is the cause; later ones follow from it.
    if (!text.empty())
      return;
    llvm::raw_string_ostream stream(text);
    if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      stream << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn() << ": ";
    stream << diagnostic;
    for (Diagnostic &note : diagnostic.getNotes())
      stream << "; " << note;
  }

  std::string text;
  ScopedDiagnosticHandler handler;
};

} // namespace

/// "%residual" is "residual"; results of an op with several, "%y:2", and unnamed values, "%0", have no name.
static std::string nameAt(llvm::SMRange range) {
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  if (!text.consume_front("%") || text.empty() || llvm::isDigit(text[0]) || text.contains('#') || text.contains(':'))
    return "";
  return text.str();
}

static std::string nameOf(Value value, const AsmParserState &state) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const AsmParserState::BlockDefinition *block = state.getBlockDef(argument.getOwner());
    if (!block || argument.getArgNumber() >= block->arguments.size())
      return "";
    return nameAt(block->arguments[argument.getArgNumber()].loc);
  }
  auto result = cast<OpResult>(value);
  const AsmParserState::OperationDefinition *op = state.getOpDef(result.getOwner());
  if (!op)
    return "";
  // Each group is the results that one written name stands for.
  unsigned first = 0;
  for (const auto &group : op->resultGroups) {
    bool isLone = &group == &op->resultGroups.back() ? first + 1 == result.getOwner()->getNumResults()
                                                     : (&group + 1)->startIndex == first + 1;
    if (group.startIndex == result.getResultNumber() && isLone)
      return nameAt(group.definition.loc);
    first = &group == &op->resultGroups.back() ? first : (&group + 1)->startIndex;
  }
  return "";
}

static void nameFromText(func::FuncOp function, const AsmParserState &state) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return;
  Builder builder(function.getContext());
  for (BlockArgument argument : function.getArguments())
    if (!function.getArgAttr(argument.getArgNumber(), kNameAttr))
      if (std::string name = nameOf(argument, state); !name.empty())
        function.setArgAttr(argument.getArgNumber(), kNameAttr, builder.getStringAttr(name));
  llvm::SmallPtrSet<Value, 8> returned;
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    // An argument, or a value returned before, has given its name away.
    if (isa<BlockArgument>(value) || !returned.insert(value).second || function.getResultAttr(index, kNameAttr))
      continue;
    if (std::string name = nameOf(value, state); !name.empty())
      function.setResultAttr(index, kNameAttr, builder.getStringAttr(name));
  }
}

/// The parser recurses for each bracket, so text that nests without end would end the process.
static Status checkNesting(StringRef text, StringRef bufferName) {
  constexpr int64_t kDeepest = 256;
  int64_t depth = 0;
  for (size_t place = 0; place < text.size(); ++place) {
    StringRef rest = text.substr(place);
    if (rest.starts_with("//"))
      place = std::min(text.find('\n', place), text.size());
    else if (rest.front() == '"')
      while (++place < text.size() && text[place] != '"' && text[place] != '\n')
        place += text[place] == '\\';
    else if (rest.starts_with("->") || rest.starts_with(">="))
      ++place;
    else if (StringRef("([{<").contains(rest.front()) && ++depth > kDeepest)
      return Error{bufferName.str() + ":" + std::to_string(text.take_front(place).count('\n') + 1) +
                   ": expected brackets nested at most " + std::to_string(kDeepest) + " deep"};
    else if (StringRef(")]}>").contains(rest.front()))
      --depth;
  }
  return {};
}

Result<OwningOpRef<ModuleOp>> fastnorm::parseGraph(StringRef text, StringRef bufferName, MLIRContext &context) {
  if (Status nested = checkNesting(text, bufferName); !nested)
    return nested.takeError();
  ErrorCollector errors(&context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, bufferName), llvm::SMLoc());
  Block block;
  AsmParserState state;
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return errors.error((bufferName + ": expected a graph in MLIR text").str());

  OwningOpRef<ModuleOp> module;
  auto inner = block.getOps<ModuleOp>();
  if (!block.empty() && llvm::hasSingleElement(block) && !inner.empty()) {
    module = *inner.begin();
    module->getOperation()->remove();
  } else {
    module = ModuleOp::create(FileLineColLoc::get(&context, bufferName, 1, 1));
    module->getBody()->getOperations().splice(module->getBody()->end(), block.getOperations());
  }
  if (failed(mlir::verify(*module)))
    return errors.error((bufferName + ": expected a valid graph").str());
  for (func::FuncOp function : module->getOps<func::FuncOp>())
    nameFromText(function, state);
  return module;
}

namespace {

/// Tells who asked how long a stage took when that is over.
class StageClock {
public:
  StageClock(const CompileOptions &options, StringRef stage)
      : options(options), stage(stage), begin(std::chrono::steady_clock::now()) {}
  StageClock(const StageClock &) = delete;
  StageClock &operator=(const StageClock &) = delete;
  ~StageClock() {
    std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    if (options.afterStage)
      options.afterStage(stage, taken.count());
  }

private:
  const CompileOptions &options;
  StringRef stage;
  std::chrono::steady_clock::time_point begin;
};

} // namespace

/// A graph is one function with a body.
static Status checkOneFunction(ModuleOp module) {
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.size() == 1 && !functions.front().isExternal() &&
      llvm::hasSingleElement(module.getBody()->getOperations()))
    return {};
  return Error{"expected a module of one function with a body, but got " + std::to_string(functions.size()) +
               " functions among " + std::to_string(llvm::range_size(module.getBody()->getOperations())) + " ops"};
}

Status fastnorm::lower(ModuleOp module, const CompileOptions &options, StringRef untilStage) {
  if (Status status = checkStage(untilStage); !status)
    return status;
  if (Status status = checkOneFunction(module); !status)
    return status;
  ErrorCollector errors(module.getContext());
  for (StringRef stage : stageNames()) {
    StageClock clock(options, stage);
    PassManager passes(module.getContext());
    buildStage(passes, options, stage);
    if (failed(passes.run(module)))
      return errors.error("the graph could not be lowered to stage " + untilStage.str());
    if (stage == untilStage)
      break;
  }
  return {};
}

Result<std::string> fastnorm::explain(ModuleOp module, const CompileOptions &options) {
  if (Status status = lower(module, options, "decompose"); !status)
    return status.takeError();
  ErrorCollector errors(module.getContext());
  llvm::StringMap<int64_t> known;
  for (const auto &[name, value] : options.symbols)
    known[name] = value;
  func::FuncOp function = *module.getOps<func::FuncOp>().begin();
  FailureOr<TargetAttr> target = requireTarget(function);
  FailureOr<std::string> text =
      failed(target) ? FailureOr<std::string>(failure()) : explainPlans(function, *target, options.rowInvariant, known);
  if (failed(text))
    return errors.error("the graph could not be explained");
  return *text;
}

Result<Plan> fastnorm::compile(ModuleOp module, const CompileOptions &options) {
  if (Status status = lower(module, options, stageNames().back()); !status)
    return status.takeError();
  StageClock clock(options, "export");
  return exportPlan(module);
}
