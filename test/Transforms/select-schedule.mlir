// RUN: fastnorm-opt %s --fastnorm-attach-target --fastnorm-select-schedule 2>/dev/null | FileCheck %s

// CHECK-LABEL: func.func @chosen(
// CHECK: fastnorm.kernel "mine" {{.*}} {schedule = #fastnorm.schedule<kind = per_row, scope = lanes,
func.func @chosen(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %m = fastnorm.kernel "mine" (%a = %x) : (tensor<?x64xf32>) -> tensor<?xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %max : tensor<?xf32>
  }
  return %m : tensor<?xf32>
}

// CHECK-LABEL: func.func @given(
// CHECK: {schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 32, vector_width = 1, vectors_per_thread = 1>}
func.func @given(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %m = fastnorm.kernel "mine" (%a = %x) {schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 32,
      vector_width = 1, vectors_per_thread = 1>} : (tensor<?x64xf32>) -> tensor<?xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %max : tensor<?xf32>
  }
  return %m : tensor<?xf32>
}
