//===- Pipeline.cpp - The order of the passes -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that knows the order of the passes and the names of the stages.
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Compiler/Pipeline.h"

#include "fastnorm/Conversion/Passes.h"
#include "fastnorm/Transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace fastnorm;

static constexpr llvm::StringLiteral kStages[] = {"decompose", "fuse", "schedule", "gpu", "nvvm", "ptx"};

ArrayRef<llvm::StringLiteral> fastnorm::stageNames() { return kStages; }

Status fastnorm::checkStage(StringRef stage) {
  if (llvm::is_contained(kStages, stage))
    return {};
  return Error{"expected a stage among " + llvm::join(stageNames(), ", ") + ", but got '" + stage.str() + "'"};
}

/// name=value of each symbol that is known.
static SmallVector<std::string> knownSymbols(const CompileOptions &options) {
  SmallVector<std::string> texts;
  for (const auto &[name, value] : options.symbols)
    texts.push_back(name + "=" + std::to_string(value));
  return texts;
}

void fastnorm::buildStage(OpPassManager &passes, const CompileOptions &options, StringRef stage) {
  auto onFunctions = [&](std::unique_ptr<Pass> pass) { passes.addNestedPass<func::FuncOp>(std::move(pass)); };
  if (stage == "decompose") {
    AttachTargetPassOptions attach;
    attach.target = options.target;
    passes.addPass(createAttachTargetPass(attach));
    onFunctions(createLiftSingleRowsPass());
    onFunctions(createNameBindingsPass());
    onFunctions(createDecomposePass());
  } else if (stage == "fuse") {
    FusePassOptions fuse;
    fuse.fuse = options.fuse;
    fuse.rowInvariant = options.rowInvariant;
    fuse.symbols = knownSymbols(options);
    passes.addPass(createFusePass(fuse));
  } else if (stage == "schedule") {
    SpecializePassOptions specialize;
    specialize.alignment = options.alignment;
    specialize.rowInvariant = options.rowInvariant;
    specialize.symbols = knownSymbols(options);
    specialize.tuned = options.tuned;
    passes.addPass(createSpecializePass(specialize));
    SelectSchedulePassOptions select;
    select.rowInvariant = options.rowInvariant;
    select.tuned = options.tuned;
    onFunctions(createSelectSchedulePass(select));
    onFunctions(createVerifySchedulePass());
  } else if (stage == "gpu") {
    passes.addPass(createConvertFastnormToGPUPass());
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
  } else if (stage == "nvvm") {
    passes.addNestedPass<gpu::GPUModuleOp>(createConvertGPUToNVVMPass());
  } else {
    passes.addPass(createSerializeToPTXPass());
  }
}

void fastnorm::buildPipeline(OpPassManager &passes, const CompileOptions &options, StringRef untilStage) {
  for (StringRef stage : kStages) {
    buildStage(passes, options, stage);
    if (stage == untilStage)
      return;
  }
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("A known target (h200) or chip (sm_90)"),
                             llvm::cl::init("h200")};
  Option<std::string> fuse{*this, "fuse", llvm::cl::desc("auto, always, never or plan:A+B,C"), llvm::cl::init("auto")};
  Option<std::string> alignment{*this, "alignment", llvm::cl::desc("aligned, any or both"), llvm::cl::init("aligned")};
  Option<bool> rowInvariant{*this, "row-invariant", llvm::cl::desc("One schedule for every number of rows"),
                            llvm::cl::init(false)};
  // Unlike in fastnorm-run: what a pass does to a text shall not change with what was measured.
  Option<std::string> tuned{*this, "tuned", llvm::cl::desc("A table of measured schedules: none, shipped or its file"),
                            llvm::cl::init("none")};
  ListOption<std::string> symbols{*this, "symbols", llvm::cl::desc("Known symbol values: name=value")};
  Option<std::string> until{*this, "until",
                            llvm::cl::desc("The last stage: decompose, fuse, schedule, gpu, nvvm or ptx"),
                            llvm::cl::init("ptx")};
};
} // namespace

void fastnorm::registerPassesAndPipeline() {
  registerFastnormTransformsPasses();
  registerFastnormConversionPasses();
  // Not PassPipelineRegistration: its builder has no way to refuse an option.
  registerPassPipeline(
      "fastnorm-pipeline", "Lower graphs up to a stage",
      [](OpPassManager &passes, StringRef text, llvm::function_ref<LogicalResult(const llvm::Twine &)> refuse) {
        PipelineOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        if (Status status = checkStage(options.until); !status)
          return refuse(status.error());
        CompileOptions compile;
        compile.target = options.target;
        compile.fuse = options.fuse;
        compile.alignment = options.alignment;
        compile.rowInvariant = options.rowInvariant;
        compile.tuned = options.tuned;
        for (StringRef text : options.symbols) {
          auto [name, value] = text.split('=');
          if (value.getAsInteger(10, compile.symbols[name.str()]))
            return refuse("expected symbols as name=value, but got '" + text + "'");
        }
        buildPipeline(passes, compile, options.until);
        return success();
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> handle) { handle(PipelineOptions()); });
}
