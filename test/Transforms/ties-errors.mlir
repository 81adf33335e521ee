// Arguments that cannot share the buffer of a result, each with the reason.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics=only-expected --fastnorm-pipeline="target=h200 fuse=never until=schedule"

// expected-error@+1 {{'func.func' op expects 'fastnorm.result' of argument 0 to name one of its 1 results, but got 1}}
func.func @no_such_result(%x: tensor<?x64xf32> {fastnorm.result = 1 : i64}) -> tensor<?x64xf32> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// expected-error@+1 {{'func.func' op expects argument 0 to have the type of result 0, whose buffer it shares, 'tensor<?x64xbf16>', but got 'tensor<?x64xf32>'}}
func.func @other_type(%x: tensor<?x64xf32> {fastnorm.result = 0 : i64}) -> tensor<?x64xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// expected-error@+1 {{'func.func' op expects one argument to share the buffer of result 0, but got 0 and 1}}
func.func @two_arguments(%x: tensor<?x64xf32> {fastnorm.result = 0 : i64}, %r: tensor<?x64xf32> {fastnorm.result = 0 : i64}) -> tensor<?x64xf32> {
  %y = fastnorm.residual_add %x, %r : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

func.func @gathered(%t: tensor<8x64xf32> {fastnorm.result = 0 : i64}, %i: tensor<8x2xi32>) -> tensor<8x64xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op writes its result 0 over input 0, which other threads read, too; only an input of [row, hidden] that is not gathered from, or one of [hidden] that is added to sums over rows, can share the buffer of a result}}
  %y = fastnorm.combine %t[%i] : tensor<8x64xf32>, tensor<8x2xi32> -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// Each result of sums over rows has threads of its own, and the other's read the old values, too.
func.func @added_to_two_sums(%dy: tensor<?x64xf32>, %x: tensor<?x64xf32>, %rstd: tensor<?xf32>,
                             %old: tensor<64xf32> {fastnorm.result = 0 : i64}) -> (tensor<64xf32>, tensor<64xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op writes its result 0 over input 3, which other threads read, too; only an input of [row, hidden] that is not gathered from, or one of [hidden] that is added to sums over rows, can share the buffer of a result}}
  %dw, %db = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) accumulate_weight(%old) accumulate_bias(%old)
     : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?xf32>, tensor<64xf32>, tensor<64xf32> -> weight(tensor<64xf32>) bias(tensor<64xf32>)
  return %dw, %db : tensor<64xf32>, tensor<64xf32>
}

// -----

func.func @read_by_a_later_kernel(%x: tensor<?x64xf32> {fastnorm.result = 0 : i64}) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  // expected-error@+1 {{'fastnorm.kernel' op reads argument 0 after result 0 was written over it}}
  %z = fastnorm.residual_add %x, %y : tensor<?x64xf32>
  return %y, %z : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

func.func @read_again_by_the_second_sweep(%x: tensor<?x64xf32> {fastnorm.result = 1 : i64}, %h: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op has a schedule that reads input 0 again after its result 1 was written over it: use a schedule that keeps its row, per_row with scope lanes, cta or cluster}}
  %y:2 = fastnorm.kernel "k" (%a = %x, %b = %h) {schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 32, vector_width = 2, vectors_per_thread = 1>}
     : (tensor<?x64xf32>, tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
    %s = fastnorm.map(%a [row, hidden], %b [row, hidden]) -> [row, hidden]
       : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32> {
    ^bb0(%c: f32, %d: f32):
      %e = arith.addf %c, %d : f32
      fastnorm.yield %e : f32
    }
    %max = fastnorm.reduce max hidden (%s [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    %r = fastnorm.map(%s [row, hidden], %max [row]) -> [row, hidden]
       : (tensor<?x64xf32>, tensor<?xf32>) -> tensor<?x64xf32> {
    ^bb0(%c: f32, %m: f32):
      %e = arith.divf %c, %m : f32
      fastnorm.yield %e : f32
    }
    fastnorm.yield %r, %s : tensor<?x64xf32>, tensor<?x64xf32>
  }
  return %y#0, %y#1 : tensor<?x64xf32>, tensor<?x64xf32>
}
