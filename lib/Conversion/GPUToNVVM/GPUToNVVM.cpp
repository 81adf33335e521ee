//===- GPUToNVVM.cpp - GPU modules become LLVM and NVVM -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"

#include "fastnorm/Conversion/Passes.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace fastnorm {
#define GEN_PASS_DEF_CONVERTGPUTONVVMPASS
#include "fastnorm/Conversion/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

namespace {

class ConvertGPUToNVVMPass : public fastnorm::impl::ConvertGPUToNVVMPassBase<ConvertGPUToNVVMPass> {
public:
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    RewritePatternSet patterns(&getContext());
    populateScalarFunctionPatterns(patterns);
    if (failed(applyPatternsGreedily(module, std::move(patterns))))
      return signalPassFailure();

    OpPassManager pipeline(gpu::GPUModuleOp::getOperationName());
    pipeline.addPass(createSCFToControlFlowPass());
    pipeline.addPass(memref::createExpandStridedMetadataPass());
    ConvertGpuOpsToNVVMOpsOptions options;
    options.indexBitwidth = 64;
    options.useBarePtrCallConv = true;
    pipeline.addPass(createConvertGpuOpsToNVVMOps(options));
    pipeline.addPass(createConvertNVVMToLLVMPass());
    pipeline.addPass(createReconcileUnrealizedCastsPass());
    if (failed(runPipeline(pipeline, module)) || failed(verifyNoForeignCalls(module)))
      signalPassFailure();
  }

private:
  LogicalResult verifyNoForeignCalls(gpu::GPUModuleOp module) {
    WalkResult result = module.walk([&](LLVM::CallOp call) -> WalkResult {
      auto callee = call.getCallee() ? module.lookupSymbol<LLVM::LLVMFuncOp>(*call.getCallee()) : LLVM::LLVMFuncOp();
      if (callee && !callee.isExternal())
        return WalkResult::advance();
      return call.emitOpError("calls ") << call.getCallee().value_or("a function pointer")
                                        << ", which is not in the module: kernels use no library";
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
