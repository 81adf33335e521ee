// Rows that go where an index says.
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="target=h200 until=gpu" 2>/dev/null | FileCheck %s

// One pass: all slots' rows are asked for first; then each slot's sum over hidden goes on and its row is stored, unless it
// is dropped; the sums of both slots share a barrier, and the first thread stores them at once. One number says how many
// rows both tables have.
// CHECK-LABEL: gpu.func @one_pass(
// CHECK-SAME: %[[TABLE_ROWS:[a-z0-9]+]]: i64) workgroup
// CHECK-DAG: %[[FIRST:.+]] = arith.cmpi ult, %{{.+}}, %[[TABLE_ROWS]]
// CHECK-DAG: %[[SECOND:.+]] = arith.cmpi ult, %{{.+}}, %[[TABLE_ROWS]]
// CHECK-COUNT-2: "@$5 ld.global.cs.v4.b32
// CHECK: "ld.global.cs.v4.b32
// CHECK-NOT: ld.global
// CHECK: "@$5 st.global.cs.v4.b32 [$0+0], {$1, $2, $3, $4};"
// CHECK-NOT: ld.global
// CHECK: "@$5 st.global.cs.v4.b32 [$0+0], {$1, $2, $3, $4};"
// CHECK-COUNT-10: gpu.shuffle
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// The first warp adds up what warps left; the others are done.
// CHECK: %[[IS_FIRST_WARP:.+]] = arith.cmpi ult, %{{.+}}, %c32_i64
// CHECK: scf.if %[[IS_FIRST_WARP]]
// CHECK: arith.select %{{.+}}, %{{.+}}, %{{.+}} : f32
// CHECK: "@$3 st.global.v2.b32 [$0+0], {$1, $2};"
// CHECK: gpu.return
// CHECK: func.func @one_pass(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK: gpu.module @one_pass_0_kernels
func.func @one_pass(%dy: tensor<?x3072xbf16>, %index: tensor<?x2xi64>, %rows: tensor<?x3072xbf16>, %gate: tensor<?x2xf32>)
    -> (tensor<?x3072xbf16>, tensor<?x2xf32>) {
  %r, %g = fastnorm.combine_backward %dy[%index] index_map(bijective) expert_rows(%rows) gate(%gate)
    : tensor<?x3072xbf16>, tensor<?x2xi64>, tensor<?x3072xbf16>, tensor<?x2xf32> -> expert_rows(tensor<?x3072xbf16>) gate(tensor<?x2xf32>)
  return %r, %g : tensor<?x3072xbf16>, tensor<?x2xf32>
}

// -----

// 16 slots, of which 8 are in flight: the next group is asked for when one was added and stored.
// CHECK-LABEL: gpu.func @groups_of_slots(
// CHECK-COUNT-8: "@$5 ld.global.cs.v4.b32
// CHECK-COUNT-4: "@$5 st.global.cs.v4.b32
// CHECK-NOT: st.global
// CHECK-COUNT-4: "@$5 ld.global.cs.v4.b32
// CHECK-COUNT-4: "@$5 st.global.cs.v4.b32
// CHECK-NOT: st.global
// CHECK-COUNT-4: "@$5 ld.global.cs.v4.b32
// CHECK-COUNT-8: "@$5 st.global.cs.v4.b32
// CHECK: gpu.return
func.func @groups_of_slots(%dy: tensor<?x1024xbf16>, %index: tensor<?x16xi64>, %rows: tensor<?x1024xbf16>, %gate: tensor<?x16xf32>)
    -> (tensor<?x1024xbf16>, tensor<?x16xf32>) {
  %r, %g = fastnorm.combine_backward %dy[%index] index_map(bijective) expert_rows(%rows) gate(%gate)
    : tensor<?x1024xbf16>, tensor<?x16xi64>, tensor<?x1024xbf16>, tensor<?x16xf32> -> expert_rows(tensor<?x1024xbf16>) gate(tensor<?x16xf32>)
  return %r, %g : tensor<?x1024xbf16>, tensor<?x16xf32>
}

// -----

// Zeros and rows in one buffer, that of the result.
// CHECK: func.func @filled({{.*}} %[[RESULT:[a-z0-9]+]]: memref<?x64xbf16, 1> {fastnorm.name = "result0"
// CHECK-NOT: memref.alloc
// CHECK: %[[BUFFER:.+]] = memref.reinterpret_cast %[[RESULT]]
// CHECK: gpu.launch_func  @filled_kernels::@filled_0_zeros {{.*}} args(%[[BUFFER]] :
// CHECK: gpu.launch_func  @filled_kernels::@filled_1_scatter {{.*}}, %[[BUFFER]] : memref<1xbf16, 1>, %[[BUFFER]] : memref<1xbf16, 1>,
func.func @filled(%rows: tensor<?x64xbf16>, %index: tensor<?xi32>) -> tensor<?x64xbf16> {
  %y = fastnorm.scatter %rows[%index] index_map(injective) : tensor<?x64xbf16>, tensor<?xi32> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// Slots that may name one row: lists of them in the workspace, which three launches make, and the fourth walks.
// A slot joins once, however often the launch is repeated.
// CHECK-LABEL: gpu.func @added_up_clear(
// CHECK-COUNT-3: st.global.v2.b32
// CHECK-LABEL: gpu.func @added_up_link(
// CHECK: %[[BEFORE:.+]] = vector.extract
// CHECK: %[[IS_NEW:.+]] = arith.cmpi eq, %[[BEFORE]], %c-1_i64
// CHECK: scf.if %[[IS_NEW]]
// CHECK: "atom.global.exch.b64 $0, [$1+0], $2;"
// CHECK: st.global.v2.b32
// CHECK-LABEL: gpu.func @added_up_order(
// CHECK: scf.while
// CHECK: ld.global.v2.b32
// CHECK: "@$3 st.global.v2.b32
// CHECK-LABEL: gpu.func @added_up(
// CHECK: scf.while
// CHECK: ld.global.v4.b32
// CHECK: arith.addf %{{.+}}, %{{.+}} fastmath<contract> : vector<8xf32>
// CHECK: scf.yield
// CHECK: st.global.cs.v4.b32
// CHECK: func.func @added_up(
// CHECK: %[[HEADS:.+]] = memref.alloc(%{{.+}}) : memref<2x?xi64, 1>
// CHECK: %[[LINKS:.+]] = memref.alloc(%{{.+}}) : memref<2x?xi64, 1>
// CHECK-COUNT-4: gpu.launch_func
func.func @added_up(%dy: tensor<?x3072xbf16>, %index: tensor<?x2xi64>, %gate: tensor<?x2xf32>) -> tensor<?x3072xbf16> {
  %r = fastnorm.combine_backward %dy[%index] gate(%gate)
    : tensor<?x3072xbf16>, tensor<?x2xi64>, tensor<?x2xf32> -> expert_rows(tensor<?x3072xbf16>)
  return %r : tensor<?x3072xbf16>
}
