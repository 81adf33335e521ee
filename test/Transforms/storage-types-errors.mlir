// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-pipeline="target=h200 fuse=never until=schedule"

// Strides are not lowered, so a type that has them is not taken for a dense one.
// expected-error@+1 {{'func.func' op expects arguments and results that are tensors of f32, bf16, f16, f8E4M3FN, i8, i32 or i64, dense or with #fastnorm.strides, but got 'tensor<?x8xf32, "transposed">'}}
func.func @encoding(%x: tensor<?x8xf32, "transposed">) -> tensor<?x8xf32, "transposed"> {
  %y = fastnorm.residual_add %x, %x : tensor<?x8xf32, "transposed">
  return %y : tensor<?x8xf32, "transposed">
}

// -----

// expected-error@+1 {{'func.func' op expects arguments and results that are tensors of f32, bf16, f16, f8E4M3FN, i8, i32 or i64, dense or with #fastnorm.strides, but got 'tensor<?x8xi1>'}}
func.func @bits(%x: tensor<?x8xf32>) -> tensor<?x8xi1> {
  %y = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x8xf32>) -> tensor<?x8xi1> {
  ^bb0(%a: f32):
    %b = arith.cmpf oeq, %a, %a : f32
    fastnorm.yield %b : i1
  }
  return %y : tensor<?x8xi1>
}

// -----

func.func @bits_between_kernels(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op reads or writes i1; i1 can't be stored, only computed}}
  %m = fastnorm.kernel "compare" (%a = %x) : (tensor<?x8xf32>) -> tensor<?x8xi1> {
    %q = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x8xf32>) -> tensor<?x8xi1> {
    ^bb0(%c: f32):
      %b = arith.cmpf oeq, %c, %c : f32
      fastnorm.yield %b : i1
    }
    fastnorm.yield %q : tensor<?x8xi1>
  }
  // expected-remark@+2 {{missed fuse}}
  // expected-error@+1 {{'fastnorm.kernel' op reads or writes i1; i1 can't be stored, only computed}}
  %y = fastnorm.kernel "select" (%a = %x, %b = %m) : (tensor<?x8xf32>, tensor<?x8xi1>) -> tensor<?x8xf32> {
    %q = fastnorm.map(%a [row, hidden], %b [row, hidden]) -> [row, hidden]
       : (tensor<?x8xf32>, tensor<?x8xi1>) -> tensor<?x8xf32> {
    ^bb0(%c: f32, %d: i1):
      %s = arith.select %d, %c, %c : f32
      fastnorm.yield %s : f32
    }
    fastnorm.yield %q : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}
