// What each graph op refuses, by the label of the constraint in its documentation.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics

// combine C1, hidden.
func.func @combine_hidden_differs(%rows: tensor<?x64xbf16>, %index: tensor<?x8xi64>, %gate: tensor<?x8xf32>) {
  // expected-error@+1 {{'fastnorm.combine' op expects expert_rows of hidden size 32 to match the result, but got ?x64}}
  %h = fastnorm.combine %rows[%index] gate(%gate) : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x32xbf16>
  return
}

// -----

// combine C1, shared.
func.func @combine_shared_hidden_differs(%rows: tensor<?x64xbf16>, %index: tensor<?x8xi64>, %s: tensor<?x32xbf16>) {
  // expected-error@+1 {{'fastnorm.combine' op expects shared of hidden size 64 to match the result, but got ?x32}}
  %h = fastnorm.combine %rows[%index] shared(%s) : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x32xbf16> -> tensor<?x64xbf16>
  return
}

// -----

// combine C3, shared.
func.func @combine_shared_rows_differ(%rows: tensor<?x64xbf16>, %index: tensor<5x8xi64>, %s: tensor<4x64xbf16>) {
  // expected-error@+1 {{'fastnorm.combine' op expects as many rows in shared as in row_index of shape 5x8, but got 4x64}}
  %h = fastnorm.combine %rows[%index] shared(%s) : tensor<?x64xbf16>, tensor<5x8xi64>, tensor<4x64xbf16> -> tensor<5x64xbf16>
  return
}

// -----

// combine C2.
func.func @combine_gate_has_fewer_slots(%rows: tensor<9x64xbf16>, %index: tensor<16x8xi64>, %gate: tensor<16x4xf32>) {
  // expected-error@+1 {{'fastnorm.combine' op expects gate of shape 16x8 to match row_index, but got 16x4}}
  %h = fastnorm.combine %rows[%index] gate(%gate) : tensor<9x64xbf16>, tensor<16x8xi64>, tensor<16x4xf32> -> tensor<16x64xbf16>
  return
}

// -----

// combine C3.
func.func @combine_rows_differ(%rows: tensor<9x64xbf16>, %index: tensor<16x8xi64>, %gate: tensor<16x8xf32>) {
  // expected-error@+1 {{'fastnorm.combine' op expects as many rows in the result as in row_index of shape 16x8, but got 15x64}}
  %h = fastnorm.combine %rows[%index] gate(%gate) : tensor<9x64xbf16>, tensor<16x8xi64>, tensor<16x8xf32> -> tensor<15x64xbf16>
  return
}

// -----

// combine C4, hidden.
func.func @combine_dynamic_hidden(%rows: tensor<?x?xbf16>, %index: tensor<?x8xi64>, %gate: tensor<?x8xf32>) {
  // expected-error@+1 {{'fastnorm.combine' op expects hidden to be static and at least 1, but got ?}}
  %h = fastnorm.combine %rows[%index] gate(%gate) : tensor<?x?xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x?xbf16>
  return
}

// -----

// combine C4, top_k not static.
func.func @combine_dynamic_top_k(%rows: tensor<?x64xbf16>, %index: tensor<?x?xi64>, %gate: tensor<?x?xf32>) {
  // expected-error@+1 {{'fastnorm.combine' op expects top_k to be static and at least 1, but got ?}}
  %h = fastnorm.combine %rows[%index] gate(%gate) : tensor<?x64xbf16>, tensor<?x?xi64>, tensor<?x?xf32> -> tensor<?x64xbf16>
  return
}

// -----

// combine C4, top_k of none.
func.func @combine_without_slots(%rows: tensor<?x64xbf16>, %index: tensor<?x0xi64>, %gate: tensor<?x0xf32>) {
  // expected-error@+1 {{'fastnorm.combine' op expects top_k to be static and at least 1, but got 0}}
  %h = fastnorm.combine %rows[%index] gate(%gate) : tensor<?x64xbf16>, tensor<?x0xi64>, tensor<?x0xf32> -> tensor<?x64xbf16>
  return
}

// -----

