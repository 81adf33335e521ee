// Strides that cannot be, each in one sentence.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-name-bindings

// expected-error@+1 {{expects the last of the strides to be 1, but got 4096; copy the tensor so that the elements of a row are neighbours}}
func.func private @transposed(tensor<?x64xf32, #fastnorm.strides<[1, 4096]>>)

// -----

// expected-error@+1 {{expects the last of the strides to be 1, but got ?; copy the tensor so that the elements of a row are neighbours}}
func.func private @last_at_run_time(tensor<?x64xf32, #fastnorm.strides<[64, ?]>>)

// -----

// expected-error@+1 {{expects strides that are not negative, but got -64}}
func.func private @negative(tensor<?x64xf32, #fastnorm.strides<[-64, 1]>>)

// -----

// expected-error@+1 {{expects a stride for each of the 2 dimensions, but got 3}}
func.func private @too_many(tensor<?x64xf32, #fastnorm.strides<[640, 64, 1]>>)

// -----

// expected-error@+1 {{expects row dimensions that two strides reach, but these need 3; copy the tensor so that neighbouring dimensions go on where the next one ends}}
func.func private @three_strides(tensor<?x4x8x64xf32, #fastnorm.strides<[4096, 1000, 64, 1]>>)

// -----

// expected-error@+1 {{'func.func' op expects results whose elements do not overlap, but got 'tensor<?x64xf32, #fastnorm.strides<[32, 1]>>'}}
func.func @overlapping_result(%x: tensor<?x64xf32>) -> tensor<?x64xf32, #fastnorm.strides<[32, 1]>> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32, #fastnorm.strides<[32, 1]>>
  return %y : tensor<?x64xf32, #fastnorm.strides<[32, 1]>>
}

// -----

// expected-error@+1 {{'func.func' op expects results whose elements do not overlap, but got 'tensor<?x64xf32, #fastnorm.strides<[0, 1]>>'}}
func.func @repeated_result(%x: tensor<?x64xf32>) -> tensor<?x64xf32, #fastnorm.strides<[0, 1]>> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32, #fastnorm.strides<[0, 1]>>
  return %y : tensor<?x64xf32, #fastnorm.strides<[0, 1]>>
}

// -----

func.func @strides_between_ops(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error@+1 {{'fastnorm.rms_norm' op expects strides on arguments and results of the function, but computes 'tensor<?x64xf32, #fastnorm.strides<[128, 1]>>', which is not returned}}
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32, #fastnorm.strides<[128, 1]>>
  %z = fastnorm.rms_norm %y {eps = 1.0e-6 : f32} : tensor<?x64xf32, #fastnorm.strides<[128, 1]>> -> tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}
