// Bodies that no schedule places.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics --fastnorm-attach-target --fastnorm-select-schedule

func.func @rows_of_slots_after_a_row_reduction(%x: tensor<?x64xf32>, %g: tensor<?x2xf32>) -> tensor<?x64xf32> {
  %m = fastnorm.kernel "k" (%a = %x, %b = %g) : (tensor<?x64xf32>, tensor<?x2xf32>) -> tensor<?x64xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    // expected-error@+1 {{'fastnorm.map' op computes slots after a row reduction, which no schedule places}}
    %c = fastnorm.map(%a [row, hidden], %b [row, slot], %max [row]) -> [row, slot, hidden]
       : (tensor<?x64xf32>, tensor<?x2xf32>, tensor<?xf32>) -> tensor<?x2x64xf32> {
    ^bb0(%h: f32, %d: f32, %e: f32):
      %f = arith.mulf %d, %e : f32
      fastnorm.yield %f : f32
    }
    %s = fastnorm.reduce add slot (%c [row, slot, hidden]) : tensor<?x2x64xf32> -> tensor<?x64xf32>
    fastnorm.yield %s : tensor<?x64xf32>
  }
  return %m : tensor<?x64xf32>
}

// -----

func.func @slots_of_columns(%x: tensor<2x64xf32>, %r: tensor<?x2x64xf32>) -> tensor<?x64xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op reads an input with axes [row, slot, hidden]; inputs may have [row, hidden], [head, hidden], [hidden], [row], [head], [row, slot] or [row, group]}}
  %m = fastnorm.kernel "k" (%a = %r) : (tensor<?x2x64xf32>) -> tensor<?x64xf32> {
    %s = fastnorm.reduce add slot (%a [row, slot, hidden]) : tensor<?x2x64xf32> -> tensor<?x64xf32>
    fastnorm.yield %s : tensor<?x64xf32>
  }
  return %m : tensor<?x64xf32>
}

// -----

// A group lies in the lanes of a warp, which a power of two divides.
func.func @group_of_24(%x: tensor<?x96xf32>) -> tensor<?x4xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has groups of 24 neighbours of hidden; groups are powers of two up to 512}}
  %m = fastnorm.kernel "k" (%a = %x) : (tensor<?x96xf32>) -> tensor<?x4xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) {group = 24 : i64} : tensor<?x96xf32> -> tensor<?x4xf32>
    fastnorm.yield %max : tensor<?x4xf32>
  }
  return %m : tensor<?x4xf32>
}
