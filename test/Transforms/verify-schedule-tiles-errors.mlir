// Tiles, and sums over rows in shared memory, have room for what they keep, and something to keep.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-pipeline="target=h200 until=schedule"

// There are two chunks of 512 columns: the third CTA would have none.
func.func @parts_past_the_row(%x: tensor<?x1024xbf16>) -> tensor<1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that splits a row over 4 CTAs of 512 elements, but hidden 1024 ends before the last of them}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = two_pass, scope = cluster, ctas_per_row = 4, threads_per_row = 128, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 1, persistent_ctas = 128>}
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

// -----

// There are no sums to keep.
func.func @shared_sums_of_rows(%x: tensor<?x1024xbf16>) -> tensor<?x1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that keeps sums over rows in shared memory, but the kernel reduces over none: use accumulators registers}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 128, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 1, persistent_ctas = 128, accumulators = shared>}
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

// -----

// 4 bytes a column.
func.func @sums_past_shared_memory(%x: tensor<?x65536xbf16>) -> tensor<65536xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that needs 262144 bytes of shared memory per CTA, but target h200 allows 232448}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 128, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 1, persistent_ctas = 128, accumulators = shared>}
     : (tensor<?x65536xbf16>) -> tensor<65536xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x65536xbf16>) -> tensor<?x65536xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x65536xf32> -> tensor<65536xf32>
    fastnorm.yield %s : tensor<65536xf32>
  }
  return %sum : tensor<65536xf32>
}

// -----

// Neighbouring rows are of different heads.
func.func @tiles_of_heads(%x: tensor<?x3x1024xbf16>) -> tensor<3x1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that takes tiles of neighbouring rows, but the kernel keeps the sums of 3 heads apart, which neighbouring rows are of: use kind per_row}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 128, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 1, persistent_ctas = 128>}
     : (tensor<?x3x1024xbf16>) -> tensor<3x1024xf32> {
    %wide = fastnorm.map(%a [row, head, hidden]) -> [row, head, hidden] : (tensor<?x3x1024xbf16>) -> tensor<?x3x1024xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, head, hidden]) : tensor<?x3x1024xf32> -> tensor<3x1024xf32>
    fastnorm.yield %s : tensor<3x1024xf32>
  }
  return %sum : tensor<3x1024xf32>
}

// -----

// A ring of 2 rows of 65536 bytes has room, but not with 4 bytes a column behind it.
func.func @ring_and_sums_past_shared_memory(%x: tensor<?x32768xbf16>) -> tensor<32768xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that needs 262272 bytes of shared memory per CTA, but target h200 allows 232448}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 1024, vector_width = 8, vectors_per_thread = 4, persistent_ctas = 132, stages = 2, accumulators = shared>}
     : (tensor<?x32768xbf16>) -> tensor<32768xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x32768xbf16>) -> tensor<?x32768xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x32768xf32> -> tensor<32768xf32>
    fastnorm.yield %s : tensor<32768xf32>
  }
  return %sum : tensor<32768xf32>
}
