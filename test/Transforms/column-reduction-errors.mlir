// Reductions over rows that no schedule places.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-pipeline="target=a100 until=schedule"

// Rows of one head would have to be those of one thread.
func.func @heads(%dy: tensor<?x3x64xbf16>, %x: tensor<?x3x64xbf16>, %rstd: tensor<?x3xf32>) -> tensor<3x64xf32> {
  // expected-error@+1 {{'fastnorm.reduce' op reduces rows of a value with axes [row, head, hidden]; only [row, hidden] can be reduced over rows}}
  %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd)
     : tensor<?x3x64xbf16>, tensor<?x3x64xbf16>, tensor<?x3xf32> -> weight(tensor<3x64xf32>)
  return %dw : tensor<3x64xf32>
}

// -----

// 1024 CTAs of 1024 threads would need more than 8 elements a thread: one at a time, as hidden is odd.
func.func @wide(%dy: tensor<?x16777215xbf16>, %x: tensor<?x16777215xbf16>, %rstd: tensor<?xf32>)
    -> (tensor<?x16777215xbf16>, tensor<16777215xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op reduces over rows of 16777215 elements, but no CTA, cluster or grid of target a100 has the registers for their sums; expected narrower rows}}
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd)
     : tensor<?x16777215xbf16>, tensor<?x16777215xbf16>, tensor<?xf32> -> input(tensor<?x16777215xbf16>) weight(tensor<16777215xf32>)
  return %dx, %dw : tensor<?x16777215xbf16>, tensor<16777215xf32>
}
