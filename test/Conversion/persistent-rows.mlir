// CTAs that walk over many rows: row groups, a ring of asynchronous copies, sums of columns, an exchange in a cluster.
// RUN: fastnorm-opt %s --split-input-file --fastnorm-attach-target --fastnorm-name-bindings --convert-fastnorm-to-gpu --canonicalize --cse | FileCheck %s
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline=until=ptx | FileCheck %s --check-prefix=PTX

// 3 groups of 2 warps, each with a ring of 2 stages of both inputs' rows, 2 x 1024 bytes; barriers take the first 128
// bytes. Slots: 3 groups x 2 sets x 4 floats.
// CHECK-LABEL: gpu.module @columns_kernels attributes {fastnorm.ptx_version = 80 : i64}
// CHECK: llvm.mlir.global external @dynamic_shared_memory() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
// CHECK: gpu.func @columns(
// CHECK-SAME: %[[ROWS:.+]]: i64) workgroup(%[[SLOTS:.+]] : memref<24xf32, 3>
// CHECK-SAME: known_block_size = array<i32: 192, 1, 1>
// Group g of CTA c of n has rows (3k + g)n + c.
// CHECK: %[[GROUP:.+]] = arith.divui %{{.+}}, %{{.+}} : i64
// CHECK: %[[LANE:.+]] = arith.remui
// CHECK: %[[STEP:.+]] = arith.muli
// CHECK: %[[GROUP_FIRST:.+]] = arith.muli %[[GROUP]], %{{.+}} : i64
// CHECK: %[[FIRST:.+]] = arith.addi %[[GROUP_FIRST]]
// CHECK: %[[COUNT:.+]] = arith.select
// CHECK: %[[LANE_OF_RING:.+]] = arith.trunci %[[LANE]]
// CHECK: %[[IS_FIRST:.+]] = arith.cmpi eq, %[[LANE_OF_RING]]
// The first thread of a group readies its barriers and asks for the first row. What is kept, the row's scalar and the
// CTA's barrier follow, then the other stage.
// CHECK: scf.if %[[IS_FIRST]]
// CHECK-COUNT-2: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.fence.proxy
// CHECK: mbarrier.arrive.expect_tx
// CHECK-COUNT-2: cp.async.bulk
// CHECK: ld.global.nc.v4.b32
// CHECK: ld.global.nc.b32
// CHECK: gpu.barrier
// CHECK: mbarrier.arrive.expect_tx
// CHECK-COUNT-2: cp.async.bulk
// CHECK-NOT: cp.async.bulk
// CHECK: scf.for %[[NUMBER:.+]] = %{{.+}} to %[[COUNT]] step %{{.+}} iter_args(%[[ROW:.+]] = %[[FIRST]], %[[STAGE:.+]] = %{{.+}}, %[[PARITY:.+]] = %{{.+}}, %[[SCALE:.+]] = %{{.+}}, %[[SUM:.+]] = %{{.+}}) -> (i64, i32, i32, f32, vector<8xf32>)
// The next row's scalar is asked for before the wait.
// CHECK: ld.global.nc.b32
// CHECK: nvvm.mbarrier.try_wait.parity %{{.+}}, %[[PARITY]]
// CHECK-COUNT-2: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// Columns are brought up to date, and stay so, before the threads of the group meet.
// CHECK: arith.addf %[[SUM]], %{{.+}} : vector<8xf32>
// CHECK: llvm.inline_asm has_side_effects ""
// CHECK-COUNT-5: gpu.shuffle
// CHECK: memref.store %{{.+}}, %[[SLOTS]]
// CHECK: %[[BARRIER:.+]] = arith.addi
// CHECK-NEXT: nvvm.barrier id = %[[BARRIER]] number_of_threads = %{{.+}}
// CHECK-NOT: nvvm.barrier
// CHECK: vector.load %[[SLOTS]]
// Only behind that barrier the stage is filled again, for two rows on.
// CHECK: mbarrier.arrive.expect_tx
// CHECK-COUNT-2: cp.async.bulk
// The weight was kept packed.
// CHECK: llvm.inline_asm has_side_effects ""
// CHECK: st.global.cs.v4.b32
// CHECK: scf.yield
// The groups' sums meet in shared memory, in the order of groups.
// CHECK: gpu.barrier
// CHECK-COUNT-2: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-COUNT-3: llvm.load {{.*}} -> vector<4xi32>
// CHECK: st.global.v4.b32
// CHECK: gpu.return

