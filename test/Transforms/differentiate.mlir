// Backward functions of whole blocks: what is saved, and how many ops are left.
// RUN: fastnorm-opt %s --split-input-file --fastnorm-differentiate | FileCheck %s
// Each of them goes on to kernels.
// RUN: fastnorm-opt %s --split-input-file --fastnorm-differentiate=emit=backward --fastnorm-pipeline="until=fuse" \
// RUN:   | FileCheck %s --check-prefix=KERNELS

// A residual stream and a norm, both in use: the stream's gradient is added in the norm's op, and is the gradient of both
// addends. The stream is read as it was returned.
// CHECK-LABEL: func.func @block(
// CHECK-SAME: -> (tensor<?x64xbf16> {fastnorm.name = "y", {{.*}}}, tensor<?x64xbf16> {fastnorm.name = "s", {{.*}}}, tensor<?xf32> {fastnorm.name = "saved_rstd", fastnorm.symbols = ["rows"]})
// CHECK: %[[S:.+]] = fastnorm.residual_add
// CHECK: %[[Y:.+]], %[[RSTD:.+]] = fastnorm.rms_norm %[[S]]
// CHECK: return %[[Y]], %[[S]], %[[RSTD]]
// CHECK-LABEL: func.func @block_backward(
// CHECK-SAME: %[[DY:[a-z0-9]+]]: tensor<?x64xbf16> {fastnorm.name = "grad_y", fastnorm.symbols = ["rows"]}
// CHECK-SAME: %[[DS:[a-z0-9]+]]: tensor<?x64xbf16> {fastnorm.name = "grad_s"
// CHECK-SAME: %[[S:[a-z0-9]+]]: tensor<?x64xbf16> {fastnorm.name = "s"
// CHECK-SAME: %[[RSTD:[a-z0-9]+]]: tensor<?xf32> {fastnorm.name = "saved_rstd"
// CHECK-SAME: %[[WEIGHT:[a-z0-9]+]]: tensor<64xbf16> {fastnorm.name = "weight"})
// CHECK-SAME: -> (tensor<?x64xbf16> {fastnorm.gradient_of = ["residual", "h"], fastnorm.name = "grad_residual", fastnorm.symbols = ["rows"]}, tensor<64xbf16> {fastnorm.gradient_of = ["weight"], fastnorm.name = "grad_weight"})
// CHECK-NEXT: %[[DX:.+]], %[[DW:.+]] = fastnorm.rms_norm_backward %[[DY]], %[[S]] rstd(%[[RSTD]]) weight(%[[WEIGHT]]) residual(%[[DS]]) {round_xhat, weight_offset = 1.000000e+00 : f32}
// CHECK-NEXT: return %[[DX]], %[[DW]]
// KERNELS: func.func @block_backward(
// KERNELS-COUNT-1: fastnorm.kernel "rms_norm_backward"
// KERNELS-NOT: fastnorm.kernel
func.func @block(%residual: tensor<?x64xbf16> {fastnorm.name = "residual"}, %h: tensor<?x64xbf16> {fastnorm.name = "h"},
                 %weight: tensor<64xbf16> {fastnorm.name = "weight"})
    -> (tensor<?x64xbf16> {fastnorm.name = "y"}, tensor<?x64xbf16> {fastnorm.name = "s"}) {
  %s = fastnorm.residual_add %residual, %h : tensor<?x64xbf16>
  %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32, round_xhat}
     : tensor<?x64xbf16>, tensor<64xbf16> -> tensor<?x64xbf16>
  return %y, %s : tensor<?x64xbf16>, tensor<?x64xbf16>
}

// -----

