// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline=until=gpu 2>/dev/null | FileCheck %s

// Column chunks share the grid with rows: 4096 / 8 = 512 vectors are 2 chunks of 256 threads, none of them with a tail.
// CHECK-LABEL: gpu.func @column_chunks(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-DAG: %[[CHUNKS:.+]] = arith.constant 2 : i64
// CHECK: arith.divui %[[CTA:.+]], %[[CHUNKS]]
// CHECK: arith.remui %[[CTA]], %[[CHUNKS]]
// CHECK-COUNT-2: "ld.global.cs.v4.b32
// CHECK: "st.global.cs.v4.b32
// CHECK-NOT: "@
// CHECK: func.func @column_chunks(
// CHECK: %[[ROWS:.+]] = memref.dim
// CHECK: %[[GRID:.+]] = arith.muli %[[ROWS]], %{{.+}} : index
// CHECK: gpu.launch_func @column_chunks_kernels::@column_chunks blocks in (%[[GRID]],
func.func @column_chunks(%r: tensor<?x4096xbf16>, %x: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %s = fastnorm.residual_add %r, %x : tensor<?x4096xbf16>
  return %s : tensor<?x4096xbf16>
}

// -----

// Odd rows too short to be worth shifting: one element at a time, four rows a CTA.
// CHECK-LABEL: gpu.func @odd_rows(
// CHECK: %[[EXISTS:.+]] = arith.cmpi slt
// CHECK-COUNT-2: "ld.global.cs.b32
// CHECK: "@$2 st.global.cs.b32 [$0+0], $1;"{{.*}}, %[[EXISTS]] :
func.func @odd_rows(%r: tensor<?x61xf32>, %x: tensor<?x61xf32>) -> tensor<?x61xf32> {
  %s = fastnorm.residual_add %r, %x : tensor<?x61xf32>
  return %s : tensor<?x61xf32>
}
