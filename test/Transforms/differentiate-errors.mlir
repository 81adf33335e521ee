// What has no gradient, a sentence each.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-differentiate

func.func @scatter(%rows: tensor<?x64xf32>, %index: tensor<?xi32>) -> tensor<?x64xf32> {
  // expected-error@+1 {{'fastnorm.scatter' op does not know its gradients; mark the arguments that it depends on, or the results that depend on it, with 'fastnorm.no_gradient'}}
  %x = fastnorm.scatter %rows[%index] : tensor<?x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
  return %x : tensor<?x64xf32>
}

// -----

func.func @algebra(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'fastnorm.reduce' op does not know its gradients}}
  %sum = fastnorm.reduce add hidden (%x [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// -----

// A second derivative.
func.func @twice(%dy: tensor<?x64xf32>, %x: tensor<?x64xf32>, %rstd: tensor<?xf32>) -> tensor<?x64xf32> {
  // expected-error@+1 {{'fastnorm.rms_norm_backward' op does not know its gradients}}
  %dx = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?xf32> -> input(tensor<?x64xf32>)
  return %dx : tensor<?x64xf32>
}

// -----

// A statistic that another op reads: rows of two dimensions have statistics that can be rows themselves.
func.func @statistic_is_read(%x: tensor<?x4x64xf32>) -> tensor<?x4xf32> {
  // expected-error@+1 {{'fastnorm.rms_norm' op has no gradient of its statistics, which a result depends on; mark that result with 'fastnorm.no_gradient'}}
  %y, %rstd = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x4x64xf32> -> tensor<?x4x64xf32>, tensor<?x4xf32>
  %z = fastnorm.rms_norm %rstd {eps = 1.0e-6 : f32} : tensor<?x4xf32> -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// -----

// expected-error@+1 {{expects result 0 of f32, bf16 or f16 to have a gradient, but got 'tensor<?x64xf8E4M3FN>'; mark it with 'fastnorm.no_gradient' where it has none}}
func.func @quantized(%x: tensor<?x64xf32>) -> tensor<?x64xf8E4M3FN> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf8E4M3FN>
  return %y : tensor<?x64xf8E4M3FN>
}

// -----

// expected-error@+1 {{expects a result that depends on an argument of f32, bf16 or f16, both without 'fastnorm.no_gradient', but has none}}
func.func @nothing_wanted(%x: tensor<?x64xf32> {fastnorm.no_gradient}) -> tensor<?x64xf32> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// In place, x is gone.
// expected-error@+1 {{expects argument 'x' to keep its value for the backward function, but a result is computed in its buffer; remove 'fastnorm.result'}}
func.func @in_place(%x: tensor<?x64xf32> {fastnorm.name = "x", fastnorm.result = 0}) -> tensor<?x64xf32> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

func.func @taken(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
// expected-error@+1 {{expects the name 'taken_backward' to be free for the backward function of 'taken'; rename one of them}}
func.func private @taken_backward()

// -----

// expected-remark@+1 {{missed differentiate: unused, no result depends on arg1}}
func.func @unused(%x: tensor<?x64xf32>, %other: tensor<64xf32>) -> tensor<?x64xf32> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
