//===- Passes.td - From the algebra to PTX -*- tablegen -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_CONVERSION_PASSES_TD
#define FASTNORM_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertFastnormToGPUPass : Pass<"convert-fastnorm-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Generate a gpu.func for each kernel, as its schedule says";
  let description = [{
    Every `fastnorm.kernel` becomes a `gpu.func` of gpu, scf, arith, math, vector and memref ops, with inline PTX for
    memory instructions that carry a cache policy. Around them stands a host function of symbol arithmetic,
    `memref.alloc` for what passes between kernels, and `gpu.launch_func`. The lowering is one for all bodies; only the
    schedule tells kernels apart.

    Numerics: `reduce` along hidden adds a thread's elements in order, then lanes in a butterfly, then warps as a tree.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ConvertGPUToNVVMPass : Pass<"fastnorm-convert-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower a GPU module to LLVM and NVVM, without a math library";
  let description = [{
    Scalar functions become NVPTX intrinsics first (`math.rsqrt` is `rsqrt.approx`, relative error below 2^-22), then
    everything else is lowered with bare pointers and 64-bit indices. Fails where a call to a function that the module
    does not define is left.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SerializeToPTXPass : Pass<"fastnorm-serialize-to-ptx", "::mlir::ModuleOp"> {
  let summary = "Replace each GPU module by the PTX text that LLVM's NVPTX back end writes for it";
  let description = [{
    The result is a `gpu.binary` with one object of PTX text for the target's chip, in the target's PTX version.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // FASTNORM_CONVERSION_PASSES_TD
