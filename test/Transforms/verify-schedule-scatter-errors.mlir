// Scatters that a schedule, or no schedule, can carry out.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-attach-target --fastnorm-verify-schedule

func.func @adds_up_per_row(%rows: tensor<?x64xf32>, %index: tensor<?xi32>) -> tensor<?x64xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that is per_row with vectors of 4 elements, but the kernel adds up slots that name one row of its result: use per_element without persistent_ctas and vector_width 64 at most}}
  %y = fastnorm.kernel "k" (%a = %rows, %i = %index) {schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 16, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32> {
    %s = fastnorm.scatter %a[%i] : tensor<?x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
    fastnorm.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @adds_up_beside_a_sum(%rows: tensor<?x64xf32>, %index: tensor<?xi32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
  %y:2 = fastnorm.kernel "k" (%a = %rows, %i = %index) {schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 16, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x64xf32>, tensor<?xi32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
    // expected-error@+1 {{'fastnorm.scatter' op adds up slots that name one row in a kernel that also reduces, or has other results; compute those in a kernel of their own, or promise index_map injective}}
    %s = fastnorm.scatter %a[%i] : tensor<?x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
    %sum = fastnorm.reduce add hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %s, %sum : tensor<?x64xf32>, tensor<?xf32>
  }
  return %y#0, %y#1 : tensor<?x64xf32>, tensor<?xf32>
}

// -----

func.func @into_nothing(%rows: tensor<?x64xf32>, %index: tensor<?xi32>) -> tensor<?x64xf32> {
  %y = fastnorm.kernel "k" (%a = %rows, %i = %index) {schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 16, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32> {
    // expected-error@+1 {{'fastnorm.scatter' op scatters to some rows of its result and goes into nothing that has the others; run fastnorm-decompose}}
    %s = fastnorm.scatter %a[%i] index_map(injective) : tensor<?x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
    fastnorm.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @computed_index(%rows: tensor<?x64xf32>, %index: tensor<?xi32>) -> tensor<?x64xf32> {
  %y = fastnorm.kernel "k" (%a = %rows, %i = %index) {schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 16, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32> {
    %j = fastnorm.map(%i [row]) -> [row] : (tensor<?xi32>) -> tensor<?xi32> {
    ^bb0(%x: i32):
      fastnorm.yield %x : i32
    }
    // expected-error@+1 {{'fastnorm.scatter' op scatters by an index that the kernel computes}}
    %s = fastnorm.scatter %a[%j] index_map(bijective) : tensor<?x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
    fastnorm.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// Its result's buffer is not the input's, which other threads still read.
func.func @in_place(%rows: tensor<?x64xf32> {fastnorm.result = 0 : i64}, %index: tensor<?xi32>) -> tensor<?x64xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op writes its result 0 over input 0, which other threads read, too}}
  %y = fastnorm.kernel "k" (%a = %rows, %i = %index) {schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 16, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32> {
    %s = fastnorm.scatter %a[%i] index_map(bijective) : tensor<?x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
    fastnorm.yield %s : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}
