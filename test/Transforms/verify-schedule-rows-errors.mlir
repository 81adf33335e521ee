// Sums over rows need threads that keep their columns, and registers and shared memory to keep them in.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-pipeline="target=h200 until=schedule"

// Rows of other CTAs would be left out.
func.func @alone(%x: tensor<?x1024xbf16>) -> tensor<1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that works on a part of the rows, but the kernel reduces over all of them: use persistent_ctas}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 1>}
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

// A thread would have other columns in the next row.
func.func @shifted(%x: tensor<?x1001xbf16>) -> tensor<1001xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that has vectors of 8 elements, which rows that start at multiples of 1 shift, but the kernel reduces over rows and its threads keep their columns: use vector_width 1}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 132>}
     : (tensor<?x1001xbf16>) -> tensor<1001xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1001xbf16>) -> tensor<?x1001xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x1001xf32> -> tensor<1001xf32>
    fastnorm.yield %s : tensor<1001xf32>
  }
  return %sum : tensor<1001xf32>
}

// -----

// The second row starts at byte 1002.
func.func @stages_of_odd_rows(%x: tensor<?x501xbf16>) -> tensor<501xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that has 2 stages, whose bulk copies need rows of whole 16 bytes that start at multiples of 16, but those of input 0 are 1002 bytes long, of which a CTA has 1002, and start at multiples of 2: use copies by_thread or stages 0}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 512, vector_width = 1, vectors_per_thread = 1, persistent_ctas = 132, stages = 2>}
     : (tensor<?x501xbf16>) -> tensor<501xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x501xbf16>) -> tensor<?x501xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x501xf32> -> tensor<501xf32>
    fastnorm.yield %s : tensor<501xf32>
  }
  return %sum : tensor<501xf32>
}

// -----

// The rows are whole, but they lie 1004 elements apart.
func.func @stages_of_odd_strides(%x: tensor<?x1000xbf16, #fastnorm.strides<[1004, 1]>>) -> tensor<1000xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that has 2 stages, whose bulk copies need rows of whole 16 bytes that start at multiples of 16, but those of input 0 are 2000 bytes long, of which a CTA has 2000, and start at multiples of 8: use copies by_thread or stages 0}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, vector_width = 4, vectors_per_thread = 1, persistent_ctas = 132, stages = 2>}
     : (tensor<?x1000xbf16, #fastnorm.strides<[1004, 1]>>) -> tensor<1000xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1000xbf16, #fastnorm.strides<[1004, 1]>>) -> tensor<?x1000xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x1000xf32> -> tensor<1000xf32>
    fastnorm.yield %s : tensor<1000xf32>
  }
  return %sum : tensor<1000xf32>
}

// -----

// 8 groups of 8 stages of 4096 bytes, and a barrier of 8 bytes for each.
func.func @stages_past_shared_memory(%x: tensor<?x2048xbf16>) -> tensor<2048xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that needs 262656 bytes of shared memory per CTA, but target h200 allows 232448}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, rows_per_cta = 8, vector_width = 8, vectors_per_thread = 4, persistent_ctas = 132, stages = 8>}
     : (tensor<?x2048xbf16>) -> tensor<2048xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x2048xbf16>) -> tensor<?x2048xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x2048xf32> -> tensor<2048xf32>
    fastnorm.yield %s : tensor<2048xf32>
  }
  return %sum : tensor<2048xf32>
}

// -----

// 4 groups of 8 stages of 4096 bytes and their barriers, twice.
func.func @stages_of_two_ctas(%x: tensor<?x2048xbf16>) -> tensor<2048xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that needs 131328 bytes of shared memory for each of 2 CTAs of a multiprocessor, but target h200 has 231424 for all of them}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, rows_per_cta = 4, vector_width = 8, vectors_per_thread = 4, min_ctas = 2, persistent_ctas = 264, stages = 8>}
     : (tensor<?x2048xbf16>) -> tensor<2048xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x2048xbf16>) -> tensor<?x2048xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x2048xf32> -> tensor<2048xf32>
    fastnorm.yield %s : tensor<2048xf32>
  }
  return %sum : tensor<2048xf32>
}

// -----

// 12 for addresses, 24 to walk, 12 vectors of 8 sums.
func.func @sums_past_registers(%x: tensor<?x24576xbf16>) -> tensor<24576xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that needs 132 registers per thread to keep its vectors, but target h200 allows 128 at 2 CTAs of 256 threads per multiprocessor}}
  %sum = fastnorm.kernel "sum" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, vector_width = 8, vectors_per_thread = 12, min_ctas = 2, persistent_ctas = 264>}
     : (tensor<?x24576xbf16>) -> tensor<24576xf32> {
    %wide = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x24576xbf16>) -> tensor<?x24576xf32> {
    ^bb0(%b: bf16):
      %c = arith.extf %b : bf16 to f32
      fastnorm.yield %c : f32
    }
    %s = fastnorm.reduce add row (%wide [row, hidden]) : tensor<?x24576xf32> -> tensor<24576xf32>
    fastnorm.yield %s : tensor<24576xf32>
  }
  return %sum : tensor<24576xf32>
}
