// A plan that names what is not there, a kernel twice, or kernels that cannot share a launch.
// RUN: not fastnorm-opt %s --fastnorm-pipeline="until=fuse fuse=plan:rms_norm+softmax" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not fastnorm-opt %s --fastnorm-pipeline="until=fuse fuse=plan:rms_norm+rms_norm" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not fastnorm-opt %s --fastnorm-pipeline="until=fuse fuse=plan:rms_norm+combine" 2>&1 | FileCheck %s --check-prefix=GATHERED
// RUN: not fastnorm-opt %s --fastnorm-pipeline="until=fuse fuse=plan:rms_norm+residual_add" 2>&1 | FileCheck %s --check-prefix=STRANGERS
// RUN: not fastnorm-opt %s --fastnorm-pipeline="until=fuse fuse=plan:" 2>&1 | FileCheck %s --check-prefix=EMPTY

// UNKNOWN: error: expects fuse=plan: to name kernels among rms_norm, combine, residual_add, but got 'softmax'
// TWICE: error: expects fuse=plan: to name a kernel once, but got 'rms_norm' twice
// GATHERED: error: expects fuse=plan: to group kernels that can share a launch, but rms_norm and combine cannot: the rows of one are gathered by the other
// STRANGERS: error: expects fuse=plan: to group kernels that can share a launch, but rms_norm and residual_add cannot: neither reads what the other computes
// EMPTY: error: expects fuse=plan: to name kernels among rms_norm, combine, residual_add, but got ''
func.func @gathered_rows(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>, %i: tensor<?x2xi64>) -> tensor<?x64xf32> {
  %n = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %h = fastnorm.combine %n[%i] : tensor<?x64xf32>, tensor<?x2xi64> -> tensor<?x64xf32>
  %s = fastnorm.residual_add %r, %h : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}
