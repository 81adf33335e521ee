// Sums over rows that CTAs add right to the results: a launch before sets those, none behind adds anything up.
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=h200 until=gpu" --split-input-file | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=a100 until=gpu" --split-input-file | FileCheck %s --check-prefixes=CHECK,SM80

// 2048 columns of two results take 8 CTAs each. The first is set to zero, the second to its old sum.
// SM90: gpu.module @sums_kernels attributes {fastnorm.ptx_version = 81 : i64}
// CHECK-LABEL: gpu.func @sums_fill(
// CHECK-SAME: %[[ZEROED:[a-z0-9]+]]: memref<1xf32, 1>, %[[OLD:[a-z0-9]+]]: memref<1xf32, 1>, %[[RESULT:[a-z0-9]+]]: memref<1xf32, 1>)
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<1xf32>
// CHECK: memref.extract_aligned_pointer_as_index %[[ZEROED]]
// CHECK: %[[BITS:.+]] = vector.bitcast %[[ZERO]]
// CHECK: %[[WORD:.+]] = vector.to_elements %[[BITS]]
// CHECK: "@$2 st.global.b32 [$0+0], $1;"{{.*}} %[[WORD]],
// CHECK: memref.extract_aligned_pointer_as_index %[[OLD]]
// CHECK: "@$2 ld.global.b32 $0, [$1+0];"
// CHECK: memref.extract_aligned_pointer_as_index %[[RESULT]]
// CHECK: "@$2 st.global.b32 [$0+0], $1;"
// CHECK: gpu.return

// The kernel has no argument for partials. Groups meet in shared memory; then pieces of 4 columns are added, in one
// instruction where the chip has it.
// CHECK-LABEL: gpu.func @sums(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<1xbf16, 1> {{{[^}]*}}}, %{{[a-z0-9]+}}: memref<1xf32, 1> {{{[^}]*}}}, %[[FIRST:[a-z0-9]+]]: memref<1xf32, 1> {{{[^}]*}}}, %[[SECOND:[a-z0-9]+]]: memref<1xf32, 1> {{{[^}]*}}}, %{{[a-z0-9]+}}: i64)
// CHECK: scf.for
// CHECK: gpu.barrier
// SM90: memref.extract_aligned_pointer_as_index %[[FIRST]]
// SM90: "@$5 red.global.add.v4.f32 [$0+0], {$1, $2, $3, $4};"
// SM90: memref.extract_aligned_pointer_as_index %[[SECOND]]
// SM90: "@$5 red.global.add.v4.f32 [$0+0], {$1, $2, $3, $4};"
// SM80: memref.extract_aligned_pointer_as_index %[[FIRST]]
// SM80: "@$2 red.global.add.f32 [$0+0], $1;"
// SM80: "@$2 red.global.add.f32 [$0+4], $1;"
// SM80: "@$2 red.global.add.f32 [$0+8], $1;"
// SM80: "@$2 red.global.add.f32 [$0+12], $1;"
// SM80: memref.extract_aligned_pointer_as_index %[[SECOND]]
// SM80-COUNT-4: red.global.add.f32
// CHECK: gpu.return
// CHECK-NOT: gpu.func

// CHECK-LABEL: func.func @sums(
// CHECK-DAG: %[[SIXTEEN:.+]] = arith.constant 16 : index
// CHECK-NOT: memref.alloc
// CHECK: gpu.launch_func @sums_kernels::@sums_fill blocks in (%[[SIXTEEN]],
// CHECK-SAME: fastnorm.read_bytes = array<i64: 8192, 0>
// CHECK-SAME: fastnorm.written_bytes = array<i64: 16384, 0>
// CHECK: gpu.launch_func @sums_kernels::@sums blocks
// CHECK-NOT: gpu.launch_func
func.func @sums(%x: tensor<?x2048xbf16>, %old: tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>) {
  %y:2 = fastnorm.kernel "sums" (%a = %x, %o = %old) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 128, rows_per_cta = 2, vector_width = 8, vectors_per_thread = 2, persistent_ctas = 40, accumulate = atomic>}
     : (tensor<?x2048xbf16>, tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>) {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x2048xbf16>) -> tensor<?x2048xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %sum = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x2048xf32> -> tensor<2048xf32>
    %z = fastnorm.map(%o [hidden], %sum [hidden]) -> [hidden] : (tensor<2048xf32>, tensor<2048xf32>) -> tensor<2048xf32> {
    ^bb0(%b: f32, %c: f32):
      %d = arith.addf %c, %b : f32
      fastnorm.yield %d : f32
    }
    fastnorm.yield %sum, %z : tensor<2048xf32>, tensor<2048xf32>
  }
  return %y#0, %y#1 : tensor<2048xf32>, tensor<2048xf32>
}

// -----

// The old sum lies in the result's buffer already. Each thread adds its own columns, of which the last thread's are past
// the row.
// CHECK-NOT: gpu.func @tied_fill
// CHECK-LABEL: gpu.func @tied(
// SM90-COUNT-2: "@$5 red.global.add.v4.f32
// CHECK: gpu.return
// CHECK: func.func @tied(
// CHECK: gpu.launch_func @tied_kernels::@tied
// CHECK-NOT: gpu.launch_func
func.func @tied(%x: tensor<?x504xbf16>, %old: tensor<504xf32> {fastnorm.result = 0 : i64}) -> tensor<504xf32> {
  %y = fastnorm.kernel "tied" (%a = %x, %o = %old) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 64, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 40, accumulate = atomic>}
     : (tensor<?x504xbf16>, tensor<504xf32>) -> tensor<504xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x504xbf16>) -> tensor<?x504xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %sum = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x504xf32> -> tensor<504xf32>
    %z = fastnorm.map(%sum [hidden], %o [hidden]) -> [hidden] : (tensor<504xf32>, tensor<504xf32>) -> tensor<504xf32> {
    ^bb0(%b: f32, %c: f32):
      %d = arith.addf %b, %c : f32
      fastnorm.yield %d : f32
    }
    fastnorm.yield %z : tensor<504xf32>
  }
  return %y : tensor<504xf32>
}
