// Every reason for which a schedule is refused, with its numbers.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-attach-target --fastnorm-verify-schedule

func.func @no_schedule(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has no schedule; run fastnorm-select-schedule first}}
  %m = fastnorm.kernel "k" (%a = %x) : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x64xf32>, tensor<?xf32>) -> tensor<?x64xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x64xf32>
  }
  return %m : tensor<?x64xf32>
}

// -----

func.func @per_element_reduces(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that is per_element, but the kernel reduces rows: use per_row or two_pass}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_element, scope = cta, threads_per_row = 16, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x64xf32>, tensor<?xf32>) -> tensor<?x64xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x64xf32>
  }
  return %m : tensor<?x64xf32>
}

// -----

func.func @two_pass_of_lanes(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that is two_pass, which needs scope cta, or persistent_ctas and scope cluster}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = two_pass, scope = lanes, threads_per_row = 16, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x64xf32>, tensor<?xf32>) -> tensor<?x64xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x64xf32>
  }
  return %m : tensor<?x64xf32>
}

// -----

func.func @no_vector_for_shifted_rows(%x: tensor<?x127xf32>) -> tensor<?x127xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that holds 128 elements of a row in registers, but hidden is 127 and rows that are not aligned need a vector more: use more threads_per_row or vectors_per_thread, or two_pass}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x127xf32>) -> tensor<?x127xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x127xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x127xf32>, tensor<?xf32>) -> tensor<?x127xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x127xf32>
  }
  return %m : tensor<?x127xf32>
}

// -----

func.func @row_does_not_fit(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that holds 256 elements of a row in registers, but hidden is 1024: use more threads_per_row or vectors_per_thread, or two_pass}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 4, vectors_per_thread = 2>}
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

func.func @vector_past_the_row(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that gives a thread 2 vectors of a row, but hidden 64 ends before the last of them}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 2, vectors_per_thread = 2>}
     : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x64xf32>, tensor<?xf32>) -> tensor<?x64xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x64xf32>
  }
  return %m : tensor<?x64xf32>
}

// -----

func.func @too_many_threads(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that needs 9 CTAs of 256 threads per multiprocessor, but target h200 holds 32 CTAs and 2048 threads}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, vector_width = 4, vectors_per_thread = 1, min_ctas = 9>}
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

func.func @too_many_ctas(%x: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that needs 33 CTAs of 32 threads per multiprocessor, but target h200 holds 32 CTAs and 2048 threads}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 4, vectors_per_thread = 1, min_ctas = 33>}
     : (tensor<?x128xf32>) -> tensor<?x128xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x128xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x128xf32>, tensor<?xf32>) -> tensor<?x128xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x128xf32>
  }
  return %m : tensor<?x128xf32>
}

// -----

// 12 beside 16 vectors of 4 f32 each; 65536 / (2 x 512) = 64.
func.func @too_many_registers(%x: tensor<?x32768xf32>) -> tensor<?x32768xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that needs 76 registers per thread to keep its vectors, but target h200 allows 64 at 2 CTAs of 512 threads per multiprocessor}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 512, vector_width = 4, vectors_per_thread = 16, min_ctas = 2>}
     : (tensor<?x32768xf32>) -> tensor<?x32768xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x32768xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x32768xf32>, tensor<?xf32>) -> tensor<?x32768xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x32768xf32>
  }
  return %m : tensor<?x32768xf32>
}

// -----

func.func @cluster_does_not_hold_the_row(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that holds 512 elements of a row in registers, but hidden is 1024: use more threads_per_row or vectors_per_thread, or two_pass}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 32, ctas_per_row = 4, vector_width = 4, vectors_per_thread = 1>}
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

func.func @cta_of_a_cluster_past_the_row(%x: tensor<?x768xf32>) -> tensor<?x768xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that splits a row over 4 CTAs of 256 elements, but hidden 768 ends before the last of them}}
  %m = fastnorm.kernel "k" (%a = %x) {schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 64, ctas_per_row = 4, vector_width = 4, vectors_per_thread = 1>}
     : (tensor<?x768xf32>) -> tensor<?x768xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x768xf32> -> tensor<?xf32>
    %c = fastnorm.map(%a [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x768xf32>, tensor<?xf32>) -> tensor<?x768xf32> {
    ^bb0(%d: f32, %e: f32):
      %f = arith.subf %d, %e : f32
      fastnorm.yield %f : f32
    }
    fastnorm.yield %c : tensor<?x768xf32>
  }
  return %m : tensor<?x768xf32>
}
