// Tiles of rows: persistent CTAs of two_pass read them once for each row reduction, and once more for all results.
// RUN: fastnorm-opt %s --split-input-file --fastnorm-attach-target --fastnorm-name-bindings --convert-fastnorm-to-gpu --canonicalize --cse | FileCheck %s

// 4 warps, 8 rows: each warp sums up two rows by itself. Two sets of sums of 8 rows take 64 bytes; there are no other
// shared memory, no slots, and one barrier a tile.
// CHECK-LABEL: gpu.func @columns(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<1xbf16, 1> {{{[^}]*}}}, %{{[a-z0-9]+}}: memref<1xbf16, 1> {{{[^}]*}}}, %[[DX:[a-z0-9]+]]: memref<1xbf16, 1> {{{[^}]*}}}, %{{[a-z0-9]+}}: memref<1xf32, 1> {{{[^}]*}}}, %[[PARTIALS:[a-z0-9]+]]: memref<1xf32, 1> {{{[^}]*}}}, %[[ROWS:[a-z0-9]+]]: i64)
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK-NOT: workgroup(
// As few rounds of 8 rows a CTA as there must be, and tiles as low as these leave them.
// CHECK: %[[GRID:.+]] = gpu.grid_dim
// CHECK: %[[NARROW:.+]] = arith.index_cast %[[GRID]]
// CHECK: %[[CTAS:.+]] = arith.extui %[[NARROW]]
// CHECK: %[[AT_ONCE:.+]] = arith.muli %[[CTAS]], %{{.+}} : i64
// CHECK: %[[ROUNDED:.+]] = arith.addi %[[ROWS]], %[[AT_ONCE]]
// CHECK: %[[LESS:.+]] = arith.subi %[[ROUNDED]]
// CHECK: %[[ROUNDS:.+]] = arith.divui %[[LESS]], %[[AT_ONCE]]
// CHECK: %[[TILES:.+]] = arith.muli %[[CTAS]], %[[ROUNDS]]
// CHECK: %[[HEIGHT:.+]] = arith.divui %{{.+}}, %[[TILES]]
// The loop over tiles.
// CHECK: scf.for %[[TILE:.+]] = %{{.+}} to %{{.+}} step
// CHECK: %[[FIRST:.+]] = arith.muli %{{.+}}, %[[HEIGHT]]
// CHECK: %[[LEFT:.+]] = arith.subi %[[ROWS]], %[[FIRST]]
// CHECK: %[[FEWER:.+]] = arith.minsi %[[LEFT]], %[[HEIGHT]]
// CHECK: %[[COUNT:.+]] = arith.maxsi %[[FEWER]]
// The reduction pass: a row, its pieces of 32 x 8 columns, a sum. Lines stay in the L2. The weight is not needed.
// CHECK: scf.for %{{.+}} to %[[COUNT]] step
// CHECK: scf.for {{.*}} -> (f32)
// CHECK: "ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: scf.yield
// CHECK-COUNT-5: gpu.shuffle
// CHECK: scf.if
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// The output pass: two chunks of 1024 columns. What the CTA's tiles before have left is read, save by the first.
// CHECK: scf.for %[[CHUNK:.+]] = %{{.+}} to %{{.+}} step
// CHECK: %[[LATER:.+]] = arith.cmpi ne, %[[TILE]]
// CHECK: memref.extract_aligned_pointer_as_index %[[PARTIALS]]
// CHECK-COUNT-2: "@$5 ld.global.v4.b32
// CHECK: ld.global.nc.v4.b32
// CHECK: scf.for %{{.+}} to %[[COUNT]] step %{{.+}} iter_args(%[[SUM:.+]] = %{{.+}}) -> (vector<8xf32>)
// CHECK: "ld.global.cs.v4.b32
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK: arith.addf %[[SUM]]
// CHECK: st.global.cs.v4.b32
// CHECK: scf.yield
// CHECK-COUNT-2: "st.global.v4.b32
// CHECK: gpu.return

// 10 CTAs at most, however few rows; a set has two chunks.
// CHECK-LABEL: func.func @columns(
// CHECK-DAG: %[[TEN:.+]] = arith.constant 10 : index
// CHECK: %[[ALL:.+]] = memref.dim
// CHECK: %[[MOST:.+]] = arith.minui %[[ALL]], %[[TEN]]
// CHECK: memref.alloc(%[[MOST]]) : memref<?x2x1x1024xf32, 1>
// CHECK: gpu.launch_func @columns_kernels::@columns {{.*}} dynamic_shared_memory_size %{{.+}}
// CHECK: gpu.launch_func @columns_kernels::@columns_finalize
// CHECK-NOT: gpu.launch_func
func.func @columns(%x: tensor<?x2048xbf16>, %weight: tensor<2048xbf16>) -> (tensor<?x2048xbf16>, tensor<2048xf32>) {
  %dx, %dw = fastnorm.kernel "columns" (%a = %x, %w = %weight) {schedule = #fastnorm.schedule<kind = two_pass, scope = cta,
      threads_per_row = 128, rows_per_cta = 8, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 10>}
     : (tensor<?x2048xbf16>, tensor<2048xbf16>) -> (tensor<?x2048xbf16>, tensor<2048xf32>) {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x2048xbf16>) -> tensor<?x2048xf32> {
    ^bb0(%l: bf16):
      %lf = arith.extf %l : bf16 to f32
      fastnorm.yield %lf : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x2048xf32> -> tensor<?xf32>
    %dw = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x2048xf32> -> tensor<2048xf32>
    %dx = fastnorm.map(%wide [row, hidden], %sum [row], %w [hidden]) -> [row, hidden]
        : (tensor<?x2048xf32>, tensor<?xf32>, tensor<2048xbf16>) -> tensor<?x2048xbf16> {
    ^bb0(%p: f32, %t: f32, %v: bf16):
      %vf = arith.extf %v : bf16 to f32
      %q = arith.subf %p, %t : f32
      %r = arith.mulf %q, %vf : f32
      %n = arith.truncf %r : f32 to bf16
      fastnorm.yield %n : bf16
    }
    fastnorm.yield %dx, %dw : tensor<?x2048xbf16>, tensor<2048xf32>
  }
  return %dx, %dw : tensor<?x2048xbf16>, tensor<2048xf32>
}

// -----

// Two CTAs of a cluster, whose 4 warps share the rows of a tile of 2 in pairs: 4 parts of a row, which lanes store to
// both CTAs, and which the warps add up behind the cluster's barrier, for another barrier. Sums of columns lie in shared
// memory from the start, and leave it behind the last tile.
// CHECK-LABEL: gpu.func @shared(
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: scf.for
// CHECK-COUNT-2: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: scf.for
// CHECK: nvvm.mapa
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<7>
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: scf.for
// CHECK-COUNT-5: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: scf.for {{.*}} -> (vector<8xf32>)
// CHECK-COUNT-2: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: scf.for
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-2: "st.global.v4.b32
// CHECK-NOT: nvvm.cluster
// CHECK: gpu.return
func.func @shared(%x: tensor<?x4096xbf16>) -> (tensor<?x4096xbf16>, tensor<4096xf32>) {
  %dx, %dw = fastnorm.kernel "shared" (%a = %x) {schedule = #fastnorm.schedule<kind = two_pass, scope = cluster, ctas_per_row = 2,
      threads_per_row = 128, rows_per_cta = 2, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 10,
      accumulators = shared>}
     : (tensor<?x4096xbf16>) -> (tensor<?x4096xbf16>, tensor<4096xf32>) {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x4096xbf16>) -> tensor<?x4096xf32> {
    ^bb0(%l: bf16):
      %lf = arith.extf %l : bf16 to f32
      fastnorm.yield %lf : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x4096xf32> -> tensor<?xf32>
    %dw = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x4096xf32> -> tensor<4096xf32>
    %dx = fastnorm.map(%wide [row, hidden], %sum [row]) -> [row, hidden]
        : (tensor<?x4096xf32>, tensor<?xf32>) -> tensor<?x4096xbf16> {
    ^bb0(%p: f32, %t: f32):
      %q = arith.subf %p, %t : f32
      %n = arith.truncf %q : f32 to bf16
      fastnorm.yield %n : bf16
    }
    fastnorm.yield %dx, %dw : tensor<?x4096xbf16>, tensor<4096xf32>
  }
  return %dx, %dw : tensor<?x4096xbf16>, tensor<4096xf32>
}
