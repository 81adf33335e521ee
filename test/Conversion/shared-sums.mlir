// Rows whose values are added to sums in shared memory: behind the ring, in places of the thread alone.
// RUN: fastnorm-opt %s --fastnorm-attach-target --fastnorm-name-bindings --convert-fastnorm-to-gpu --canonicalize --cse | FileCheck %s
// RUN: fastnorm-opt %s --fastnorm-pipeline=until=ptx | FileCheck %s --check-prefix=PTX

// A barrier takes the first 128 bytes, the ring 2 stages of 2048; the sums of 2 groups are 4096 bytes each, so 128 + 2 * 4096
// + 2 * 4096. The loop carries no sums, but the row, the stage and its parity.
// CHECK-LABEL: gpu.func @shared(
// CHECK: cp.async.bulk
// CHECK: %[[SUMS:.+]] = llvm.getelementptr %{{.+}}[8320]
// CHECK: %[[OWN:.+]] = llvm.getelementptr %[[SUMS]]
// CHECK: %[[OF_GROUP:.+]] = llvm.getelementptr %[[OWN]]
// CHECK-COUNT-2: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: scf.for {{.*}} -> (i64, i32, i32)
// The row's columns are added before its threads meet.
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: llvm.load %[[OF_GROUP]]
// CHECK: arith.addf
// CHECK: llvm.store {{.*}}, %[[OF_GROUP]]
// CHECK: nvvm.barrier id
// CHECK: scf.yield {{.*}} : i64, i32, i32
// Both groups have theirs there before either is read by others.
// CHECK: gpu.barrier
// CHECK-NOT: llvm.store
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<4xi32>
// CHECK: "st.global.v4.b32
// CHECK: gpu.return
// CHECK: gpu.launch_func {{.*}}@shared {{.*}} dynamic_shared_memory_size %c16512_i32
// PTX: .visible .entry shared
func.func @shared(%x: tensor<?x1024xbf16>) -> (tensor<?x1024xbf16>, tensor<1024xf32>) {
  %dx, %dw = fastnorm.kernel "shared" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta,
      threads_per_row = 128, rows_per_cta = 2, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 10, stages = 2,
      accumulators = shared>}
     : (tensor<?x1024xbf16>) -> (tensor<?x1024xbf16>, tensor<1024xf32>) {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%l: bf16):
      %lf = arith.extf %l : bf16 to f32
      fastnorm.yield %lf : f32
    }
    %sum = fastnorm.reduce add hidden (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %dw = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<1024xf32>
    %dx = fastnorm.map(%wide [row, hidden], %sum [row]) -> [row, hidden]
        : (tensor<?x1024xf32>, tensor<?xf32>) -> tensor<?x1024xbf16> {
    ^bb0(%p: f32, %t: f32):
      %q = arith.subf %p, %t : f32
      %n = arith.truncf %q : f32 to bf16
      fastnorm.yield %n : bf16
    }
    fastnorm.yield %dx, %dw : tensor<?x1024xbf16>, tensor<1024xf32>
  }
  return %dx, %dw : tensor<?x1024xbf16>, tensor<1024xf32>
}
