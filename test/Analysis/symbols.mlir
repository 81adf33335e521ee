// Which dynamic dimensions are equal, and what they are called, as name-bindings writes it.
// RUN: fastnorm-opt %s --fastnorm-name-bindings | FileCheck %s

// The rows of results are called rows, those of a gathered table expert_rows; the index says what it points into.
// CHECK-LABEL: func.func @rows_and_expert_rows(
// CHECK-SAME: tensor<?x64xbf16> {fastnorm.name = "arg0", fastnorm.symbols = ["expert_rows"]}
// CHECK-SAME: tensor<?x8xi64> {fastnorm.indexes = "expert_rows", fastnorm.name = "arg1", fastnorm.symbols = ["rows"]}
// CHECK-SAME: tensor<?x8xf32> {fastnorm.name = "arg2", fastnorm.symbols = ["rows"]}
// CHECK-SAME: tensor<?x64xbf16> {fastnorm.name = "arg3", fastnorm.symbols = ["rows"]}
// CHECK-SAME: -> (tensor<?x64xbf16> {fastnorm.name = "result0", fastnorm.symbols = ["rows"]})
func.func @rows_and_expert_rows(%e: tensor<?x64xbf16>, %i: tensor<?x8xi64>, %g: tensor<?x8xf32>, %r: tensor<?x64xbf16>)
    -> tensor<?x64xbf16> {
  %h = fastnorm.combine %e[%i] gate(%g) : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x64xbf16>
  %s = fastnorm.residual_add %r, %h : tensor<?x64xbf16>
  return %s : tensor<?x64xbf16>
}

// A name that people gave, on any of the values that the ops make equal, is the name of all.
// CHECK-LABEL: func.func @given_name_reaches_all(
// CHECK-SAME: fastnorm.name = "arg0", fastnorm.symbols = ["tokens"]
// CHECK-SAME: fastnorm.name = "arg1", fastnorm.symbols = ["tokens"]
// CHECK-SAME: fastnorm.name = "result0", fastnorm.symbols = ["tokens"]
func.func @given_name_reaches_all(%x: tensor<?x64xf32>, %r: tensor<?x64xf32> {fastnorm.symbols = ["tokens"]})
    -> tensor<?x64xf32> {
  %s = fastnorm.residual_add %r, %x : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}

// What no op joins has symbols of its own, numbered.
// CHECK-LABEL: func.func @independent_rows(
// CHECK-SAME: fastnorm.name = "arg0", fastnorm.symbols = ["rows"]
// CHECK-SAME: fastnorm.name = "arg1", fastnorm.symbols = ["rows_2"]
// CHECK-SAME: fastnorm.name = "result0", fastnorm.symbols = ["rows"]
// CHECK-SAME: fastnorm.name = "result1", fastnorm.symbols = ["rows_2"]
func.func @independent_rows(%x: tensor<?x64xf32>, %z: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %w = fastnorm.rms_norm %z {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y, %w : tensor<?x64xf32>, tensor<?x64xf32>
}

// Equal names join what no op joins.
// CHECK-LABEL: func.func @equal_names_are_equal_extents(
// CHECK-SAME: fastnorm.name = "arg0", fastnorm.symbols = ["n"]
// CHECK-SAME: fastnorm.name = "arg1", fastnorm.symbols = ["n"]
// CHECK-SAME: fastnorm.name = "result0", fastnorm.symbols = ["n"]
// CHECK-SAME: fastnorm.name = "result1", fastnorm.symbols = ["n"]
func.func @equal_names_are_equal_extents(%x: tensor<?x64xf32> {fastnorm.symbols = ["n"]},
    %z: tensor<?x64xf32> {fastnorm.symbols = ["n"]}) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %w = fastnorm.rms_norm %z {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y, %w : tensor<?x64xf32>, tensor<?x64xf32>
}

// A name that a person gave is not handed out again.
// CHECK-LABEL: func.func @taken_name(
// CHECK-SAME: fastnorm.name = "arg0", fastnorm.symbols = ["rows_2"]
// CHECK-SAME: fastnorm.name = "arg1", fastnorm.symbols = ["rows"]
func.func @taken_name(%x: tensor<?x64xf32>, %z: tensor<?x64xf32> {fastnorm.symbols = ["rows"]})
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %w = fastnorm.rms_norm %z {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y, %w : tensor<?x64xf32>, tensor<?x64xf32>
}

// Static rows need no symbol, neither does a weight; a static table has no symbol to point into.
// CHECK-LABEL: func.func @static_rows(
// CHECK-SAME: tensor<9x64xf32> {fastnorm.name = "arg0"}
// CHECK-SAME: tensor<4x2xi32> {fastnorm.name = "arg1"}
// CHECK-SAME: tensor<4x2xf32> {fastnorm.name = "arg2"}
// CHECK-SAME: -> (tensor<4x64xf32> {fastnorm.name = "result0"})
func.func @static_rows(%e: tensor<9x64xf32>, %i: tensor<4x2xi32>, %g: tensor<4x2xf32>) -> tensor<4x64xf32> {
  %h = fastnorm.combine %e[%i] gate(%g) : tensor<9x64xf32>, tensor<4x2xi32>, tensor<4x2xf32> -> tensor<4x64xf32>
  return %h : tensor<4x64xf32>
}