// PTX-LABEL: .version 8.0
// PTX: .extern .shared .align 128 .b8 dynamic_shared_memory[];
// PTX: .entry columns(
// PTX: mbarrier.try_wait.parity.shared.b64
// PTX: bar.sync {{.*}}%r{{[0-9]+}}, 64;
func.func @columns(%dy: tensor<?x512xbf16>, %x: tensor<?x512xbf16>, %scale: tensor<?xf32>, %weight: tensor<512xbf16>) -> (tensor<?x512xbf16>, tensor<512xf32>) {
  %dx, %dw = fastnorm.kernel "columns" (%a = %dy, %b = %x, %s = %scale, %w = %weight) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 64, rows_per_cta = 3, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 20, stages = 2>}
     : (tensor<?x512xbf16>, tensor<?x512xbf16>, tensor<?xf32>, tensor<512xbf16>) -> (tensor<?x512xbf16>, tensor<512xf32>) {
    %product = fastnorm.map(%a [row, hidden], %b [row, hidden], %s [row]) -> [row, hidden]
        : (tensor<?x512xbf16>, tensor<?x512xbf16>, tensor<?xf32>) -> tensor<?x512xf32> {
    ^bb0(%l: bf16, %r: bf16, %t: f32):
      %lf = arith.extf %l : bf16 to f32
      %rf = arith.extf %r : bf16 to f32
      %p = arith.mulf %lf, %rf : f32
      %q = arith.mulf %p, %t : f32
      fastnorm.yield %q : f32
    }
    %sum = fastnorm.reduce add hidden (%product [row, hidden]) : tensor<?x512xf32> -> tensor<?xf32>
    %dw = fastnorm.reduce add row (%product [row, hidden]) : tensor<?x512xf32> -> tensor<512xf32>
    %dx = fastnorm.map(%product [row, hidden], %sum [row], %w [hidden]) -> [row, hidden]
        : (tensor<?x512xf32>, tensor<?xf32>, tensor<512xbf16>) -> tensor<?x512xbf16> {
    ^bb0(%p: f32, %t: f32, %v: bf16):
      %vf = arith.extf %v : bf16 to f32
      %q = arith.subf %p, %t : f32
      %r = arith.mulf %q, %vf : f32
      %n = arith.truncf %r : f32 to bf16
      fastnorm.yield %n : bf16
    }
    fastnorm.yield %dx, %dw : tensor<?x512xbf16>, tensor<512xf32>
  }
  return %dx, %dw : tensor<?x512xbf16>, tensor<512xf32>
}

// -----

// 2 row groups in each of 2 CTAs of a cluster: barriers of the ring, 2 x 2, and of the exchange, 2 x 2. The warps' sums
// of a row are 2 x 2 floats of 4 bytes. The cluster waits once for barriers to be ready, never in the loop.
// CHECK-LABEL: gpu.module @exchange_kernels attributes {fastnorm.ptx_version = 81 : i64}
// CHECK: gpu.func @exchange(
// CHECK-SAME: workgroup(%[[SLOTS:.+]] : memref<16xf32, 3>
// CHECK: %[[SUM_BYTES:.+]] = arith.constant 16 : i32
// CHECK-COUNT-2: mapa.shared::cluster.u32
// CHECK: scf.if
// CHECK-COUNT-4: nvvm.mbarrier.init
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-NOT: nvvm.cluster
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-5: gpu.shuffle
// CHECK: scf.if
// CHECK: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: scf.if
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 {{.*}} %[[SUM_BYTES]] :
// CHECK: vector.load %[[SLOTS]]
// CHECK: cp.async.bulk
// CHECK: scf.yield
// CHECK-NOT: nvvm.cluster
// CHECK: gpu.return

