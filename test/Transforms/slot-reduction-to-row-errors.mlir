// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-pipeline="target=h200 until=schedule"

func.func @sum_of_gates(%gate: tensor<?x4xf32>) -> tensor<?xf32> {
  %sum = fastnorm.kernel "sum" (%g = %gate) : (tensor<?x4xf32>) -> tensor<?xf32> {
    // expected-error@+1 {{'fastnorm.reduce' op reduces slot of a value with axes [row, slot]; only [row, slot, hidden] can be reduced over slot}}
    %s = fastnorm.reduce add slot (%g [row, slot]) : tensor<?x4xf32> -> tensor<?xf32>
    fastnorm.yield %s : tensor<?xf32>
  }
  return %sum : tensor<?xf32>
}
