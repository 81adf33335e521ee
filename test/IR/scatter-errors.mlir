// What scatters and the gradients of combine refuse, a constraint each.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics

// scatter C1.
func.func @other_hidden(%rows: tensor<?x2x32xf32>, %index: tensor<?x2xi64>) {
  // expected-error@+1 {{'fastnorm.scatter' op expects rows of the index's shape, ?x2, followed by the hidden size of a result of rank 2, all f32, bf16 or f16, but got 'tensor<?x2x32xf32>' and 'tensor<?x64xf32>'}}
  %y = fastnorm.scatter %rows[%index] : tensor<?x2x32xf32>, tensor<?x2xi64> -> tensor<?x64xf32>
  return
}

// -----

// scatter C1.
func.func @integers(%rows: tensor<?x64xi32>, %index: tensor<?xi64>) {
  // expected-error@+1 {{'fastnorm.scatter' op expects rows of the index's shape, ?, followed by}}
  %y = fastnorm.scatter %rows[%index] : tensor<?x64xi32>, tensor<?xi64> -> tensor<?x64xi32>
  return
}

// -----

// scatter C2.
func.func @into_of_any(%rows: tensor<?x64xf32>, %index: tensor<?xi64>, %into: tensor<?x64xf32>) {
  // expected-error@+1 {{'fastnorm.scatter' op expects into of the result's type, 'tensor<?x64xf32>', together with index_map injective, but got 'tensor<?x64xf32>' and any}}
  %y = fastnorm.scatter %rows[%index] into(%into) : tensor<?x64xf32>, tensor<?xi64>, tensor<?x64xf32> -> tensor<?x64xf32>
  return
}

// -----

// scatter C3.
func.func @float_index(%rows: tensor<?x64xf32>, %index: tensor<?xf32>) {
  // expected-error@+1 {{'fastnorm.scatter' op expects an i32 or i64 index of rank 1 to 4, but got 'tensor<?xf32>'}}
  %y = fastnorm.scatter %rows[%index] : tensor<?x64xf32>, tensor<?xf32> -> tensor<?x64xf32>
  return
}

// -----