// PTX-LABEL: .version 8.1
// PTX: .entry exchange(
func.func @exchange(%x: tensor<?x1024xbf16>) -> tensor<?x1024xbf16> {
  %y = fastnorm.kernel "exchange" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 64,
      rows_per_cta = 2, ctas_per_row = 2, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 20, stages = 2>}
     : (tensor<?x1024xbf16>) -> tensor<?x1024xbf16> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%l: bf16):
      %lf = arith.extf %l : bf16 to f32
      fastnorm.yield %lf : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %y = fastnorm.map(%wide [row, hidden], %sum [row]) -> [row, hidden] : (tensor<?x1024xf32>, tensor<?xf32>) -> tensor<?x1024xbf16> {
    ^bb0(%l: f32, %s: f32):
      %d = arith.subf %l, %s : f32
      %n = arith.truncf %d : f32 to bf16
      fastnorm.yield %n : bf16
    }
    fastnorm.yield %y : tensor<?x1024xbf16>
  }
  return %y : tensor<?x1024xbf16>
}

// -----

// Without stages rows go to registers. Lanes that share a warp walk as far as the first of its rows, and those past the
// last row add nothing.
// CHECK-LABEL: gpu.module @lanes_kernels {
// CHECK: gpu.func @lanes(
// CHECK-NOT: mbarrier
// CHECK: scf.for
// CHECK: %[[EXISTS:.+]] = arith.cmpi slt, %{{.+}}, %{{.+}} : i64
// CHECK: ld.global.cs.v4.b32
// CHECK: arith.select %[[EXISTS]], %{{.+}}, %{{.+}} : vector<8xf32>
// CHECK: scf.yield

// PTX-LABEL: .version 7.8
// PTX: .entry lanes(
func.func @lanes(%x: tensor<?x64xbf16>) -> tensor<64xf32> {
  %y = fastnorm.kernel "lanes" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 8,
      rows_per_cta = 16, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 20>}
     : (tensor<?x64xbf16>) -> tensor<64xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x64xbf16>) -> tensor<?x64xf32> {
    ^bb0(%l: bf16):
      %lf = arith.extf %l : bf16 to f32
      fastnorm.yield %lf : f32
    }
    %sum = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x64xf32> -> tensor<64xf32>
    fastnorm.yield %sum : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}

// -----

// Threads that copy what they read: no barriers of shared memory, no thread that copies for others. Every turn closes one group of
// copies, and the oldest of 2 is the one that is waited for. Vector 1 of a thread is inside of the row for columns below 40; past them
// nothing is read and zeros come.
// CHECK-LABEL: gpu.module @by_thread_kernels {
// CHECK: gpu.func @by_thread(
// CHECK-NOT: mbarrier
// CHECK: scf.if
// CHECK: cp.async.cg.shared.global [$0+0], [$1+0], 16;
// CHECK: arith.select %{{.+}}, %{{.+}}, %{{.+}} : i32
// CHECK: cp.async.cg.shared.global [$0+0], [$1+512], 16, $2;
// CHECK: cp.async.commit_group;
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK: cp.async.commit_group;
// CHECK: scf.for
// CHECK: cp.async.wait_group 1;
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<4xi32>
// CHECK: cp.async.cg.shared.global [$0+0], [$1+0], 16;
// CHECK: cp.async.commit_group;
// CHECK: scf.yield

