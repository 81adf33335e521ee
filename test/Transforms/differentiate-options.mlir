// One function of the pair, and f32 gradients of what all rows share.
// RUN: fastnorm-opt %s --fastnorm-differentiate="emit=backward f32-parameters" | FileCheck %s --check-prefix=BACKWARD
// RUN: fastnorm-opt %s --fastnorm-differentiate=emit=forward | FileCheck %s --check-prefix=FORWARD
// RUN: not fastnorm-opt %s --fastnorm-differentiate=emit=all 2>&1 | FileCheck %s --check-prefix=WORD

// FORWARD: func.func @norm(
// FORWARD-NOT: func.func
// BACKWARD-NOT: func.func @norm(
// BACKWARD: func.func @norm_backward(
// BACKWARD: -> input(tensor<?x64xbf16>) weight(tensor<64xf32>) bias(tensor<64xf32>)
// WORD: error: expects emit to be both, forward or backward, but got 'all'
func.func @norm(%x: tensor<?x64xbf16>, %weight: tensor<64xbf16>, %bias: tensor<64xbf16>) -> tensor<?x64xbf16> {
  %y = fastnorm.layer_norm %x weight(%weight) bias(%bias) {eps = 1.0e-6 : f32}
     : tensor<?x64xbf16>, tensor<64xbf16>, tensor<64xbf16> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}
