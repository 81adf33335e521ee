// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="target=h200 until=gpu" 2>/dev/null | FileCheck %s

// Odd rows of aligned operands: the vectors of a row begin as many columns before it as its result begins behind an
// aligned address, and go element by element at its ends. The row lies like its result, so its vectors are aligned, too.
// CHECK-LABEL: gpu.func @odd_rows(
// CHECK-SAME: llvm.align = 16
// CHECK-DAG: %[[PAST_BITS:.+]] = arith.constant 15 : i32
// CHECK-DAG: %[[BYTES:.+]] = arith.constant 2 : i32
// CHECK: %[[PAST:.+]] = arith.andi %{{.+}}, %[[PAST_BITS]] : i32
// CHECK: %[[SHIFT:.+]] = arith.divui %[[PAST]], %[[BYTES]] : i32
// CHECK: %[[FIRST:.+]] = arith.subi %{{.+}}, %[[SHIFT]] : i32
// CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %[[FIRST]],
// CHECK: scf.if %[[INSIDE]] -> (i32, i32, i32, i32, i32, i32, i32, i32)
// CHECK: "ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4+0];"
// CHECK-NOT: ld.global.cs.v4
// CHECK: else
// CHECK-COUNT-8: "@$2 ld.global.cs.u16 $0
// CHECK: scf.if %[[INSIDE]]
// CHECK: "st.global.cs.v4.b32
// CHECK: else
// CHECK-COUNT-8: "@$2 st.global.cs.b16
func.func @odd_rows(%x: tensor<?x4097xbf16>) -> tensor<?x4097xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<?x4097xbf16> -> tensor<?x4097xbf16>
  return %y : tensor<?x4097xbf16>
}

// -----

// Operands that lie anywhere: bases are aligned to an element, and a row is read as the granules that hold its vectors,
// shifted into place, wherever its own place is not the result's.
// CHECK-LABEL: gpu.func @anywhere(
// CHECK-SAME: llvm.align = 2
// CHECK: %[[GOES_ON:.+]] = arith.cmpi ne, %[[PAST:.+]], %
// CHECK: "ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4+0];"
// CHECK: "@$5 ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4+16];"{{.*}}%[[GOES_ON]]
// CHECK: llvm.intr.fshr
func.func @anywhere(%x: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> attributes {fastnorm.alignment = 1 : i64} {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<?x4096xbf16> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// -----

// A row stride that is no multiple of 16 bytes is the same, whatever hidden is.
// CHECK-LABEL: gpu.func @odd_stride(
// CHECK: llvm.intr.fshr
func.func @odd_stride(%x: tensor<?x4096xbf16, #fastnorm.strides<[4097, 1]>>) -> tensor<?x4096xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<?x4096xbf16, #fastnorm.strides<[4097, 1]>> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}
