// A schedule that its kernel and target can have passes as it is.
// RUN: fastnorm-opt %s --fastnorm-attach-target --fastnorm-verify-schedule | FileCheck %s

// 12 beside 13 vectors of 4 f32 are 64 registers: exactly what 65536 / (2 x 512) leaves.
// CHECK-LABEL: func.func @fits_exactly(
// CHECK: {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 512, vector_width = 4, vectors_per_thread = 13, min_ctas = 2>}
func.func @fits_exactly(%x: tensor<?x26624xf32>) -> tensor<?x26624xf32> {
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 512,
      vector_width = 4, vectors_per_thread = 13, min_ctas = 2>} : (tensor<?x26624xf32>) -> tensor<?x26624xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x26624xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x26624xf32>, tensor<?xf32>) -> tensor<?x26624xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x26624xf32>
  }
  return %m : tensor<?x26624xf32>
}
