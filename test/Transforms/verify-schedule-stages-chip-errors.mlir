// Chips before sm_90 have no bulk copies.
// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-pipeline="target=a100 until=schedule"

func.func @stages(%x: tensor<?x1024xbf16>) -> tensor<1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that has 2 stages of bulk copies, but target a100 (sm_80) has none: use copies by_thread or stages 0}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 108, stages = 2>}
     : (tensor<?x1024xbf16>) -> tensor<1024xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<1024xf32>
    fastnorm.yield %s : tensor<1024xf32>
  }
  return %sum : tensor<1024xf32>
}
