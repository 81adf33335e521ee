// A kernel begins while the one before it drains, and waits for it before its first access.
// RUN: fastnorm-opt %s --fastnorm-attach-target --fastnorm-name-bindings --convert-fastnorm-to-gpu | FileCheck %s
// RUN: fastnorm-opt %s --fastnorm-pipeline=until=ptx | FileCheck %s --check-prefix=PTX

// The first kernel of a graph waits for nobody; the last has nobody to let begin.
// CHECK: gpu.func @twice_0_first(
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK-NOT: griddepcontrol wait
// CHECK: gpu.return
// CHECK: gpu.func @twice_1_second(
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK: nvvm.griddepcontrol wait
// CHECK: ld.global
// CHECK: gpu.func @twice_2_third(
// CHECK-NOT: launch_dependents
// CHECK: nvvm.griddepcontrol wait
// CHECK: ld.global
// CHECK: gpu.launch_func
// CHECK-NOT: fastnorm.dependent
// CHECK: gpu.launch_func
// CHECK-SAME: fastnorm.dependent
// CHECK: gpu.launch_func
// CHECK-SAME: fastnorm.dependent

// PTX: griddepcontrol.launch_dependents
// PTX: griddepcontrol.wait
func.func @twice(%x: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %f = fastnorm.kernel "first" (%a = %x) {schedule = #fastnorm.schedule<kind = per_element, scope = cta,
      threads_per_row = 32, vector_width = 4, vectors_per_thread = 1, dependent_launch = true>}
     : (tensor<?x128xf32>) -> tensor<?x128xf32> {
    %s = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x128xf32>) -> tensor<?x128xf32> {
    ^bb0(%b: f32):
      %c = arith.addf %b, %b : f32
      fastnorm.yield %c : f32
    }
    fastnorm.yield %s : tensor<?x128xf32>
  }
  %g = fastnorm.kernel "second" (%a = %f) {schedule = #fastnorm.schedule<kind = per_element, scope = cta,
      threads_per_row = 32, vector_width = 4, vectors_per_thread = 1, dependent_launch = true>}
     : (tensor<?x128xf32>) -> tensor<?x128xf32> {
    %s = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x128xf32>) -> tensor<?x128xf32> {
    ^bb0(%b: f32):
      %c = arith.addf %b, %b : f32
      fastnorm.yield %c : f32
    }
    fastnorm.yield %s : tensor<?x128xf32>
  }
  %h = fastnorm.kernel "third" (%a = %g) {schedule = #fastnorm.schedule<kind = per_element, scope = cta,
      threads_per_row = 32, vector_width = 4, vectors_per_thread = 1, dependent_launch = true>}
     : (tensor<?x128xf32>) -> tensor<?x128xf32> {
    %s = fastnorm.map(%a [row, hidden]) -> [row, hidden] : (tensor<?x128xf32>) -> tensor<?x128xf32> {
    ^bb0(%b: f32):
      %c = arith.addf %b, %b : f32
      fastnorm.yield %c : f32
    }
    fastnorm.yield %s : tensor<?x128xf32>
  }
  return %h : tensor<?x128xf32>
}
