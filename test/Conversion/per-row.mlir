// One CTA or a few lanes hold a row from its first phase to its last.
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline=until=gpu 2>/dev/null | FileCheck %s

// Scope cta: a row is a CTA's index. Loads come first, in whole vectors where they end inside the row and predicated in
// its tail: vector 1 of a thread is inside for columns below 1032 - 96 x 8 = 264. The weight is read-only.
// CHECK-LABEL: gpu.func @cta(
// CHECK-SAME: workgroup(%[[SLOTS:.+]] : memref<4xf32, 3> {llvm.align = 16 : i64}) kernel
// CHECK-SAME: known_block_size = array<i32: 96, 1, 1>
// CHECK-SAME: nvvm.minctasm = 16 : i32
// CHECK-DAG: %[[EDGE:.+]] = arith.constant 264 : i64
// CHECK-DAG: %[[ROW_BYTES:.+]] = arith.constant 2064 : i64
// CHECK: %[[CTA:.+]] = gpu.block_id x
// CHECK: %[[ROW:.+]] = arith.index_cast %[[CTA]]
// CHECK: arith.muli %[[ROW]], %[[ROW_BYTES]]
// CHECK: %[[FIRST:.+]] = llvm.inline_asm has_side_effects "ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4+0];"
// CHECK: %[[W0:.+]] = llvm.extractvalue %[[FIRST]][0]
// CHECK: %[[INSIDE:.+]] = arith.cmpi slt, %{{.+}}, %[[EDGE]] : i64
// CHECK: llvm.inline_asm has_side_effects "@$5 ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4+1536];"{{.*}} %{{[0-9a-z]+}}, %[[INSIDE]],
// CHECK: llvm.inline_asm "ld.global.nc.v4.b32 {$0, $1, $2, $3}, [$4+0];"
// CHECK: llvm.inline_asm "@$5 ld.global.nc.v4.b32 {$0, $1, $2, $3}, [$4+1536];"{{.*}} %{{[0-9a-z]+}}, %[[INSIDE]],
// A thread's elements past the row leave its sum as it was.
// CHECK: %[[SUM:.+]] = arith.select %[[INSIDE]], %{{.+}}, %{{.+}} : f32
// CHECK: gpu.shuffle xor %[[SUM]]
// CHECK-COUNT-4: gpu.shuffle xor
// CHECK: memref.store %{{.+}}, %[[SLOTS]]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: math.rsqrt
// What waited is hidden from the optimizer, which would keep the unpacked form.
// CHECK: llvm.inline_asm has_side_effects "", "=r,=r,=r,=r,0,1,2,3" %[[W0]],
// CHECK: llvm.inline_asm has_side_effects "st.global.cs.v4.b32 [$0+0], {$1, $2, $3, $4};"
// CHECK: llvm.inline_asm has_side_effects "@$5 st.global.cs.v4.b32 [$0+1536], {$1, $2, $3, $4};"{{.*}}, %[[INSIDE]] :
func.func @cta(%x: tensor<?x1032xbf16>, %weight: tensor<1032xbf16>) -> tensor<?x1032xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x1032xbf16>, tensor<1032xbf16> -> tensor<?x1032xbf16>
  return %y : tensor<?x1032xbf16>
}

// -----

// Scope lanes: 8 lanes a row and 16 rows a CTA, no shared memory and no barrier. Lanes of rows past the last work on
// the last one again, so that all take part in the shuffles, and only do not store.
// CHECK-LABEL: gpu.func @lanes(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: i64) 
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : i64
// CHECK-DAG: %[[LANES:.+]] = arith.constant 8 : i64
// CHECK: arith.divui %{{.+}}, %[[LANES]]
// CHECK: %[[ROW:.+]] = arith.addi
// CHECK: arith.remui %{{.+}}, %[[LANES]]
// CHECK: %[[EXISTS:.+]] = arith.cmpi slt, %[[ROW]], %[[ROWS]]
// CHECK: %[[LAST:.+]] = arith.subi %[[ROWS]], %[[ONE]]
// CHECK: arith.minsi %[[ROW]], %[[LAST]]
// CHECK: %[[INSIDE:.+]] = arith.cmpi slt
// CHECK: "@$5 ld.global.cs.v4.b32
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: %[[STORES:.+]] = arith.andi %[[EXISTS]], %[[INSIDE]]
// CHECK: "@$5 st.global.cs.v4.b32 [$0+0], {$1, $2, $3, $4};"{{.*}}, %[[STORES]] :
func.func @lanes(%x: tensor<?x40xbf16>) -> tensor<?x40xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<?x40xbf16> -> tensor<?x40xbf16>
  return %y : tensor<?x40xbf16>
}

// -----

// Static rows that fill their CTAs need no count: 32 rows are 2 CTAs of 16.
// CHECK-LABEL: gpu.func @whole_ctas(
// CHECK-NOT: i64)
// CHECK-SAME: kernel
// CHECK-NOT: arith.minsi
// CHECK: gpu.return
func.func @whole_ctas(%x: tensor<32x40xbf16>) -> tensor<32x40xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<32x40xbf16> -> tensor<32x40xbf16>
  return %y : tensor<32x40xbf16>
}

// -----

// A row statistic is stored by the first thread of the row.
// CHECK-LABEL: gpu.func @row_statistic(
// CHECK: math.rsqrt
// CHECK: %[[IS_FIRST:.+]] = arith.cmpi eq
// CHECK: "@$2 st.global.b32 [$0+0], $1;"{{.*}}, %[[IS_FIRST]] :
func.func @row_statistic(%x: tensor<?x1024xbf16>) -> (tensor<?x1024xbf16>, tensor<?xf32>) {
  %y, %rstd = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<?x1024xbf16> -> tensor<?x1024xbf16>, tensor<?xf32>
  return %y, %rstd : tensor<?x1024xbf16>, tensor<?xf32>
}

// -----

// Two reductions of one phase meet at one barrier, each in slots of its own.
// CHECK-LABEL: gpu.func @two_reductions(
// CHECK-SAME: workgroup(%[[SLOTS:.+]] : memref<8xf32, 3>
// CHECK: scf.if
// CHECK-NEXT: memref.store %{{.+}}, %[[SLOTS]]
// CHECK: memref.store %{{.+}}, %[[SLOTS]]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @two_reductions(%x: tensor<?x1024xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %both:2 = fastnorm.kernel "extremes" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 128, vector_width = 4, vectors_per_thread = 2, vectors_in_flight = 2>}
     : (tensor<?x1024xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %min = fastnorm.reduce min hidden (%a [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    fastnorm.yield %max, %min : tensor<?xf32>, tensor<?xf32>
  }
  return %both#0, %both#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// keep = computed: nothing is hidden from the optimizer.
// CHECK-LABEL: gpu.func @keep_computed(
// CHECK: gpu.barrier
// CHECK-NOT: llvm.inline_asm has_side_effects ""
// CHECK: "st.global.v4.b32
func.func @keep_computed(%x: tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
  %y = fastnorm.kernel "shift" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 128, vector_width = 8, vectors_per_thread = 1, keep = computed, stores = cached>}
     : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %max = fastnorm.reduce max hidden (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %s = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden] : (tensor<?x1024xbf16>, tensor<?xf32>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16, %m: f32):
      %c = arith.extf %b : bf16 to f32
      %d = arith.subf %c, %m : f32
      fastnorm.yield %d : f32
    }
    fastnorm.yield %s : tensor<?x1024xf32>
  }
  return %y : tensor<?x1024xf32>
}
