// What is added up in any order, right in the result, is a sum and nothing more.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-pipeline="target=h200 until=schedule"

// A sum in parts can't be rounded.
func.func @rounded(%x: tensor<?x1024xbf16>) -> tensor<1024xbf16> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that adds sums over rows atomically, which needs results of f32 that are a sum, and an old sum of f32 that it is added to, at most, but result 0 is bf16: use accumulate partials}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 132, accumulate = atomic>}
     : (tensor<?x1024xbf16>) -> tensor<1024xbf16> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<1024xf32>
    %z = fastnorm.map(%s [hidden]) -> [hidden] : (tensor<1024xf32>) -> tensor<1024xbf16> {
    ^bb0(%b: f32):
      %c = arith.truncf %b : f32 to bf16
      fastnorm.yield %c : bf16
    }
    fastnorm.yield %z : tensor<1024xbf16>
  }
  return %sum : tensor<1024xbf16>
}

// -----

// Twice the sum is more than a sum.
func.func @doubled(%x: tensor<?x1024xbf16>) -> tensor<1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that adds sums over rows atomically, which needs results of f32 that are a sum, and an old sum of f32 that it is added to, at most, but result 0 is computed otherwise: use accumulate partials}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 132, accumulate = atomic>}
     : (tensor<?x1024xbf16>) -> tensor<1024xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<1024xf32>
    %z = fastnorm.map(%s [hidden], %s [hidden]) -> [hidden] : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32> {
    ^bb0(%b: f32, %c: f32):
      %d = arith.addf %b, %c : f32
      fastnorm.yield %d : f32
    }
    fastnorm.yield %z : tensor<1024xf32>
  }
  return %sum : tensor<1024xf32>
}

// -----

// An old sum of bf16 would have to be widened first.
func.func @narrow_old(%x: tensor<?x1024xbf16>, %old: tensor<1024xbf16>) -> tensor<1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that adds sums over rows atomically, which needs results of f32 that are a sum, and an old sum of f32 that it is added to, at most, but result 0 is computed otherwise: use accumulate partials}}
  %sum = fastnorm.kernel "sum" (%a = %x, %o = %old) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 132, accumulate = atomic>}
     : (tensor<?x1024xbf16>, tensor<1024xbf16>) -> tensor<1024xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<1024xf32>
    %z = fastnorm.map(%s [hidden], %o [hidden]) -> [hidden] : (tensor<1024xf32>, tensor<1024xbf16>) -> tensor<1024xf32> {
    ^bb0(%b: f32, %c: bf16):
      %d = arith.extf %c : bf16 to f32
      %e = arith.addf %b, %d : f32
      fastnorm.yield %e : f32
    }
    fastnorm.yield %z : tensor<1024xf32>
  }
  return %sum : tensor<1024xf32>
}

// -----

// No instruction keeps the larger of two f32.
func.func @largest(%x: tensor<?x1024xbf16>) -> tensor<1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that adds sums over rows atomically, which needs results of f32 that are a sum, and an old sum of f32 that it is added to, at most, but result 0 is computed otherwise: use accumulate partials}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 132, accumulate = atomic>}
     : (tensor<?x1024xbf16>) -> tensor<1024xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce max row (%wide [row, hidden]) : tensor<?x1024xf32> -> tensor<1024xf32>
    fastnorm.yield %s : tensor<1024xf32>
  }
  return %sum : tensor<1024xf32>
}

// -----

// Nothing is summed over rows.
func.func @rows_only(%x: tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that accumulates sums over rows, but the kernel reduces over none: use accumulate partials}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 132, accumulate = atomic>}
     : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    fastnorm.yield %wide : tensor<?x1024xf32>
  }
  return %sum : tensor<?x1024xf32>
}
