// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-name-bindings

// expected-error@+1 {{'func.func' op expects names of arguments and results to differ, but 'x' stands twice}}
func.func @same_name(%x: tensor<?x64xf32> {fastnorm.name = "x"}) -> (tensor<?x64xf32> {fastnorm.name = "x"}) {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// expected-error@+1 {{'func.func' op expects at least one result, but returns nothing}}
func.func @no_result(%x: tensor<?x64xf32>) {
  return
}

// -----

// expected-error@+1 {{'func.func' op expects arguments and results that are ranked tensors with a dimension, but got 'f32'}}
func.func @scalar_argument(%x: f32) -> f32 {
  return %x : f32
}

// -----

// expected-error@+1 {{'func.func' op expects arguments and results that are ranked tensors with a dimension, but got 'tensor<f32>'}}
func.func @tensor_without_dimension(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// expected-error@+1 {{'func.func' op expects only the first dimension to be dynamic, but got 'tensor<?x?xf32>'}}
func.func @dynamic_hidden(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}

// -----

// expected-error@+1 {{'func.func' op expects a body of one block, but has 0 blocks}}
func.func private @no_body(tensor<?x64xf32>) -> tensor<?x64xf32>
