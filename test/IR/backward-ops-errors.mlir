// What the gradients of norms refuse, a constraint each.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics

// backward C1: grad_output.
func.func @other_grad_output(%dy: tensor<4x64xf32>, %x: tensor<5x64xf32>, %r: tensor<5xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm_backward' op expects grad_output to have the shape of the input, 5x64, but got 4x64}}
  %dx = fastnorm.rms_norm_backward %dy, %x rstd(%r) : tensor<4x64xf32>, tensor<5x64xf32>, tensor<5xf32> -> input(tensor<5x64xf32>)
  return
}

// -----

// backward C1: grad_input.
func.func @other_grad_input(%x: tensor<5x64xf32>, %r: tensor<5xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm_backward' op expects grad_input to have the shape of the input, 5x64, but got 5x32}}
  %dx = fastnorm.rms_norm_backward %x, %x rstd(%r) : tensor<5x64xf32>, tensor<5x64xf32>, tensor<5xf32> -> input(tensor<5x32xf32>)
  return
}

// -----

// backward C2.
func.func @other_hidden_of_grad_weight(%x: tensor<5x64xf32>, %r: tensor<5xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm_backward' op expects grad_weight of hidden size 64 to match the input, but got 32}}
  %dw = fastnorm.rms_norm_backward %x, %x rstd(%r) : tensor<5x64xf32>, tensor<5x64xf32>, tensor<5xf32> -> weight(tensor<32xf32>)
  return
}

// -----

// backward C2: weights have one shape.
func.func @grad_weight_without_heads(%x: tensor<?x5x64xf32>, %r: tensor<?x5xf32>, %w: tensor<5x64xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm_backward' op expects grad_weight to have the shape of weight, 5x64, but got 64}}
  %dw = fastnorm.rms_norm_backward %x, %x rstd(%r) weight(%w) : tensor<?x5x64xf32>, tensor<?x5x64xf32>, tensor<?x5xf32>, tensor<5x64xf32> -> weight(tensor<64xf32>)
  return
}

// -----

// backward C3.
func.func @other_mean(%x: tensor<5x64xf32>, %m: tensor<4xf32>, %r: tensor<5xf32>) {
  // expected-error@+1 {{'fastnorm.layer_norm_backward' op expects mean to have the rows of the input, 5x64, but got 4}}
  %dx = fastnorm.layer_norm_backward %x, %x mean(%m) rstd(%r) : tensor<5x64xf32>, tensor<5x64xf32>, tensor<4xf32>, tensor<5xf32> -> input(tensor<5x64xf32>)
  return
}

// -----

// backward C4: nothing to add to.
func.func @residual_without_grad_input(%x: tensor<5x64xf32>, %r: tensor<5xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm_backward' op expects input(…) among its results to add the residual to, but does not have it}}
  %dw = fastnorm.rms_norm_backward %x, %x rstd(%r) residual(%x) : tensor<5x64xf32>, tensor<5x64xf32>, tensor<5xf32>, tensor<5x64xf32> -> weight(tensor<64xf32>)
  return
}

// -----

// backward C4: another shape.
func.func @other_old_bias(%x: tensor<?x5x64xf32>, %r: tensor<?x5xf32>, %o: tensor<64xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm_backward' op expects an old gradient to have the shape of bias(…), 5x64, but got 64}}
  %db = fastnorm.rms_norm_backward %x, %x rstd(%r) accumulate_bias(%o) : tensor<?x5x64xf32>, tensor<?x5x64xf32>, tensor<?x5xf32>, tensor<64xf32> -> bias(tensor<5x64xf32>)
  return
}

// -----

// backward C5.
func.func @no_gradient(%x: tensor<5x64xf32>, %r: tensor<5xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm_backward' op expects at least one of input(…), weight(…) and bias(…) behind '->', but computes none}}
  fastnorm.rms_norm_backward %x, %x rstd(%r) : tensor<5x64xf32>, tensor<5x64xf32>, tensor<5xf32> ->
  return
}

// -----

// backward C6.
func.func @backward_offset_without_weight(%x: tensor<5x64xf32>, %r: tensor<5xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm_backward' op expects a weight to add weight_offset 1.000000e+00 : f32 to, but has none}}
  %dx = fastnorm.rms_norm_backward %x, %x rstd(%r) {weight_offset = 1.0 : f32} : tensor<5x64xf32>, tensor<5x64xf32>, tensor<5xf32> -> input(tensor<5x64xf32>)
  return
}

// -----

// backward C7.
func.func @backward_hidden_unknown(%x: tensor<5x?xf32>, %r: tensor<5xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm_backward' op expects hidden to be static and at least 1, but got ?}}
  %dx = fastnorm.rms_norm_backward %x, %x rstd(%r) : tensor<5x?xf32>, tensor<5x?xf32>, tensor<5xf32> -> input(tensor<5x?xf32>)
  return
}