// kernel C3: what was scattered is known when all rows were worked on.
func.func @read_in_the_kernel(%rows: tensor<?x64xf32>, %index: tensor<?xi64>) {
  %y = fastnorm.kernel "k" (%a = %rows, %i = %index) : (tensor<?x64xf32>, tensor<?xi64>) -> tensor<?x64xf32> {
    %s = fastnorm.scatter %a[%i] index_map(bijective) : tensor<?x64xf32>, tensor<?xi64> -> tensor<?x64xf32>
    // expected-error@+1 {{'fastnorm.map' op reads what is scattered in the same kernel; read it in another one}}
    %m = fastnorm.map(%s [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
    ^bb0(%x: f32):
      fastnorm.yield %x : f32
    }
    fastnorm.yield %m : tensor<?x64xf32>
  }
  return
}

// -----

// kernel C3: what is scattered into is written over.
func.func @into_read_elsewhere(%rows: tensor<?x64xf32>, %index: tensor<?xi64>) {
  %y = fastnorm.kernel "k" (%a = %rows, %i = %index) : (tensor<?x64xf32>, tensor<?xi64>) -> tensor<?x64xf32> {
    // expected-error@+1 {{'fastnorm.scatter' op expects to go into an input of its kernel that nothing else reads}}
    %s = fastnorm.scatter %a[%i] index_map(injective) into(%a) : tensor<?x64xf32>, tensor<?xi64>, tensor<?x64xf32> -> tensor<?x64xf32>
    fastnorm.yield %s : tensor<?x64xf32>
  }
  return
}

// -----

// combine_backward C1.
func.func @other_expert_rows(%dy: tensor<?x64xf32>, %index: tensor<?x2xi64>, %rows: tensor<?x32xf32>) {
  // expected-error@+1 {{'fastnorm.combine_backward' op expects expert_rows of hidden size 64 to match the grad_output, but got ?x32}}
  %g = fastnorm.combine_backward %dy[%index] expert_rows(%rows) : tensor<?x64xf32>, tensor<?x2xi64>, tensor<?x32xf32> -> gate(tensor<?x2xf32>)
  return
}

// -----

// combine_backward C1.
func.func @other_number_of_expert_rows(%dy: tensor<?x64xf32>, %index: tensor<?x2xi64>, %rows: tensor<8x64xf32>) {
  // expected-error@+1 {{'fastnorm.combine_backward' op expects grad_expert_rows to have the shape of expert_rows, 8x64, but got ?x64}}
  %r, %g = fastnorm.combine_backward %dy[%index] expert_rows(%rows)
    : tensor<?x64xf32>, tensor<?x2xi64>, tensor<8x64xf32> -> expert_rows(tensor<?x64xf32>) gate(tensor<?x2xf32>)
  return
}

// -----

// combine_backward C2.
func.func @other_gate(%dy: tensor<?x64xf32>, %index: tensor<?x2xi64>, %gate: tensor<?x3xf32>) {
  // expected-error@+1 {{'fastnorm.combine_backward' op expects gate of shape ?x2 to match row_index, but got ?x3}}
  %r = fastnorm.combine_backward %dy[%index] gate(%gate) : tensor<?x64xf32>, tensor<?x2xi64>, tensor<?x3xf32> -> expert_rows(tensor<?x64xf32>)
  return
}

// -----

// combine_backward C3.
func.func @other_rows(%dy: tensor<5x64xf32>, %index: tensor<4x2xi64>) {
  // expected-error@+1 {{'fastnorm.combine_backward' op expects as many rows in grad_output as in row_index of shape 4x2, but got 5x64}}
  %r = fastnorm.combine_backward %dy[%index] : tensor<5x64xf32>, tensor<4x2xi64> -> expert_rows(tensor<?x64xf32>)
  return
}

// -----

// combine_backward C4.
func.func @no_gradient(%dy: tensor<?x64xf32>, %index: tensor<?x2xi64>) {
  // expected-error@+1 {{'fastnorm.combine_backward' op expects at least one of expert_rows(…) and gate(…) behind '->', but computes none}}
  fastnorm.combine_backward %dy[%index] : tensor<?x64xf32>, tensor<?x2xi64> ->
  return
}

// -----

// combine_backward C4.
func.func @gate_without_expert_rows(%dy: tensor<?x64xf32>, %index: tensor<?x2xi64>) {
  // expected-error@+1 {{'fastnorm.combine_backward' op expects expert_rows(…) to compute the gradient of gate from, but does not have it}}
  %g = fastnorm.combine_backward %dy[%index] : tensor<?x64xf32>, tensor<?x2xi64> -> gate(tensor<?x2xf32>)
  return
}

// -----

// combine_backward C4.
func.func @old_gradient_alone(%dy: tensor<?x64xf32>, %index: tensor<?x2xi64>, %old: tensor<?x2xf32>) {
  // expected-error@+1 {{'fastnorm.combine_backward' op expects gate(…) among its results to add an old gradient to, but does not have it}}
  %r = fastnorm.combine_backward %dy[%index] accumulate_gate(%old) : tensor<?x64xf32>, tensor<?x2xi64>, tensor<?x2xf32> -> expert_rows(tensor<?x64xf32>)
  return
}

// -----

// combine_backward C5.
func.func @too_many_slots(%dy: tensor<?x64xf32>, %index: tensor<?x65xi64>) {
  // expected-error@+1 {{'fastnorm.combine_backward' op expects top_k of at most 64, but got 65}}
  %r = fastnorm.combine_backward %dy[%index] : tensor<?x64xf32>, tensor<?x65xi64> -> expert_rows(tensor<?x64xf32>)
  return
}
