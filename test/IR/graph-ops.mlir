// Every graph op is read and written again, in both forms of its optional parts.
// RUN: fastnorm-opt %s | fastnorm-opt | FileCheck %s
// RUN: fastnorm-opt %s --mlir-print-op-generic | fastnorm-opt | FileCheck %s

// CHECK-LABEL: func.func @combine(
// CHECK-SAME: %[[ROWS:.+]]: tensor<?x64xbf16>, %[[INDEX:.+]]: tensor<?x8xi64>, %[[GATE:.+]]: tensor<?x8xf32>
func.func @combine(%expert_rows: tensor<?x64xbf16>, %row_index: tensor<?x8xi64>, %gate: tensor<?x8xf32>)
    -> tensor<?x64xbf16> {
  // CHECK: fastnorm.combine %[[ROWS]][%[[INDEX]]] gate(%[[GATE]])
  // CHECK-SAME: : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x64xbf16>
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x64xbf16>
  return %h : tensor<?x64xbf16>
}

// The other storage, index and gate types, and static rows.
// CHECK-LABEL: func.func @combine_i32_index_bf16_gate(
func.func @combine_i32_index_bf16_gate(%expert_rows: tensor<9x64xf32>, %row_index: tensor<4x1xi32>,
                                       %gate: tensor<4x1xbf16>) -> tensor<4x64xf32> {
  // CHECK: fastnorm.combine {{.*}} : tensor<9x64xf32>, tensor<4x1xi32>, tensor<4x1xbf16> -> tensor<4x64xf32>
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<9x64xf32>, tensor<4x1xi32>, tensor<4x1xbf16> -> tensor<4x64xf32>
  return %h : tensor<4x64xf32>
}

// CHECK-LABEL: func.func @residual_add(
// CHECK-SAME: %[[RESIDUAL:.+]]: tensor<?x1xf32>, %[[INPUT:.+]]: tensor<?x1xf32>
func.func @residual_add(%residual: tensor<?x1xf32>, %h: tensor<?x1xf32>) -> tensor<?x1xf32> {
  // CHECK: fastnorm.residual_add %[[RESIDUAL]], %[[INPUT]] : tensor<?x1xf32>
  %s = fastnorm.residual_add %residual, %h : tensor<?x1xf32>
  return %s : tensor<?x1xf32>
}

