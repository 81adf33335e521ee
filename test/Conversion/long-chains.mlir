// What is asked of a value is not asked again along each of the many ways to it: these would take hours.
// RUN: timeout 60 fastnorm-opt %s --fastnorm-pipeline="target=h200 until=gpu" 2>/dev/null | FileCheck %s

// Forty squares: whether columns outside of a shifted row, read as zero, add anything to their sum.
// CHECK: gpu.func @squares(
func.func @squares(%x: tensor<?x1025xf32>) -> tensor<?xf32> {
  %sum = fastnorm.kernel "squares" (%a = %x) : (tensor<?x1025xf32>) -> tensor<?xf32> {
    %m = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x1025xf32>) -> tensor<?x1025xf32> {
    ^bb0(%s0: f32):
      %s1 = arith.mulf %s0, %s0 : f32
      %s2 = arith.mulf %s1, %s1 : f32
      %s3 = arith.mulf %s2, %s2 : f32
      %s4 = arith.mulf %s3, %s3 : f32
      %s5 = arith.mulf %s4, %s4 : f32
      %s6 = arith.mulf %s5, %s5 : f32
      %s7 = arith.mulf %s6, %s6 : f32
      %s8 = arith.mulf %s7, %s7 : f32
      %s9 = arith.mulf %s8, %s8 : f32
      %s10 = arith.mulf %s9, %s9 : f32
      %s11 = arith.mulf %s10, %s10 : f32
      %s12 = arith.mulf %s11, %s11 : f32
      %s13 = arith.mulf %s12, %s12 : f32
      %s14 = arith.mulf %s13, %s13 : f32
      %s15 = arith.mulf %s14, %s14 : f32
      %s16 = arith.mulf %s15, %s15 : f32
      %s17 = arith.mulf %s16, %s16 : f32
      %s18 = arith.mulf %s17, %s17 : f32
      %s19 = arith.mulf %s18, %s18 : f32
      %s20 = arith.mulf %s19, %s19 : f32
      %s21 = arith.mulf %s20, %s20 : f32
      %s22 = arith.mulf %s21, %s21 : f32
      %s23 = arith.mulf %s22, %s22 : f32
      %s24 = arith.mulf %s23, %s23 : f32
      %s25 = arith.mulf %s24, %s24 : f32
      %s26 = arith.mulf %s25, %s25 : f32
      %s27 = arith.mulf %s26, %s26 : f32
      %s28 = arith.mulf %s27, %s27 : f32
      %s29 = arith.mulf %s28, %s28 : f32
      %s30 = arith.mulf %s29, %s29 : f32
      %s31 = arith.mulf %s30, %s30 : f32
      %s32 = arith.mulf %s31, %s31 : f32
      %s33 = arith.mulf %s32, %s32 : f32
      %s34 = arith.mulf %s33, %s33 : f32
      %s35 = arith.mulf %s34, %s34 : f32
      %s36 = arith.mulf %s35, %s35 : f32
      %s37 = arith.mulf %s36, %s36 : f32
      %s38 = arith.mulf %s37, %s37 : f32
      %s39 = arith.mulf %s38, %s38 : f32
      %s40 = arith.mulf %s39, %s39 : f32
      fastnorm.yield %s40 : f32
    }
    %r = fastnorm.reduce add hidden(%m [row, hidden]) : tensor<?x1025xf32> -> tensor<?xf32>
    fastnorm.yield %r : tensor<?xf32>
  }
  return %sum : tensor<?xf32>
}

// Thirty sums of a value with itself behind a sum over rows, which begins with an operand in the buffer of the result.
// CHECK: gpu.func @chain(
func.func @chain(%x: tensor<?x64xf32>, %old: tensor<64xf32> {fastnorm.result = 0 : i64}) -> tensor<64xf32> {
  %sum = fastnorm.kernel "chain" (%a = %x, %o = %old) : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    %r = fastnorm.reduce add row(%a [row, hidden]) : tensor<?x64xf32> -> tensor<64xf32>
    %c0 = fastnorm.map(%r [hidden], %o [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c1 = fastnorm.map(%c0 [hidden], %c0 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c2 = fastnorm.map(%c1 [hidden], %c1 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c3 = fastnorm.map(%c2 [hidden], %c2 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c4 = fastnorm.map(%c3 [hidden], %c3 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c5 = fastnorm.map(%c4 [hidden], %c4 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c6 = fastnorm.map(%c5 [hidden], %c5 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c7 = fastnorm.map(%c6 [hidden], %c6 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c8 = fastnorm.map(%c7 [hidden], %c7 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c9 = fastnorm.map(%c8 [hidden], %c8 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c10 = fastnorm.map(%c9 [hidden], %c9 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c11 = fastnorm.map(%c10 [hidden], %c10 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c12 = fastnorm.map(%c11 [hidden], %c11 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c13 = fastnorm.map(%c12 [hidden], %c12 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c14 = fastnorm.map(%c13 [hidden], %c13 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c15 = fastnorm.map(%c14 [hidden], %c14 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c16 = fastnorm.map(%c15 [hidden], %c15 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c17 = fastnorm.map(%c16 [hidden], %c16 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c18 = fastnorm.map(%c17 [hidden], %c17 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c19 = fastnorm.map(%c18 [hidden], %c18 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c20 = fastnorm.map(%c19 [hidden], %c19 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c21 = fastnorm.map(%c20 [hidden], %c20 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c22 = fastnorm.map(%c21 [hidden], %c21 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c23 = fastnorm.map(%c22 [hidden], %c22 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c24 = fastnorm.map(%c23 [hidden], %c23 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c25 = fastnorm.map(%c24 [hidden], %c24 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c26 = fastnorm.map(%c25 [hidden], %c25 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c27 = fastnorm.map(%c26 [hidden], %c26 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c28 = fastnorm.map(%c27 [hidden], %c27 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c29 = fastnorm.map(%c28 [hidden], %c28 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    %c30 = fastnorm.map(%c29 [hidden], %c29 [hidden]) -> [hidden] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%p: f32, %q: f32):
      %z = arith.addf %p, %q : f32
      fastnorm.yield %z : f32
    }
    fastnorm.yield %c30 : tensor<64xf32>
  }
  return %sum : tensor<64xf32>
}