// PTX-LABEL: .version 7.0
// PTX: .entry by_thread(
module attributes {fastnorm.target = #fastnorm.target<name = "a100", chip = "sm_80", ptx = 70, multiprocessors = 108, registers = 65536,
    shared_bytes = 166912, threads = 2048, ctas = 32, bandwidth = 2039, l2_bytes = 41943040>} {
  func.func @by_thread(%x: tensor<?x296xbf16>) -> tensor<296xf32> {
    %y = fastnorm.kernel "by_thread" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32,
        rows_per_cta = 1, vector_width = 8, vectors_per_thread = 2, persistent_ctas = 20, stages = 2, copies = by_thread>}
       : (tensor<?x296xbf16>) -> tensor<296xf32> {
      %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x296xbf16>) -> tensor<?x296xf32> {
      ^bb0(%l: bf16):
        %lf = arith.extf %l : bf16 to f32
        fastnorm.yield %lf : f32
      }
      %sum = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x296xf32> -> tensor<296xf32>
      fastnorm.yield %sum : tensor<296xf32>
    }
    return %y : tensor<296xf32>
  }
}

// -----

// Over a grid each launch walks over the rows once. The first leaves row sums, and the column sums of its phase; the second reads rows
// again. Slots have two sets.
// CHECK-LABEL: gpu.func @grid_statistics(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<1xbf16, 1> {{{[^}]*}}}, %{{[a-z0-9]+}}: memref<1xbf16, 1> {{{[^}]*}}}, %{{[a-z0-9]+}}: memref<1xf32, 1> {{{[^}]*}}}, %[[ROW_SUMS:[a-z0-9]+]]: memref<1xf32, 1> {{{[^}]*}}}, %[[COLUMN_SUMS:[a-z0-9]+]]: memref<1xf32, 1>
// CHECK-SAME: workgroup(%{{.+}} : memref<8xf32, 3>
// CHECK: scf.for {{.*}} -> (i64, vector<8xf32>)
// CHECK: memref.extract_aligned_pointer_as_index %[[X]]
// CHECK: ld.global.v4.b32
// CHECK: gpu.barrier
// CHECK: st.global.b32
// CHECK: scf.yield
// CHECK: memref.extract_aligned_pointer_as_index %[[COLUMN_SUMS]]
// CHECK: st.global.v4.b32
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @grid(
// CHECK: scf.for
// CHECK: ld.global.cs.v4.b32
// CHECK: ld.global.b32
// CHECK: st.global.cs.v4.b32
// CHECK: scf.yield
// CHECK-NOT: st.global
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @grid_finalize(
// CHECK-LABEL: func.func @grid(
// CHECK: gpu.launch_func @grid_kernels::@grid_statistics
// CHECK: gpu.launch_func @grid_kernels::@grid blocks
// CHECK: gpu.launch_func @grid_kernels::@grid_finalize

// PTX-LABEL: .entry grid_statistics(
func.func @grid(%x: tensor<?x1024xbf16>) -> (tensor<?x1024xbf16>, tensor<1024xf32>) {
  %y, %s = fastnorm.kernel "grid" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = grid, threads_per_row = 64,
      ctas_per_row = 2, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 20>}
     : (tensor<?x1024xbf16>) -> (tensor<?x1024xbf16>, tensor<1024xf32>) {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%l: bf16):
      %lf = arith.extf %l : bf16 to f32
      fastnorm.yield %lf : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %y = fastnorm.map(%wide [row, hidden], %sum [row]) -> [row, hidden] : (tensor<?x1024xf32>, tensor<?xf32>) -> tensor<?x1024xbf16> {
    ^bb0(%l: f32, %s: f32):
      %d = arith.subf %l, %s : f32
      %n = arith.truncf %d : f32 to bf16
      fastnorm.yield %n : bf16
    }
    %columns = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<1024xf32>
    fastnorm.yield %y, %columns : tensor<?x1024xbf16>, tensor<1024xf32>
  }
  return %y, %s : tensor<?x1024xbf16>, tensor<1024xf32>
}
