// RUN: fastnorm-opt %s --fastnorm-lift-single-rows --split-input-file --verify-diagnostics

func.func @row_and_parameter(%x: tensor<64xbf16>, %z: tensor<?x64xbf16>) -> (tensor<64xbf16>, tensor<?x64xbf16>) {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<64xbf16> -> tensor<64xbf16>
  // expected-error@+1 {{'fastnorm.rms_norm' op has 'tensor<64xbf16>' as [hidden], which another op has as one row; write 'tensor<1x64xbf16>' for the row}}
  %w = fastnorm.rms_norm %z weight(%x) {eps = 1.0e-5 : f32} : tensor<?x64xbf16>, tensor<64xbf16> -> tensor<?x64xbf16>
  return %y, %w : tensor<64xbf16>, tensor<?x64xbf16>
}

// -----

func.func @computed_as_hidden(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error@+1 {{'fastnorm.map' op has 'tensor<64xf32>' as [hidden], which another op has as one row; write 'tensor<1x64xf32>' for the row}}
  %p = fastnorm.map(%x [hidden]) -> [hidden] : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    fastnorm.yield %r : f32
  }
  %y = fastnorm.rms_norm %p {eps = 1.0e-5 : f32} : tensor<64xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// -----

// expected-error@+1 {{expects 'fastnorm.single_row' on a tensor that begins with a dimension of 1, but got 'tensor<2x64xf32>'}}
func.func @two_rows(%x: tensor<2x64xf32> {fastnorm.single_row}) -> tensor<2x64xf32> {
  return %x : tensor<2x64xf32>
}
