// Slots of a combine: their indices first, then all loads in flight, then the sum in ascending order.
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline=until=gpu 2>/dev/null | FileCheck %s

// A dropped slot is not loaded and its factor is 0; a negative i32 index is large when compared without sign.
// CHECK-LABEL: gpu.func @dropped_slots(
// CHECK-SAME: %[[TABLE_ROWS:[a-z0-9]+]]: i64) kernel
// CHECK: %[[INDEX:.+]] = llvm.inline_asm "ld.global.nc.v2.b32 {$0, $1}, [$2+0];"
// CHECK: %[[WIDE:.+]] = arith.extsi
// CHECK: %[[PRESENT:.+]] = arith.cmpi ult, %[[WIDE]], %[[TABLE_ROWS]]
// CHECK: %[[OTHER:.+]] = arith.cmpi ult, %{{.+}}, %[[TABLE_ROWS]]
// CHECK: arith.select %[[PRESENT]], %{{.+}}, %{{.+}} : f32
// CHECK: arith.select %[[OTHER]], %{{.+}}, %{{.+}} : f32
// CHECK: "@$5 ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4+0];"{{.*}} %{{[0-9a-z]+}}, %[[PRESENT]],
// CHECK: "@$5 ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4+0];"{{.*}} %{{[0-9a-z]+}}, %[[OTHER]],
// CHECK: arith.addf %{{.+}}, %{{.+}} fastmath<contract> : vector<8xf32>
// CHECK-NEXT: vector.broadcast
// CHECK: st.global
func.func @dropped_slots(%e: tensor<?x3072xbf16>, %i: tensor<?x2xi32>, %g: tensor<?x2xf32>) -> tensor<?x3072xbf16> {
  %h = fastnorm.combine %e[%i] gate(%g) : tensor<?x3072xbf16>, tensor<?x2xi32>, tensor<?x2xf32> -> tensor<?x3072xbf16>
  return %h : tensor<?x3072xbf16>
}

// -----

// 16 slots of which 8 are in flight: two groups of 4 are, and the next group is asked for when one has been added.
// CHECK-LABEL: gpu.func @more_slots_than_in_flight(
// CHECK-COUNT-8: "@$5 ld.global.cs.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-4: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK-COUNT-4: "@$5 ld.global.cs.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-4: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK-COUNT-4: "@$5 ld.global.cs.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-8: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: st.global
func.func @more_slots_than_in_flight(%e: tensor<?x3072xbf16>, %i: tensor<?x16xi64>, %g: tensor<?x16xf32>)
    -> tensor<?x3072xbf16> {
  %h = fastnorm.combine %e[%i] gate(%g) : tensor<?x3072xbf16>, tensor<?x16xi64>, tensor<?x16xf32> -> tensor<?x3072xbf16>
  return %h : tensor<?x3072xbf16>
}