// Statistics that are returned are read as such, and have no gradient to take; what is normalized and not returned is
// saved.
// CHECK-LABEL: func.func @hidden_stream(
// CHECK-SAME: -> (tensor<4x64xf32> {fastnorm.name = "result0"}, tensor<4xf32> {fastnorm.name = "result1"}, tensor<4xf32> {fastnorm.name = "r"}, tensor<4x64xf32> {fastnorm.name = "saved_input"})
// CHECK-LABEL: func.func @hidden_stream_backward(
// CHECK-SAME: %[[DY:[a-z0-9]+]]: tensor<4x64xf32> {fastnorm.name = "grad_result0"}
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x64xf32> {fastnorm.name = "saved_input"}
// CHECK-SAME: %[[MEAN:[a-z0-9]+]]: tensor<4xf32> {fastnorm.name = "result1"}
// CHECK-SAME: %[[RSTD:[a-z0-9]+]]: tensor<4xf32> {fastnorm.name = "r"})
// CHECK-NEXT: fastnorm.layer_norm_backward %[[DY]], %[[X]] mean(%[[MEAN]]) rstd(%[[RSTD]]) :
// CHECK-NEXT: return
// KERNELS: func.func @hidden_stream_backward(
func.func @hidden_stream(%a: tensor<4x64xf32>, %b: tensor<4x64xf32>)
    -> (tensor<4x64xf32>, tensor<4xf32>, tensor<4xf32> {fastnorm.name = "r"}) {
  %s = fastnorm.residual_add %a, %b : tensor<4x64xf32>
  %y, %mean, %rstd = fastnorm.layer_norm %s {eps = 1.0e-6 : f32} : tensor<4x64xf32> -> tensor<4x64xf32>, tensor<4xf32>, tensor<4xf32>
  return %y, %mean, %rstd : tensor<4x64xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A norm added to its input: one op. Its bias is f32; gradients are dense.
// CHECK-LABEL: func.func @norm_then_residual_backward(
// CHECK-SAME: %[[DZ:[a-z0-9]+]]: tensor<?x64xf16> {fastnorm.name = "grad_result0"
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x64xf16, #fastnorm.strides<[128, 1]>> {fastnorm.name = "arg0"
// CHECK-NEXT: %[[DX:.+]], %[[DB:.+]] = fastnorm.layer_norm_backward %[[DZ]], %[[X]] {{.*}} residual(%[[DZ]]) : {{.*}} -> input(tensor<?x64xf16>) bias(tensor<64xf32>)
// CHECK-NEXT: return %[[DX]], %[[DB]]
// KERNELS: func.func @norm_then_residual_backward(
func.func @norm_then_residual(%x: tensor<?x64xf16, #fastnorm.strides<[128, 1]>>, %bias: tensor<64xf32>) -> tensor<?x64xf16> {
  %y = fastnorm.layer_norm %x bias(%bias) {eps = 1.0e-6 : f32}
     : tensor<?x64xf16, #fastnorm.strides<[128, 1]>>, tensor<64xf32> -> tensor<?x64xf16>
  %z = fastnorm.residual_add %y, %x : tensor<?x64xf16>, tensor<?x64xf16, #fastnorm.strides<[128, 1]>> -> tensor<?x64xf16>
  return %z : tensor<?x64xf16>
}

// -----

// Two norms in a row with one weight: the second gradient of the weight is added by the op that makes it. The second
// statistic has a name of its own.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: {fastnorm.name = "saved_rstd", {{.*}} {fastnorm.name = "saved_input", {{.*}} {fastnorm.name = "saved_rstd_2"
// CHECK-LABEL: func.func @chain_backward(
// CHECK-NEXT: %[[DX1:.+]], %[[DW1:.+]] = fastnorm.rms_norm_backward %{{.*}} -> input(tensor<?x64xbf16>) weight(tensor<64xbf16>)
// CHECK-NEXT: %[[DX2:.+]], %[[DW2:.+]] = fastnorm.rms_norm_backward %[[DX1]], {{.*}} accumulate_weight(%[[DW1]])
// CHECK-NEXT: return %[[DX2]], %[[DW2]]
// KERNELS: func.func @chain_backward(
func.func @chain(%x: tensor<?x64xbf16>, %weight: tensor<64xbf16>) -> tensor<?x64xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32} : tensor<?x64xbf16>, tensor<64xbf16> -> tensor<?x64xbf16>
  %z = fastnorm.rms_norm %y weight(%weight) {eps = 1.0e-6 : f32} : tensor<?x64xbf16>, tensor<64xbf16> -> tensor<?x64xbf16>
  return %z : tensor<?x64xbf16>
}

