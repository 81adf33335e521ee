// Scalar functions become instructions; no kernel calls a library.
// RUN: fastnorm-opt %s --pass-pipeline="builtin.module(gpu.module(fastnorm-convert-gpu-to-nvvm))" | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @scalar_functions(
  // CHECK-NOT: llvm.call @
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
  // CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx{{(.f)?}}"
  // CHECK: fabs
  // CHECK: llvm.intr.fma
  // CHECK-NOT: llvm.call @
  gpu.func @scalar_functions(%x: f32, %to: !llvm.ptr<1>) kernel {
    %a = math.rsqrt %x : f32
    %b = math.sqrt %a : f32
    %c = math.exp2 %b : f32
    %d = math.absf %c : f32
    %e = math.fma %d, %x, %x : f32
    llvm.store %e, %to : f32, !llvm.ptr<1>
    gpu.return
  }

  // A vector is taken apart.
  // CHECK-LABEL: llvm.func @vector(
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"{{.*}} : (f32) -> f32
  gpu.func @vector(%x: vector<2xf32>, %to: !llvm.ptr<1>) kernel {
    %a = math.rsqrt %x : vector<2xf32>
    llvm.store %a, %to : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }
}
