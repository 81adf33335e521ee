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

// Without clusters a CTA has the sums of all columns: 256 threads x 128 columns would need more than 255 registers each.
func.func @wide(%dy: tensor<?x32768xbf16>, %x: tensor<?x32768xbf16>, %rstd: tensor<?xf32>)
    -> (tensor<?x32768xbf16>, tensor<32768xf32>) {
  // expected-error@+1 {{'fastnorm.kernel' op reduces over rows of 32768 elements, but no CTA or cluster of target a100 has the registers for their sums; expected narrower rows, or a target with (larger) clusters}}
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd)
     : tensor<?x32768xbf16>, tensor<?x32768xbf16>, tensor<?xf32> -> input(tensor<?x32768xbf16>) weight(tensor<32768xf32>)
  return %dx, %dw : tensor<?x32768xbf16>, tensor<32768xf32>
}
