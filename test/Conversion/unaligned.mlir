// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="target=h200 until=gpu" 2>/dev/null | FileCheck %s

// Odd rows of aligned operands: the vectors of a row begin as many columns before it as its result begins behind an
// aligned address. The row lies like its result, so each of its vectors is one access, and what reaches past an end of the
// row goes element by element, for the loads of both vectors before the first is used. What was not read is zero, which a
// sum of squares may hold: nothing is left out of it. The weight lies by itself: three granules of 8 bytes hold a vector.
// CHECK-LABEL: gpu.func @odd_rows(
// CHECK-SAME: llvm.align = 16
// CHECK-DAG: %[[PAST_BITS:.+]] = arith.constant 15 : i32
// CHECK-DAG: %[[BYTES:.+]] = arith.constant 2 : i32
// CHECK: %[[PAST:.+]] = arith.andi %{{.+}}, %[[PAST_BITS]] : i32
// CHECK: %[[SHIFT:.+]] = arith.divui %[[PAST]], %[[BYTES]] : i32
// CHECK: %[[FIRST:.+]] = arith.subi %{{.+}}, %[[SHIFT]] : i32
// CHECK: %[[INSIDE:.+]] = arith.cmpi sge, %[[FIRST]],
// CHECK: "@$5 ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4+0];"{{.*}}%[[INSIDE]]
// CHECK: "@$5 ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4+2560];"
// CHECK-NOT: ld.global.cs.v4
// CHECK: scf.if %{{.+}} -> (i32, i32, i32, i32) {
// CHECK-COUNT-8: "@$2 ld.global.cs.u16 $0
// CHECK: else
// CHECK-NOT: ld.global
// CHECK: scf.if %{{.+}} -> (i32, i32, i32, i32) {
// CHECK-COUNT-8: "@$2 ld.global.cs.u16 $0
// CHECK: else
// CHECK-NOT: scf.if
// CHECK-NOT: arith.select
// CHECK-COUNT-6: ld.global.v2.b32
// CHECK: gpu.barrier
// CHECK: llvm.intr.fshr
// CHECK: "@$5 st.global.cs.v4.b32 [$0+0]{{.*}}%[[INSIDE]]
// CHECK: scf.if
// CHECK-COUNT-8: "@$2 st.global.cs.b16
// CHECK: "@$5 st.global.cs.v4.b32 [$0+2560]
func.func @odd_rows(%x: tensor<?x2049xbf16>, %weight: tensor<2049xbf16>) -> tensor<?x2049xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x2049xbf16>, tensor<2049xbf16> -> tensor<?x2049xbf16>
  return %y : tensor<?x2049xbf16>
}

// -----

// Where columns that are not in the row would count, here in the squares of distances from a mean but not in the sum
// before, a vector at an end of the row leaves them out.
// CHECK-LABEL: gpu.func @distances(
// CHECK-COUNT-16: "@$2 ld.global.cs.u16 $0
// CHECK-NOT: scf.if {{.*}} -> (f32)
// CHECK: gpu.shuffle
// CHECK: scf.if %{{.+}} -> (f32) {
// CHECK-NOT: arith.select
// CHECK: else
// CHECK-COUNT-8: arith.select
// CHECK: scf.yield
func.func @distances(%x: tensor<?x1025xbf16>) -> tensor<?x1025xbf16> {
  %y = fastnorm.layer_norm %x {eps = 1.0e-5 : f32} : tensor<?x1025xbf16> -> tensor<?x1025xbf16>
  return %y : tensor<?x1025xbf16>
}

// -----

// So would a product with a scalar, which may be infinite.
// CHECK-LABEL: gpu.func @scaled(
// CHECK: scf.if %{{.+}} -> (f32) {
// CHECK: else
// CHECK-COUNT-8: arith.select
func.func @scaled(%x: tensor<?x1025xf32>, %scale: tensor<?xf32>) -> tensor<?xf32> {
  %p = fastnorm.map(%x [row, hidden], %scale [row]) -> [row, hidden] : (tensor<?x1025xf32>, tensor<?xf32>) -> tensor<?x1025xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    fastnorm.yield %r : f32
  }
  %sum = fastnorm.reduce add hidden (%p [row, hidden]) : tensor<?x1025xf32> -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// -----

// Operands that lie anywhere: bases are aligned to an element, and a row is read as the granules of 8 bytes that hold
// its vectors, shifted into place, wherever its own place is not known to be the result's. No granule reaches past an end
// of the row: of the one that would, the elements are read.
// CHECK-LABEL: gpu.func @anywhere(
// CHECK-SAME: llvm.align = 2
// CHECK-DAG: %[[FOUR:.+]] = arith.constant 4 : i32
// CHECK-DAG: %[[SEVEN:.+]] = arith.constant 7 : i32
// CHECK: arith.andi %{{.+}}, %[[SEVEN]] : i32
// CHECK: %[[AMID:.+]] = arith.cmpi sge, %{{.+}}, %[[FOUR]] : i32
// CHECK: "@$3 ld.global.cs.v2.b32 {$0, $1}, [$2+0];"{{.*}}%[[AMID]]
// CHECK: "@$3 ld.global.cs.v2.b32 {$0, $1}, [$2+8];"{{.*}}%[[AMID]]
// CHECK: "@$3 ld.global.cs.v2.b32 {$0, $1}, [$2+16];"{{.*}}%[[AMID]]
// CHECK: scf.if %{{.+}} -> (i32, i32, i32, i32, i32, i32) {
// CHECK-COUNT-3: "@$3 ld.global.cs.v2.b32
// CHECK-COUNT-4: "@$2 ld.global.cs.u16 $0
// CHECK: else
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
