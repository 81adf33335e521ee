// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-name-bindings

// Two names for what the op makes equal.
// expected-error@+1 {{'func.func' op gives one dimension two names, '}}
func.func @two_names(%x: tensor<?x64xf32> {fastnorm.symbols = ["a"]}, %r: tensor<?x64xf32> {fastnorm.symbols = ["b"]})
    -> tensor<?x64xf32> {
  %s = fastnorm.residual_add %r, %x : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}

// -----

// What a `?` turns out to be is checked by its symbol only, so a size that stands in one type stands in all.
func.func @dynamic_rows_of_a_static_result(%x: tensor<?x64xf32>) -> tensor<8x64xf32> {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects all of its rows to be dynamic or of one size, but got 'tensor<?x64xf32>' and 'tensor<8x64xf32>'}}
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
