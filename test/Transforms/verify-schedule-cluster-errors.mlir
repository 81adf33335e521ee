// A cluster of more CTAs than the target has.
// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-attach-target=target=rtx5090 --fastnorm-verify-schedule

func.func @cluster_too_large(%x: tensor<?x2048xf32>) -> tensor<?x2048xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that needs a cluster of 16 CTAs, but target rtx5090 allows 8}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 32, ctas_per_row = 16, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x2048xf32>) -> tensor<?x2048xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x2048xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x2048xf32>, tensor<?xf32>) -> tensor<?x2048xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x2048xf32>
  }
  return %m : tensor<?x2048xf32>
}
