// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="until=fuse fuse=always" 2>/dev/null | FileCheck %s --check-prefixes=CHECK,ALWAYS
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="until=fuse fuse=never" 2>/dev/null | FileCheck %s --check-prefixes=CHECK,NEVER

// Three kernels become one that reads what they read; what passed between them is no result.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[E:.+]]: tensor<?x64xbf16> {{.*}}, %[[I:.+]]: tensor<?x8xi64> {{.*}}, %[[G:.+]]: tensor<?x8xf32> {{.*}}, %[[R:.+]]: tensor<?x64xbf16>
// ALWAYS: %[[Y:.+]] = fastnorm.kernel "combine_residual_add_rms_norm" (%{{.+}} = %[[E]], %{{.+}} = %[[I]], %{{.+}} = %[[G]], %{{.+}} = %[[R]])
// ALWAYS-SAME: -> tensor<?x64xbf16> {
// ALWAYS-NOT: fastnorm.kernel
// ALWAYS: return %[[Y]]
// NEVER: %[[H:.+]] = fastnorm.kernel "combine"
// NEVER: %[[S:.+]] = fastnorm.kernel "residual_add" (%{{.+}} = %[[R]], %{{.+}} = %[[H]])
// NEVER: %[[Y:.+]] = fastnorm.kernel "rms_norm" (%{{.+}} = %[[S]])
// NEVER: return %[[Y]]
func.func @chain(%e: tensor<?x64xbf16>, %i: tensor<?x8xi64>, %g: tensor<?x8xf32>, %r: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %h = fastnorm.combine %e[%i] gate(%g) : tensor<?x64xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x64xbf16>
  %s = fastnorm.residual_add %r, %h : tensor<?x64xbf16>
  %y = fastnorm.rms_norm %s {eps = 1.0e-6 : f32} : tensor<?x64xbf16> -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// A sum that is returned too is a result of the fused kernel, before those of the reader.
// CHECK-LABEL: func.func @sum_escapes(
// ALWAYS: %[[KERNEL:.+]]:2 = fastnorm.kernel "residual_add_rms_norm"
// ALWAYS: %[[S:.+]] = fastnorm.map
// ALWAYS: fastnorm.yield %[[S]], %{{.+}} : tensor<?x64xf32>, tensor<?x64xf32>
// ALWAYS: return %[[KERNEL]]#1, %[[KERNEL]]#0
func.func @sum_escapes(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %s = fastnorm.residual_add %r, %x : tensor<?x64xf32>
  %y = fastnorm.rms_norm %s {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y, %s : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// Two readers of one kernel: it is fused into the first, and that into the second.
// CHECK-LABEL: func.func @two_readers(
// ALWAYS: fastnorm.kernel
// ALWAYS-NOT: fastnorm.kernel
// ALWAYS: return
func.func @two_readers(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %s = fastnorm.residual_add %r, %x : tensor<?x64xf32>
  %y = fastnorm.rms_norm %s {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %t = fastnorm.residual_add %s, %y : tensor<?x64xf32>
  return %t : tensor<?x64xf32>
}
