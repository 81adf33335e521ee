// Gradients of parameters decompose to reductions over all rows, for which there is no schedule.
// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-pipeline="target=h200 until=schedule"

func.func @grad_weight(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>, %rstd: tensor<?xf32>) -> tensor<64xf32> {
  // expected-error@+1 {{'fastnorm.reduce' op reduces over all rows, which no schedule places}}
  %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd)
     : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?xf32> -> weight(tensor<64xf32>)
  return %dw : tensor<64xf32>
}
