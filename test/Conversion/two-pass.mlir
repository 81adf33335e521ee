// RUN: fastnorm-opt %s --fastnorm-pipeline=until=schedule 2>/dev/null \
// RUN:   | sed 's/#fastnorm.schedule<[^>]*>/#fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 512, vector_width = 1, vectors_per_thread = 2, vectors_in_flight = 2>/' \
// RUN:   | fastnorm-opt --fastnorm-pipeline=until=gpu | FileCheck %s

// One sweep over column chunks per phase; the row is read again with a policy that leaves it in the L2, and the sum of
// the first sweep meets before the second starts. The weight is read where it is used, in the second sweep only.
// CHECK-LABEL: gpu.func @rms_norm(
// CHECK-DAG: %[[CHUNK:.+]] = arith.constant 1024 : i64
// CHECK-DAG: %[[END:.+]] = arith.constant 66560 : i64
// CHECK-DAG: %[[HIDDEN:.+]] = arith.constant 65537 : i64
// CHECK: %[[SUM:.+]] = scf.for %[[COLUMN:.+]] = %{{.+}} to %[[END]] step %[[CHUNK]] iter_args(%[[PARTIAL:.+]] = %{{.+}}) -> (f32)
// CHECK: %[[PLACE:.+]] = arith.addi %{{.+}}, %[[COLUMN]]
// CHECK: %[[INSIDE:.+]] = arith.cmpi slt, %[[PLACE]], %[[HIDDEN]]
// CHECK: "@$2 ld.global.b16 $0, [$1+0];"{{.*}} %{{[0-9a-z]+}}, %[[INSIDE]],
// CHECK: "@$2 ld.global.b16 $0, [$1+1024];"
// CHECK-NOT: ld.global
// CHECK: arith.select %[[INSIDE]], %{{.+}}, %[[PARTIAL]]
// CHECK: scf.yield
// CHECK: gpu.shuffle xor %[[SUM]]
// CHECK: gpu.barrier
// CHECK: scf.for %{{.+}} = %{{.+}} to %[[END]] step %[[CHUNK]]
// CHECK-COUNT-4: ld.global.b16
// CHECK-NOT: ld.global
// CHECK: "@$2 st.global.cs.b16
// CHECK: "@$2 st.global.cs.b16
func.func @rms_norm(%x: tensor<?x65537xbf16>, %weight: tensor<65537xbf16>) -> tensor<?x65537xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x65537xbf16>, tensor<65537xbf16> -> tensor<?x65537xbf16>
  return %y : tensor<?x65537xbf16>
}
