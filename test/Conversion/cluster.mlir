// The CTAs of a cluster share a row, each a part of its columns; their sums meet in distributed shared memory.
// RUN: fastnorm-opt %s --fastnorm-attach-target --fastnorm-name-bindings --convert-fastnorm-to-gpu --canonicalize --cse | FileCheck %s
// RUN: fastnorm-opt %s --fastnorm-pipeline=until=ptx | FileCheck %s --check-prefix=PTX

// A row is 4 neighbouring CTAs; CTA r of them begins at column r x 512, byte r x 1024. The start is announced first and waited for only
// before the first store into another CTA; each of the two reductions has one barrier and slots of its own, 4 x 4 warps.
// CHECK-LABEL: gpu.func @centred(
// CHECK-SAME: workgroup(%[[SLOTS:.+]] : memref<32xf32, 3>
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>
// CHECK-DAG: %[[FOUR:.+]] = arith.constant 4 : i64
// CHECK-DAG: %[[CHUNK:.+]] = arith.constant 1024 : i64
// CHECK-DAG: %[[PEERS:.+]] = arith.constant 4 : index
// CHECK-DAG: %[[SECOND:.+]] = arith.constant 16 : index
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-DAG: arith.divui %{{.+}}, %[[FOUR]]
// CHECK-DAG: %[[RANK:.+]] = arith.remui %{{.+}}, %[[FOUR]]
// CHECK: arith.muli %[[RANK]], %[[CHUNK]]
// CHECK: ld.global.cs.v2.b32
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: arith.cmpi ult, %{{.+}}, %[[PEERS]] : index
// CHECK: scf.if
// CHECK: %[[PEER:.+]] = nvvm.mapa %{{.+}}, %{{.+}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: llvm.getelementptr %[[PEER]]
// CHECK: llvm.store %{{.+}} : f32, !llvm.ptr<7>
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK: nvvm.cluster.wait {aligned}
// CHECK-COUNT-4: vector.load %[[SLOTS]]
// CHECK: arith.addi %{{.+}}, %[[SECOND]]
// CHECK: llvm.store %{{.+}} : f32, !llvm.ptr<7>
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK: nvvm.cluster.wait {aligned}
// CHECK-NOT: nvvm.cluster
// CHECK-NOT: gpu.barrier
// CHECK: st.global.cs
// CHECK: gpu.return
// The grid counts CTAs: rows x 4.
// CHECK-LABEL: func.func @centred(
// CHECK: %[[GRID:.+]] = arith.muli %{{.+}}, %{{.+}} : index
// CHECK: gpu.launch_func @centred_kernels::@centred clusters in (%[[N:.+]], %{{.+}}, %{{.+}}) blocks in (%[[GRID]],

// PTX: .version 7.8
// PTX: .explicitcluster
// PTX: .reqnctapercluster 4, 1, 1
// PTX: barrier.cluster.arrive.aligned
// PTX: barrier.cluster.wait.aligned
// PTX: mapa.shared::cluster.u32
// PTX: st.shared::cluster.b32
func.func @centred(%x: tensor<?x2048xbf16>) -> tensor<?x2048xf32> {
  %y = fastnorm.kernel "centred" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cluster,
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
