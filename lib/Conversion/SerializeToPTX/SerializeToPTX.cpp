//===- SerializeToPTX.cpp - GPU modules become PTX text -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxWriter.h"

#include "fastnorm/Conversion/LaunchAttributes.h"
#include "fastnorm/Conversion/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace fastnorm {
#define GEN_PASS_DEF_SERIALIZETOPTXPASS
#include "fastnorm/Conversion/Passes.h.inc"
} // namespace fastnorm

using namespace mlir;
using namespace fastnorm;

namespace {

class SerializeToPTXPass : public fastnorm::impl::SerializeToPTXPassBase<SerializeToPTXPass> {
public:
  void runOnOperation() override {
    FailureOr<TargetAttr> target = requireTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (gpu::GPUModuleOp module : llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(serialize(module, *target)))
        return signalPassFailure();
  }

private:
  LogicalResult serialize(gpu::GPUModuleOp module, TargetAttr target) {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context, module.getName());
    if (!translated)
      return module.emitError("cannot be translated to LLVM IR");
    int64_t version = target.getPtx();
    if (auto needed = module->getAttrOfType<IntegerAttr>(kPtxVersionAttr))
      version = std::max(version, needed.getInt());
    Result<std::string> ptx = writePtx(*translated, target, version);
    if (!ptx)
      return module.emitError() << ptx.error();
    OpBuilder builder(module);
    auto nvvmTarget = NVVM::NVVMTargetAttr::get(&getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", target.getChip(),
                                                "+ptx" + std::to_string(version));
    auto object = gpu::ObjectAttr::get(&getContext(), nvvmTarget, gpu::CompilationTarget::Assembly,
                                       builder.getStringAttr(*ptx), DictionaryAttr(), gpu::KernelTableAttr());
    gpu::BinaryOp::create(builder, module.getLoc(), module.getName(), Attribute(), builder.getArrayAttr({object}));
    module.erase();
    return success();
  }
};

} // namespace
