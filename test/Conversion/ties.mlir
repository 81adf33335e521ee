// RUN: fastnorm-opt %s --fastnorm-pipeline="target=h200 until=gpu" 2>/dev/null | FileCheck %s

// The residual and the sum share a buffer: neither pointer is alone, and the residual is not only read.
// CHECK-LABEL: gpu.func @add_norm(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<1xbf16, 1> {llvm.align = 16 : i64},
// CHECK-SAME: %{{[a-z0-9]+}}: memref<1xbf16, 1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
// CHECK-SAME: %{{[a-z0-9]+}}: memref<1xbf16, 1> {llvm.align = 16 : i64},
// CHECK-SAME: %{{[a-z0-9]+}}: memref<1xbf16, 1> {llvm.align = 16 : i64, llvm.noalias})
// CHECK: func.func @add_norm(
// CHECK-SAME: memref<?x4096xbf16, 1> {fastnorm.name = "arg0", fastnorm.symbols = ["rows"], fastnorm.tied = 1 : i64}
func.func @add_norm(%residual: tensor<?x4096xbf16> {fastnorm.result = 1 : i64}, %x: tensor<?x4096xbf16>)
    -> (tensor<?x4096xbf16>, tensor<?x4096xbf16>) {
  %s = fastnorm.residual_add %residual, %x : tensor<?x4096xbf16>
  %y = fastnorm.rms_norm %s {eps = 1.0e-6 : f32} : tensor<?x4096xbf16> -> tensor<?x4096xbf16>
  return %y, %s : tensor<?x4096xbf16>, tensor<?x4096xbf16>
}
