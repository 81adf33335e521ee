func.func @block(%expert_rows: tensor<?x3072xbf16>, %row_index: tensor<?x8xi64>, %gate: tensor<?x8xf32>, %residual: tensor<?x3072xbf16>, %weight: tensor<3072xbf16>) -> (tensor<?x3072xbf16>, tensor<?x3072xbf16>) {
  %h = fastnorm.combine %expert_rows[%row_index] index_map(injective) gate(%gate) : tensor<?x3072xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x3072xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x3072xbf16>
  %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32} : tensor<?x3072xbf16>, tensor<3072xbf16> -> tensor<?x3072xbf16>
  return %y, %s : tensor<?x3072xbf16>, tensor<?x3072xbf16>
}
