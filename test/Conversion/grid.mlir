// A row split over the CTAs of a grid: a launch per phase, since CTAs of a grid cannot wait for one another. Their sums
// pass in global memory, [rows, 2 reductions, 4 CTAs] f32.
// RUN: fastnorm-opt %s --fastnorm-attach-target=target=a100 --fastnorm-name-bindings --convert-fastnorm-to-gpu --canonicalize --cse | FileCheck %s

// The first launch leaves a sum per CTA: the first thread stores it at (row x 2 + 0) x 4 + CTA, of 4 bytes each.
// CHECK-LABEL: gpu.func @centred_statistics_0(
// CHECK-SAME: %{{.+}}: memref<1xbf16, 1> {{{.*}}}, %{{.+}}: memref<1xf32, 1> {{{.*}}}, %[[PARTIALS:.+]]: memref<1xf32, 1>
// CHECK-DAG: %[[ROW_BYTES:.+]] = arith.constant 32 : i64
// CHECK: memref.extract_aligned_pointer_as_index %[[PARTIALS]]
// CHECK: arith.muli %{{.+}}, %[[ROW_BYTES]]
// CHECK: "ld.global.v2.b32
// CHECK: gpu.barrier
// CHECK: llvm.inline_asm has_side_effects "@$2 st.global.b32 [$0+0], $1;"
// CHECK-NOT: st.global
// CHECK: gpu.return

// The second combines them, reads its columns again and leaves the second reduction's, 16 bytes on.
// CHECK-LABEL: gpu.func @centred_statistics_1(
// CHECK: "ld.global.v2.b32
// CHECK: "@$2 ld.global.b32 $0, [$1+0];"
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: "@$2 st.global.b32 [$0+16], $1;"
// CHECK-NOT: st.global
// CHECK: gpu.return

// The last combines both and stores; it reduces nothing.
// CHECK-LABEL: gpu.func @centred(
// CHECK: "ld.global.cs.v2.b32
// CHECK: "@$2 ld.global.b32 $0, [$1+0];"
// CHECK: "@$2 ld.global.b32 $0, [$1+16];"
// CHECK-NOT: gpu.barrier
// CHECK: st.global.cs
// CHECK: gpu.return

// CHECK-LABEL: func.func @centred(
// CHECK: %[[SUMS:.+]] = memref.alloc(%{{.+}}) : memref<?x2x4xf32, 1>
// CHECK: %[[VIEW:.+]] = memref.reinterpret_cast %[[SUMS]]
// CHECK: gpu.launch_func @centred_kernels::@centred_statistics_0 blocks in {{.*}} args({{.*}}, %[[VIEW]] : {{.*}}fastnorm.written_bytes = array<i64: 0, 16>
// CHECK: gpu.launch_func @centred_kernels::@centred_statistics_1 blocks in {{.*}} args({{.*}}, %[[VIEW]] : {{.*}}fastnorm.read_bytes = array<i64: 0, 4112>
// CHECK: gpu.launch_func @centred_kernels::@centred blocks in {{.*}} args({{.*}}, %[[VIEW]] : {{.*}}fastnorm.read_bytes = array<i64: 0, 4128>
func.func @centred(%x: tensor<?x2048xbf16>) -> tensor<?x2048xf32> {
  %y = fastnorm.kernel "centred" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = grid,
      threads_per_row = 128, ctas_per_row = 4, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x2048xbf16>) -> tensor<?x2048xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x2048xbf16>) -> tensor<?x2048xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x2048xf32> -> tensor<?xf32>
    %shifted = fastnorm.map(%a [row, hidden], %sum [row]) -> [row, hidden]
        : (tensor<?x2048xbf16>, tensor<?xf32>) -> tensor<?x2048xf32> {
    ^bb0(%b: bf16, %s: f32):
      %c = arith.extf %b : bf16 to f32
      %d = arith.subf %c, %s : f32
      fastnorm.yield %d : f32
    }
    %max = fastnorm.reduce max hidden (%shifted [row, hidden]) : tensor<?x2048xf32> -> tensor<?xf32>
    %s = fastnorm.map(%shifted [row, hidden], %max [row]) -> [row, hidden]
        : (tensor<?x2048xf32>, tensor<?xf32>) -> tensor<?x2048xf32> {
    ^bb0(%b: f32, %m: f32):
      %d = arith.subf %b, %m : f32
      fastnorm.yield %d : f32
    }
    fastnorm.yield %s : tensor<?x2048xf32>
  }
  return %y : tensor<?x2048xf32>
}
