// Gradients of parameters that heads have for themselves decompose to reductions over some of the row dimensions, for which there
// is no schedule.
// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-pipeline="target=h200 until=schedule"

func.func @grad_weight(%dy: tensor<?x3x64xbf16>, %x: tensor<?x3x64xbf16>, %rstd: tensor<?x3xf32>) -> tensor<3x64xf32> {
  // expected-error@+1 {{'fastnorm.reduce' op reduces rows of a value with axes [row, head, hidden]; only [row, hidden] can be reduced over rows}}
  %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd)
     : tensor<?x3x64xbf16>, tensor<?x3x64xbf16>, tensor<?x3xf32> -> weight(tensor<3x64xf32>)
  return %dw : tensor<3x64xf32>
}
