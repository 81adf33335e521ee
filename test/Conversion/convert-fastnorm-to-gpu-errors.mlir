// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-attach-target --convert-fastnorm-to-gpu

func.func @no_schedule(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'fastnorm.kernel' op has no schedule; run fastnorm-select-schedule first}}
  %m = fastnorm.kernel "k" (%a = %x) : (tensor<?x64xf32>) -> tensor<?xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %max : tensor<?xf32>
  }
  return %m : tensor<?xf32>
}