// CHECK-LABEL: func.func @rms_norm_weight_and_offset(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xbf16>, %[[WEIGHT:.+]]: tensor<64xf32>
func.func @rms_norm_weight_and_offset(%x: tensor<?x64xbf16>, %weight: tensor<64xf32>) -> tensor<?x64xbf16> {
  // CHECK: fastnorm.rms_norm %[[X]] weight(%[[WEIGHT]]) {eps = {{.+}} : f32, weight_offset = 1.000000e+00 : f32}
  // CHECK-SAME: : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x64xbf16>
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
     : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// An offset of 0 is the default and is left out; the result may have another storage type than the input.
// CHECK-LABEL: func.func @rms_norm_plain(
func.func @rms_norm_plain(%x: tensor<?x64xbf16>) -> tensor<?x64xf32> {
  // CHECK: fastnorm.rms_norm %{{[a-z0-9]+}} {eps = 0.000000e+00 : f32} : tensor<?x64xbf16> -> tensor<?x64xf32>
  %y = fastnorm.rms_norm %x {eps = 0.0 : f32, weight_offset = 0.0 : f32} : tensor<?x64xbf16> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @rms_norm_rstd(
func.func @rms_norm_rstd(%x: tensor<?x64xbf16>) -> (tensor<?x64xbf16>, tensor<?xf32>) {
  // CHECK: %[[Y:.+]], %[[RSTD:.+]] = fastnorm.rms_norm {{.*}} : tensor<?x64xbf16> -> tensor<?x64xbf16>, tensor<?xf32>
  // CHECK: return %[[Y]], %[[RSTD]]
  %y, %rstd = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<?x64xbf16> -> tensor<?x64xbf16>, tensor<?xf32>
  return %y, %rstd : tensor<?x64xbf16>, tensor<?xf32>
}

// A combine without a gate and with a shared expert, rounded to another type than it reads.
// CHECK-LABEL: func.func @combine_shared(
// CHECK-SAME: %[[ROWS:.+]]: tensor<?x64xf16>, %[[INDEX:.+]]: tensor<?x8xi64>, %[[SHARED:.+]]: tensor<?x64xf32>
func.func @combine_shared(%expert_rows: tensor<?x64xf16>, %row_index: tensor<?x8xi64>, %shared: tensor<?x64xf32>)
    -> tensor<?x64xbf16> {
  // CHECK: fastnorm.combine %[[ROWS]][%[[INDEX]]] shared(%[[SHARED]])
  // CHECK-SAME: : tensor<?x64xf16>, tensor<?x8xi64>, tensor<?x64xf32> -> tensor<?x64xbf16>
  %h = fastnorm.combine %expert_rows[%row_index] shared(%shared)
     : tensor<?x64xf16>, tensor<?x8xi64>, tensor<?x64xf32> -> tensor<?x64xbf16>
  return %h : tensor<?x64xbf16>
}

// Types that differ are all written.
// CHECK-LABEL: func.func @residual_add_mixed(
func.func @residual_add_mixed(%residual: tensor<?x64xf32>, %h: tensor<?x64xbf16>) -> tensor<?x64xf8E4M3FN> {
  // CHECK: fastnorm.residual_add {{.*}} : tensor<?x64xf32>, tensor<?x64xbf16> -> tensor<?x64xf8E4M3FN>
  %s = fastnorm.residual_add %residual, %h : tensor<?x64xf32>, tensor<?x64xbf16> -> tensor<?x64xf8E4M3FN>
  return %s : tensor<?x64xf8E4M3FN>
}

// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xf16>, %[[WEIGHT:.+]]: tensor<64xf32>, %[[BIAS:.+]]: tensor<64xbf16>
func.func @layer_norm(%x: tensor<?x64xf16>, %weight: tensor<64xf32>, %bias: tensor<64xbf16>)
    -> (tensor<?x64xf16>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK: %[[Y:.+]], %[[STATISTICS:.+]]:2 = fastnorm.layer_norm %[[X]] weight(%[[WEIGHT]]) bias(%[[BIAS]])
  // CHECK-SAME: {eps = {{.+}} : f32, round_xhat}
  // CHECK-SAME: : tensor<?x64xf16>, tensor<64xf32>, tensor<64xbf16> -> tensor<?x64xf16>, tensor<?xf32>, tensor<?xf32>
  %y, %mean, %rstd = fastnorm.layer_norm %x weight(%weight) bias(%bias) {eps = 1.0e-5 : f32, round_xhat}
     : tensor<?x64xf16>, tensor<64xf32>, tensor<64xbf16> -> tensor<?x64xf16>, tensor<?xf32>, tensor<?xf32>
  return %y, %mean, %rstd : tensor<?x64xf16>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @layer_norm_plain(
func.func @layer_norm_plain(%x: tensor<?x64xf16>) -> tensor<?x64xf16> {
  // CHECK: fastnorm.layer_norm %{{[a-z0-9]+}} {eps = {{.+}} : f32} : tensor<?x64xf16> -> tensor<?x64xf16>
  %y = fastnorm.layer_norm %x {eps = 1.0e-5 : f32} : tensor<?x64xf16> -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// A bias without a weight.
// CHECK-LABEL: func.func @rms_norm_bias(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xbf16>, %[[BIAS:.+]]: tensor<64xf32>
func.func @rms_norm_bias(%x: tensor<?x64xbf16>, %bias: tensor<64xf32>) -> tensor<?x64xbf16> {
  // CHECK: fastnorm.rms_norm %[[X]] bias(%[[BIAS]]) {eps
  %y = fastnorm.rms_norm %x bias(%bias) {eps = 1.0e-5 : f32} : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[TABLE:.+]]: tensor<?x64xf16>, %[[INDEX:.+]]: tensor<?xi32>
func.func @gather(%table: tensor<?x64xf16>, %index: tensor<?xi32>) -> tensor<?x64xf16> {
  // CHECK: fastnorm.gather %[[TABLE]][%[[INDEX]]] : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
  %y = fastnorm.gather %table[%index] : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// CHECK-LABEL: func.func @rms_norm_backward(
// CHECK-SAME: %[[DY:.+]]: tensor<?x64xbf16>, %[[X:.+]]: tensor<?x64xf32>, %[[RSTD:.+]]: tensor<?xf32>, %[[W:.+]]: tensor<64xf32>, %[[OLD:.+]]: tensor<64xbf16>
func.func @rms_norm_backward(%dy: tensor<?x64xbf16>, %x: tensor<?x64xf32>, %rstd: tensor<?xf32>, %w: tensor<64xf32>, %old: tensor<64xbf16>)
    -> (tensor<?x64xbf16>, tensor<64xbf16>, tensor<64xf32>) {
  // CHECK: fastnorm.rms_norm_backward %[[DY]], %[[X]] rstd(%[[RSTD]]) weight(%[[W]]) residual(%[[DY]]) accumulate_weight(%[[OLD]]) {round_xhat, weight_offset = 1.000000e+00 : f32}
  // CHECK-SAME: -> input(tensor<?x64xbf16>) weight(tensor<64xbf16>)
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%w) residual(%dy) accumulate_weight(%old)
    {weight_offset = 1.0 : f32, round_xhat}
    : tensor<?x64xbf16>, tensor<?x64xf32>, tensor<?xf32>, tensor<64xf32>, tensor<?x64xbf16>, tensor<64xbf16>
    -> input(tensor<?x64xbf16>) weight(tensor<64xbf16>)
  // CHECK: fastnorm.rms_norm_backward {{.*}} rstd(%[[RSTD]]) : {{.*}} -> bias(tensor<64xf32>)
  %db = fastnorm.rms_norm_backward %dy, %x rstd(%rstd)
    : tensor<?x64xbf16>, tensor<?x64xf32>, tensor<?xf32> -> bias(tensor<64xf32>)
  return %dx, %dw, %db : tensor<?x64xbf16>, tensor<64xbf16>, tensor<64xf32>
}

// CHECK-LABEL: func.func @layer_norm_backward_of_heads(
func.func @layer_norm_backward_of_heads(%dy: tensor<?x4x64xbf16>, %x: tensor<?x4x64xbf16>, %s: tensor<?x4xf32>, %old: tensor<4x64xf32>)
    -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  // CHECK: fastnorm.layer_norm_backward {{.*}} mean({{.*}}) rstd({{.*}}) accumulate_bias({{.*}}) : {{.*}} -> weight(tensor<4x64xf32>) bias(tensor<4x64xf32>)
  %dw, %db = fastnorm.layer_norm_backward %dy, %x mean(%s) rstd(%s) accumulate_bias(%old)
    : tensor<?x4x64xbf16>, tensor<?x4x64xbf16>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<4x64xf32>
    -> weight(tensor<4x64xf32>) bias(tensor<4x64xf32>)
  return %dw, %db : tensor<4x64xf32>, tensor<4x64xf32>
}
