// RUN: fastnorm-opt %s --fastnorm-decompose --split-input-file --verify-diagnostics

func.func @foreign_op(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error@+1 {{'arith.addf' op cannot be compiled: a graph holds ops of the fastnorm dialect only}}
  %y = arith.addf %x, %x : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

func.func @returned_of_rank_5(%x: tensor<?x2x3x8x64xf32>) -> tensor<?x2x3x8x64xf32> {
  // expected-error@+1 {{'func.return' op returns an argument of type 'tensor<?x2x3x8x64xf32>'; only tensors of rank 1 to 4 can be copied to a result}}
  return %x : tensor<?x2x3x8x64xf32>
}