// -----

// A gradient becomes the type of what it is the gradient of; where something is added, in the same op.
// CHECK-LABEL: func.func @mixed_types_backward(
// CHECK-SAME: %[[DS:[a-z0-9]+]]: tensor<?x64xf32> {fastnorm.name = "grad_result0"
// CHECK-SAME: %[[DX:[a-z0-9]+]]: tensor<?x64xbf16> {fastnorm.name = "grad_result1"
// CHECK-SAME: -> (tensor<?x64xf32> {fastnorm.gradient_of = ["arg0"]{{.*}}tensor<?x64xf16> {fastnorm.gradient_of = ["arg1"]{{.*}}tensor<?x64xbf16> {fastnorm.gradient_of = ["arg2"]
// CHECK: %[[H:.+]] = fastnorm.map(%[[T:.+]] [row, hidden]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf16>
// CHECK-NEXT: ^bb0(%[[F:.+]]: f32):
// CHECK-NEXT: %[[C:.+]] = arith.truncf %[[F]] : f32 to f16
// CHECK-NEXT: fastnorm.yield %[[C]]
// CHECK: %[[X:.+]] = fastnorm.residual_add %[[DX]], %[[DS]] : tensor<?x64xbf16>, tensor<?x64xf32> -> tensor<?x64xbf16>
// CHECK: return
// KERNELS: func.func @mixed_types_backward(
func.func @mixed_types(%residual: tensor<?x64xf32>, %h: tensor<?x64xf16>, %x: tensor<?x64xbf16>)
    -> (tensor<?x64xf32>, tensor<?x64xbf16>) {
  %t = fastnorm.residual_add %residual, %x : tensor<?x64xf32>, tensor<?x64xbf16> -> tensor<?x64xf32>
  %s = fastnorm.residual_add %t, %h : tensor<?x64xf32>, tensor<?x64xf16> -> tensor<?x64xf32>
  return %s, %x : tensor<?x64xf32>, tensor<?x64xbf16>
}

// -----

// Only what leads to a wanted gradient: an op without gradients does no harm elsewhere.
// CHECK-LABEL: func.func @mask_backward(
// CHECK-SAME: %[[DY:[a-z0-9]+]]: tensor<?x64xf32> {fastnorm.name = "grad_result0"
// CHECK-NEXT: %[[DW:.+]] = fastnorm.rms_norm_backward %[[DY]], {{.*}} -> weight(tensor<64xf32>)
// CHECK-NEXT: return %[[DW]]
// KERNELS: func.func @mask_backward(
func.func @mask(%rows: tensor<?x64xf32> {fastnorm.no_gradient}, %index: tensor<?x2xi32>, %weight: tensor<64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf8E4M3FN> {fastnorm.no_gradient}) {
  %x = fastnorm.combine %rows[%index] : tensor<?x64xf32>, tensor<?x2xi32> -> tensor<?x64xf32>
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32} : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>
  %q = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32} : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf8E4M3FN>
  return %y, %q : tensor<?x64xf32>, tensor<?x64xf8E4M3FN>
}

// -----

// A row without a row dimension: the gradient is one to the caller as well.
// CHECK-LABEL: func.func @single_row(
// CHECK-SAME: tensor<1xf32> {fastnorm.name = "saved_rstd"}
// CHECK-LABEL: func.func @single_row_backward(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<1x64xf32> {fastnorm.name = "grad_result0", fastnorm.single_row}, %{{[a-z0-9]+}}: tensor<1x64xf32> {fastnorm.name = "arg0", fastnorm.single_row}
// CHECK-SAME: -> (tensor<1x64xf32> {fastnorm.gradient_of = ["arg0"], fastnorm.name = "grad_arg0", fastnorm.single_row}, tensor<64xf32> {fastnorm.gradient_of = ["arg1"], fastnorm.name = "grad_arg1"})
// CHECK-NEXT: fastnorm.rms_norm_backward
// KERNELS: func.func @single_row_backward(
func.func @single_row(%x: tensor<64xf32>, %weight: tensor<64xf32>) -> tensor<64xf32> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32} : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  return %y : tensor<64xf32>
}
