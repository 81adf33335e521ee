// A kernel that streams no [row, hidden] tensor gets a schedule like any other.
// RUN: fastnorm-run %s --device=emulator --fill=seed:1 --dim rows=5 --check=reference | FileCheck %s

// CHECK: result 'outer' matches
func.func @outer_sum(%scale: tensor<?xf32>, %weight: tensor<24xf32>) -> tensor<?xf32> {
  %outer = fastnorm.kernel "outer" (%s = %scale, %w = %weight) : (tensor<?xf32>, tensor<24xf32>) -> tensor<?xf32> {
    %product = fastnorm.map(%s [row], %w [hidden]) -> [row, hidden]
             : (tensor<?xf32>, tensor<24xf32>) -> tensor<?x24xf32> {
    ^bb0(%a: f32, %b: f32):
      %m = arith.mulf %a, %b : f32
      fastnorm.yield %m : f32
    }
    %sum = fastnorm.reduce add hidden (%product [row, hidden]) : tensor<?x24xf32> -> tensor<?xf32>
    fastnorm.yield %sum : tensor<?xf32>
  }
  return %outer : tensor<?xf32>
}
