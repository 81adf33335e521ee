// The end of a mixture-of-experts block and the norm behind it: each token's expert rows are combined by their gates,
// added to the residual stream, and normalized. One kernel.
//
//   build/bin/fastnorm-run examples/combine_norm.mlir --fill=seed:1 --dim rows=128 --dim expert_rows=1024 \
//     --check=reference

func.func @combine_norm(%expert_rows: tensor<?x3072xbf16>, %row_index: tensor<?x8xi64>, %gate: tensor<?x8xf32>,
                        %residual: tensor<?x3072xbf16>, %weight: tensor<3072xf32>) -> tensor<?x3072xbf16> {
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x3072xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x3072xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x3072xbf16>
  %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
     : tensor<?x3072xbf16>, tensor<3072xf32> -> tensor<?x3072xbf16>
  return %y : tensor<?x3072xbf16>
}
