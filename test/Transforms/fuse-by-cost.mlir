// The grouping that the cost model says is fastest: at the shape of the report that began this, and for one token.
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=h200 until=fuse symbols=rows=3467" 2>/dev/null | FileCheck %s --check-prefixes=ONE
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=a100 until=fuse symbols=rows=3467" 2>/dev/null | FileCheck %s --check-prefixes=ONE
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=h200 until=fuse symbols=rows=1" 2>/dev/null | FileCheck %s --check-prefixes=ONE
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=a100 until=fuse symbols=rows=1" 2>/dev/null | FileCheck %s --check-prefixes=ONE

// ONE-LABEL: func.func @report(
// ONE: fastnorm.kernel "combine_residual_add_rms_norm"
// ONE-NOT: fastnorm.kernel
func.func @report(%expert_rows: tensor<?x3072xbf16>, %row_index: tensor<?x8xi64>, %gate: tensor<?x8xf32>,
                  %residual: tensor<?x3072xbf16>, %weight: tensor<3072xf32>) -> tensor<?x3072xbf16> {
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x3072xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x3072xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x3072xbf16>
  %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
     : tensor<?x3072xbf16>, tensor<3072xf32> -> tensor<?x3072xbf16>
  return %y : tensor<?x3072xbf16>
}