// combine C4, the most slots.
func.func @combine_too_many_slots(%rows: tensor<?x64xbf16>, %index: tensor<?x65xi64>, %gate: tensor<?x65xf32>) {
  // expected-error@+1 {{'fastnorm.combine' op expects top_k of at most 64, but got 65}}
  %h = fastnorm.combine %rows[%index] gate(%gate) : tensor<?x64xbf16>, tensor<?x65xi64>, tensor<?x65xf32> -> tensor<?x64xbf16>
  return
}

// -----

func.func @combine_index_of_floats(%rows: tensor<?x64xbf16>, %index: tensor<?x8xf32>, %gate: tensor<?x8xf32>) {
  // expected-error@+1 {{'fastnorm.combine' op operand #1 must be [rows, top_k] tensor of i32 or i64}}
  %h = fastnorm.combine %rows[%index] gate(%gate) : tensor<?x64xbf16>, tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x64xbf16>
  return
}

// -----

// residual_add C1.
func.func @residual_add_dynamic_hidden(%residual: tensor<?x?xbf16>, %h: tensor<?x?xbf16>) {
  // expected-error@+1 {{'fastnorm.residual_add' op expects hidden to be static and at least 1, but got ?}}
  %s = fastnorm.residual_add %residual, %h : tensor<?x?xbf16>
  return
}

// -----

func.func @residual_add_f64(%residual: tensor<?x64xf64>, %h: tensor<?x64xf64>) {
  // expected-error@+1 {{'fastnorm.residual_add' op operand #0 must be [rows, hidden] tensor of f32, bf16 or f16}}
  %s = fastnorm.residual_add %residual, %h : tensor<?x64xf64>
  return
}

// -----

// rms_norm C1.
func.func @rms_norm_result_hidden_differs(%x: tensor<?x64xbf16>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects the result to have the shape of the input, ?x64, but got ?x32}}
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xbf16> -> tensor<?x32xbf16>
  return
}

// -----

// rms_norm C2.
func.func @rms_norm_weight_too_short(%x: tensor<?x64xbf16>, %weight: tensor<63xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects weight of hidden size 64 to match the input, but got 63}}
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32} : tensor<?x64xbf16>, tensor<63xf32> -> tensor<?x64xbf16>
  return
}

// -----

// rms_norm C3.
func.func @rms_norm_rstd_rows_differ(%x: tensor<7x64xbf16>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects rstd to have the rows of the input, 7x64, but got 8}}
  %y, %rstd = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<7x64xbf16> -> tensor<7x64xbf16>, tensor<8xf32>
  return
}

// -----

// rms_norm C4, eps below zero.
func.func @rms_norm_negative_eps(%x: tensor<?x64xbf16>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects eps to be finite and not negative, but got -1.000000e+00 : f32}}
  %y = fastnorm.rms_norm %x {eps = -1.0 : f32} : tensor<?x64xbf16> -> tensor<?x64xbf16>
  return
}

// -----

// rms_norm C4, eps NaN.
func.func @rms_norm_nan_eps(%x: tensor<?x64xbf16>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects eps to be finite and not negative, but got 0x7FC00000 : f32}}
  %y = fastnorm.rms_norm %x {eps = 0x7FC00000 : f32} : tensor<?x64xbf16> -> tensor<?x64xbf16>
  return
}

// -----

// rms_norm C4, weight_offset.
func.func @rms_norm_infinite_offset(%x: tensor<?x64xbf16>, %weight: tensor<64xf32>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects weight_offset to be finite, but got 0x7F800000 : f32}}
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 0x7F800000 : f32}
     : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x64xbf16>
  return
}

// -----

// rms_norm C5.
func.func @rms_norm_offset_without_weight(%x: tensor<?x64xbf16>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects a weight to add weight_offset 1.000000e+00 : f32 to, but has none}}
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32} : tensor<?x64xbf16> -> tensor<?x64xbf16>
  return
}

// -----

// rms_norm C6.
func.func @rms_norm_without_columns(%x: tensor<?x0xbf16>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects hidden to be static and at least 1, but got 0}}
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x0xbf16> -> tensor<?x0xbf16>
  return
}

// -----

func.func @rms_norm_needs_eps(%x: tensor<?x64xbf16>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op requires attribute 'eps'}}
  %y = fastnorm.rms_norm %x : tensor<?x64xbf16> -> tensor<?x64xbf16>
  return
}

