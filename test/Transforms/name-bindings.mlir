// RUN: fastnorm-opt %s --fastnorm-name-bindings | FileCheck %s

// Names that stand there stay; the others are counted from 0.
// CHECK-LABEL: func.func @given_names_stay(
// CHECK-SAME: fastnorm.name = "x", fastnorm.symbols = ["rows"]
// CHECK-SAME: tensor<64xf32> {fastnorm.name = "arg1"}
// CHECK-SAME: -> (tensor<?x64xf32> {fastnorm.name = "result0", fastnorm.symbols = ["rows"]}, tensor<?xf32> {fastnorm.name = "rstd", fastnorm.symbols = ["rows"]})
func.func @given_names_stay(%x: tensor<?x64xf32> {fastnorm.name = "x"}, %weight: tensor<64xf32>)
    -> (tensor<?x64xf32>, tensor<?xf32> {fastnorm.name = "rstd"}) {
  %y, %rstd = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32}
     : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>, tensor<?xf32>
  return %y, %rstd : tensor<?x64xf32>, tensor<?xf32>
}

// Twice is as once.
// CHECK-LABEL: func.func @bound_before(
// CHECK-SAME: fastnorm.name = "arg0", fastnorm.symbols = ["rows"]
// CHECK-SAME: -> (tensor<?x64xf32> {fastnorm.name = "result0", fastnorm.symbols = ["rows"]})
func.func @bound_before(%x: tensor<?x64xf32> {fastnorm.name = "arg0", fastnorm.symbols = ["rows"]})
    -> (tensor<?x64xf32> {fastnorm.name = "result0", fastnorm.symbols = ["rows"]}) {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
