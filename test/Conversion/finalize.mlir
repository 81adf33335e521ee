// Sums over rows: persistent CTAs leave sets of partials, and a launch of its own adds them up.
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=h200 until=gpu" --split-input-file | FileCheck %s

// A lane of a warp has one of 8 pieces of 4 columns, of every fourth of the warp's sets; four loads are in flight. Lanes 8
// and 16 apart have the same piece, and then the 8 warps meet in shared memory, 36 f32 each. What follows the sum runs
// here: the old gradient is added where the new one is stored.
// CHECK-LABEL: gpu.func @sums_finalize(
// CHECK-SAME: %[[OLD:[a-z0-9]+]]: memref<1xf32, 1>, %[[RESULT:[a-z0-9]+]]: memref<1xbf16, 1>, %[[PARTIALS:[a-z0-9]+]]: memref<1xf32, 1>, %[[SETS:[a-z0-9]+]]: i64) workgroup(%{{.+}} : memref<288xf32, 3>
// CHECK: scf.for %{{.+}} = %{{.+}} to %[[SETS]] step %{{.+}} iter_args(%{{.+}} = %{{.+}}) -> (vector<4xf32>)
// CHECK: memref.extract_aligned_pointer_as_index %[[PARTIALS]]
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-COUNT-4: arith.addf {{.*}} vector<4xf32>
// CHECK-COUNT-8: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: memref.extract_aligned_pointer_as_index %[[OLD]]
// CHECK: "@$2 ld.global.b32 $0, [$1+0];"
// CHECK-COUNT-8: memref.load
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: arith.truncf
// CHECK: "@$2 st.global.b16
// CHECK: gpu.return

// As many sets as the rows leave work for, up to the schedule's 40 CTAs, 20 clusters, have room, whatever the SM limit. The grid
// and the sets that are read follow it: 3 CTAs a multiprocessor, but one cluster at least.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[LIMIT:[a-z0-9]+]]: index {fastnorm.name = "sm_limit"})
// CHECK-DAG: %[[TWENTY:.+]] = arith.constant 20 : index
// CHECK-DAG: %[[TWO:.+]] = arith.constant 2 : index
// CHECK-DAG: %[[THREE:.+]] = arith.constant 3 : index
// CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : index
// CHECK: %[[ROWS:.+]] = memref.dim
// CHECK: %[[TURNS:.+]] = arith.ceildivui %[[ROWS]], %[[TWO]]
// CHECK: %[[ROOM:.+]] = arith.minui %[[TURNS]], %[[TWENTY]]
// CHECK: memref.alloc(%[[ROOM]]) : memref<?x2x1x1024xf32, 1>
// CHECK: %[[CTAS:.+]] = arith.muli %[[LIMIT]], %[[THREE]]
// CHECK: %[[CLUSTERS:.+]] = arith.divui %[[CTAS]], %[[TWO]]
// CHECK: %[[MOST:.+]] = arith.maxui %[[CLUSTERS]], %[[ONE]]
// CHECK: %[[USED:.+]] = arith.minui %[[ROOM]], %[[MOST]]
// CHECK: %[[GRID:.+]] = arith.muli %[[USED]], %[[TWO]]
// CHECK: gpu.launch_func @sums_kernels::@sums clusters in {{.*}} blocks in (%[[GRID]],
// CHECK-SAME: fastnorm.read_bytes = array<i64: 0, 4096>
// CHECK-SAME: fastnorm.written_bytes = array<i64: 0, 0>
// CHECK: %[[SETS:.+]] = arith.index_cast %[[USED]]
// CHECK: gpu.launch_func @sums_kernels::@sums_finalize blocks in (%{{.+}}, %[[ONE]], %[[ONE]]) threads in (%{{.+}}, {{.*}}%[[SETS]] : i64)
// CHECK-SAME: fastnorm.read_bytes = array<i64: 8192, 0>
// CHECK-SAME: fastnorm.written_bytes = array<i64: 4096, 0>
func.func @sums(%x: tensor<?x2048xbf16>, %old: tensor<2048xf32>) -> tensor<2048xbf16> {
  %y = fastnorm.kernel "sums" (%a = %x, %o = %old) {schedule = #fastnorm.schedule<kind = per_row, scope = cluster,
      threads_per_row = 64, rows_per_cta = 2, ctas_per_row = 2, vector_width = 8, vectors_per_thread = 2, min_ctas = 3,
      persistent_ctas = 40>} : (tensor<?x2048xbf16>, tensor<2048xf32>) -> tensor<2048xbf16> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x2048xbf16>) -> tensor<?x2048xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %sum = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x2048xf32> -> tensor<2048xf32>
    %z = fastnorm.map(%sum [hidden], %o [hidden]) -> [hidden] : (tensor<2048xf32>, tensor<2048xf32>) -> tensor<2048xbf16> {
    ^bb0(%b: f32, %c: f32):
      %d = arith.addf %b, %c : f32
      %e = arith.truncf %d : f32 to bf16
      fastnorm.yield %e : bf16
    }
    fastnorm.yield %z : tensor<2048xbf16>
  }
  return %y : tensor<2048xbf16>
}

// -----

// Past 1024 sets a first launch leaves one set for each 256 of them: 5 of 1056. Of static rows the room is known.
// CHECK-LABEL: gpu.func @most_finalize_0(
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @most_finalize_1(
// CHECK: arith.maximumf
// CHECK: gpu.return
// CHECK-LABEL: func.func @most(
// CHECK-DAG: %[[FIVE:.+]] = arith.constant 5 : i64
// CHECK: %[[SETS:.+]] = memref.alloc() : memref<1056x1x1x64xf32, 1>
// CHECK: %[[ALL:.+]] = memref.reinterpret_cast %[[SETS]]
// CHECK: %[[FEWER:.+]] = memref.alloc() : memref<5x1x1x64xf32, 1>
// CHECK: %[[FEW:.+]] = memref.reinterpret_cast %[[FEWER]]
// CHECK: gpu.launch_func @most_kernels::@most_finalize_0 {{.*}} args(%[[ALL]] : memref<1xf32, 1>, %[[FEW]] : memref<1xf32, 1>, %{{.+}} : i64)
// CHECK: gpu.launch_func @most_kernels::@most_finalize_1 {{.*}} args(%{{.+}} : memref<1xf32, 1>, %[[FEW]] : memref<1xf32, 1>, %[[FIVE]] : i64)
func.func @most(%x: tensor<5000x64xf32>) -> tensor<64xf32> {
  %y = fastnorm.kernel "most" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 16,
      rows_per_cta = 4, vector_width = 4, vectors_per_thread = 1, persistent_ctas = 1056>}
     : (tensor<5000x64xf32>) -> tensor<64xf32> {
    %most = fastnorm.reduce max row (%a [row, hidden]) : tensor<5000x64xf32> -> tensor<64xf32>
    fastnorm.yield %most : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}
