// Passes that ask the target say what to run where there is none.
// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-fuse
// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-select-schedule
// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-verify-schedule

// expected-error@+1 {{expects a module with 'fastnorm.target'; run fastnorm-attach-target first}}
func.func @no_target(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  return %x : tensor<?x64xf32>
}
