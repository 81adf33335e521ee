// RUN: fastnorm-opt %s --fastnorm-lift-single-rows --split-input-file | FileCheck %s

// Rows of rank 1 get a dimension of 1, and what they pass between ops does; parameters stay as they are. A stride between
// the elements of a row is 1, and says nothing.
// CHECK-LABEL: func.func @residual_norm(
// CHECK-SAME: %[[RESIDUAL:.+]]: tensor<1x4096xbf16> {fastnorm.result = 1 : i64, fastnorm.single_row},
// CHECK-SAME: %[[X:.+]]: tensor<1x4096xbf16> {fastnorm.single_row},
// CHECK-SAME: %[[WEIGHT:.+]]: tensor<4096xf32>)
// CHECK-SAME: -> (tensor<1x4096xf8E4M3FN> {fastnorm.single_row}, tensor<1x4096xbf16> {fastnorm.single_row})
// CHECK: %[[S:.+]] = fastnorm.residual_add %[[RESIDUAL]], %[[X]] : tensor<1x4096xbf16>
// CHECK: fastnorm.layer_norm %[[S]] weight(%[[WEIGHT]]) {{.*}} : tensor<1x4096xbf16>, tensor<4096xf32> -> tensor<1x4096xf8E4M3FN>
func.func @residual_norm(%residual: tensor<4096xbf16> {fastnorm.result = 1 : i64}, %x: tensor<4096xbf16, #fastnorm.strides<[1]>>,
                         %weight: tensor<4096xf32>) -> (tensor<4096xf8E4M3FN>, tensor<4096xbf16>) {
  %s = fastnorm.residual_add %residual, %x : tensor<4096xbf16>, tensor<4096xbf16, #fastnorm.strides<[1]>> -> tensor<4096xbf16>
  %y = fastnorm.layer_norm %s weight(%weight) {eps = 1.0e-5 : f32} : tensor<4096xbf16>, tensor<4096xf32> -> tensor<4096xf8E4M3FN>
  return %y, %s : tensor<4096xf8E4M3FN>, tensor<4096xbf16>
}

// -----

// Beside many rows one may be normalized; a [row] value of rank 1 is no row.
// CHECK-LABEL: func.func @beside_many(
// CHECK-SAME: tensor<1x64xbf16> {fastnorm.single_row}, %{{.+}}: tensor<?x64xbf16>)
// CHECK-SAME: -> (tensor<1x64xbf16> {fastnorm.single_row}, tensor<?x64xbf16>, tensor<?xf32>)
func.func @beside_many(%x: tensor<64xbf16>, %z: tensor<?x64xbf16>) -> (tensor<64xbf16>, tensor<?x64xbf16>, tensor<?xf32>) {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<64xbf16> -> tensor<64xbf16>
  %n, %rstd = fastnorm.rms_norm %z {eps = 1.0e-5 : f32} : tensor<?x64xbf16> -> tensor<?x64xbf16>, tensor<?xf32>
  return %y, %n, %rstd : tensor<64xbf16>, tensor<?x64xbf16>, tensor<?xf32>
}
