// What a chip does not have.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-attach-target=target=a100 --fastnorm-verify-schedule

func.func @no_clusters(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that needs a cluster of 2 CTAs, but target a100 has no clusters: use scope grid}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 128, ctas_per_row = 2, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x1024xf32>) -> tensor<?x1024xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x1024xf32>, tensor<?xf32>) -> tensor<?x1024xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x1024xf32>
  }
  return %m : tensor<?x1024xf32>
}

// -----

func.func @no_dependent_launch(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that needs dependent launches, but target a100 has none}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, vector_width = 4, vectors_per_thread = 1, dependent_launch = true>}
     : (tensor<?x1024xf32>) -> tensor<?x1024xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x1024xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x1024xf32>, tensor<?xf32>) -> tensor<?x1024xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x1024xf32>
  }
  return %m : tensor<?x1024xf32>
}