// -----

// residual_add C1, the operands.
func.func @residual_add_shapes_differ(%x: tensor<?x64xf32>, %h: tensor<?x32xbf16>) {
  // expected-error@+1 {{'fastnorm.residual_add' op expects input to have the shape of residual, ?x64, but got ?x32}}
  %s = fastnorm.residual_add %x, %h : tensor<?x64xf32>, tensor<?x32xbf16> -> tensor<?x64xf32>
  return
}

// -----

// residual_add C1, the result.
func.func @residual_add_result_differs(%x: tensor<4x64xf32>, %h: tensor<4x64xbf16>) {
  // expected-error@+1 {{'fastnorm.residual_add' op expects the result to have the shape of residual, 4x64, but got 5x64}}
  %s = fastnorm.residual_add %x, %h : tensor<4x64xf32>, tensor<4x64xbf16> -> tensor<5x64xf32>
  return
}

// -----

// layer_norm C2, bias.
func.func @layer_norm_bias_differs(%x: tensor<?x64xbf16>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'fastnorm.layer_norm' op expects bias of hidden size 64 to match the input, but got 32}}
  %y = fastnorm.layer_norm %x bias(%b) {eps = 1.0e-5 : f32} : tensor<?x64xbf16>, tensor<32xf32> -> tensor<?x64xbf16>
  return
}

// -----

// layer_norm C3, how many.
func.func @layer_norm_one_statistic(%x: tensor<?x64xbf16>) {
  // expected-error@+1 {{'fastnorm.layer_norm' op expects two statistics, mean and rstd, or none, but got 1}}
  %y, %m = fastnorm.layer_norm %x {eps = 1.0e-5 : f32} : tensor<?x64xbf16> -> tensor<?x64xbf16>, tensor<?xf32>
  return
}

// -----

// layer_norm C3, which rows.
func.func @layer_norm_statistic_rows_differ(%x: tensor<4x64xbf16>) {
  // expected-error@+1 {{'fastnorm.layer_norm' op expects rstd to have the rows of the input, 4x64, but got 5}}
  %y, %m, %r = fastnorm.layer_norm %x {eps = 1.0e-5 : f32} : tensor<4x64xbf16> -> tensor<4x64xbf16>, tensor<4xf32>, tensor<5xf32>
  return
}

// -----

// layer_norm C4: eps is asked for.
func.func @layer_norm_without_eps(%x: tensor<?x64xbf16>) {
  // expected-error@+1 {{'fastnorm.layer_norm' op requires attribute 'eps'}}
  %y = "fastnorm.layer_norm"(%x) {operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return
}

// -----

// layer_norm C5.
func.func @layer_norm_offset_without_weight(%x: tensor<?x64xbf16>) {
  // expected-error@+1 {{'fastnorm.layer_norm' op expects a weight to add weight_offset 1.000000e+00 : f32 to, but has none}}
  %y = fastnorm.layer_norm %x {eps = 1.0e-5 : f32, weight_offset = 1.0 : f32} : tensor<?x64xbf16> -> tensor<?x64xbf16>
  return
}

// -----

// What is read is not f8E4M3FN: only results are rounded to it.
func.func @rms_norm_of_f8(%x: tensor<?x64xf8E4M3FN>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op operand #0 must be [rows, hidden] tensor of f32, bf16 or f16}}
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<?x64xf8E4M3FN> -> tensor<?x64xbf16>
  return
}

// -----

// The statistics of one row of rank 1 would be of rank 0.
func.func @statistic_of_single_row(%x: tensor<4096xbf16>) -> (tensor<4096xbf16>, tensor<f32>) {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects an input with a row dimension for rstd to have it, too; write 'tensor<1x4096xbf16>' for the one row}}
  %y, %rstd = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<4096xbf16> -> tensor<4096xbf16>, tensor<f32>
  return %y, %rstd : tensor<4096xbf16>, tensor<f32>
}

// -----

func.func @heads_of_single_row(%x: tensor<64xf32>, %weight: tensor<2x64xf32>) -> tensor<64xf32> {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects weight with heads to have the innermost row dimension of the input, 64, which must be static, but got 2x64}}
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32} : tensor<64xf32>, tensor<2x64xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}
