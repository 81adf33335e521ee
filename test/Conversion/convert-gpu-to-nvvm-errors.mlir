// RUN: fastnorm-opt %s --verify-diagnostics --pass-pipeline="builtin.module(gpu.module(fastnorm-convert-gpu-to-nvvm))"

gpu.module @kernels {
  llvm.func @__nv_sinf(f32) -> f32
  gpu.func @calls_a_library(%x: f32) kernel {
    // expected-error@+1 {{calls __nv_sinf, which is not in the module: kernels use no library}}
    %y = llvm.call @__nv_sinf(%x) : (f32) -> f32
    gpu.return
  }
}
