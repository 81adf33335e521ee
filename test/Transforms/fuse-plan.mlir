// A grouping by name: groups apart by commas, kernels of a group by +; what is not named stays by itself.
// RUN: fastnorm-opt %s --fastnorm-pipeline="until=fuse fuse=plan:combine,residual_add+rms_norm" 2>/dev/null | FileCheck %s --check-prefix=LAST
// RUN: fastnorm-opt %s --fastnorm-pipeline="until=fuse fuse=plan:residual_add+combine" 2>/dev/null | FileCheck %s --check-prefix=FIRST
// RUN: fastnorm-opt %s --fastnorm-pipeline="until=fuse fuse=plan:rms_norm#2" 2>/dev/null | FileCheck %s --check-prefix=APART
// RUN: fastnorm-opt %s --fastnorm-pipeline="until=fuse fuse=plan:rms_norm+rms_norm#2+residual_add+combine" 2>/dev/null | FileCheck %s --check-prefix=ALL
// RUN: fastnorm-opt %s --fastnorm-pipeline="until=fuse fuse=plan:combine,residual_add+rms_norm" 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARKS

// LAST-LABEL: func.func @block(
// LAST: fastnorm.kernel "combine"
// LAST: fastnorm.kernel "residual_add_rms_norm"
// LAST: fastnorm.kernel "rms_norm"
// FIRST-LABEL: func.func @block(
// FIRST: fastnorm.kernel "combine_residual_add"
// FIRST-COUNT-2: fastnorm.kernel "rms_norm"
// APART-LABEL: func.func @block(
// APART: fastnorm.kernel "combine"
// APART: fastnorm.kernel "residual_add"
// APART-COUNT-2: fastnorm.kernel "rms_norm"
// ALL-LABEL: func.func @block(
// ALL-COUNT-1: fastnorm.kernel
// ALL-NOT: fastnorm.kernel

// REMARKS: remark: fuse: residual_add into rms_norm, {{[0-9.]+}} us for {{[0-9.]+}} us apart at rows = 16384
// REMARKS: remark: missed fuse: combine into residual_add_rms_norm, fuse=plan
// REMARKS: remark: missed fuse: residual_add_rms_norm into rms_norm, fuse=plan
func.func @block(%expert_rows: tensor<?x1024xbf16>, %row_index: tensor<?x2xi64>, %residual: tensor<?x1024xbf16>)
    -> tensor<?x1024xbf16> {
  %h = fastnorm.combine %expert_rows[%row_index] : tensor<?x1024xbf16>, tensor<?x2xi64> -> tensor<?x1024xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x1024xbf16>
  %n = fastnorm.rms_norm %s {eps = 1.0e-6 : f32} : tensor<?x1024xbf16> -> tensor<?x1024xbf16>
  %y = fastnorm.rms_norm %n {eps = 1.0e-6 : f32} : tensor<?x1024xbf16> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}
