// Where the number of rows decides what is fastest, the function stands once per range of rows, and says why in each.
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="target=h200 until=fuse" 2>/dev/null | FileCheck %s
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="target=h200 until=schedule" 2>/dev/null | FileCheck %s --check-prefix=SCHEDULE
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="target=h200 until=fuse symbols=rows=4" 2>/dev/null | FileCheck %s --check-prefix=FEW
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="target=h200 until=fuse row-invariant" 2>/dev/null | FileCheck %s --check-prefix=INVARIANT
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="target=h200 until=fuse" 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARKS

// A token's 16 rows of 7168 would be read by one multiprocessor while others have nothing to do.
// CHECK-LABEL: func.func @wide_block(
// CHECK-SAME: fastnorm.ranges = [#fastnorm.range<"rows", 0, [[LAST:[0-9]+]]>]
// CHECK: fastnorm.kernel "combine_residual_add"
// CHECK: fastnorm.kernel "rms_norm"
// CHECK-LABEL: func.func @wide_block_0(
// CHECK-SAME: fastnorm.ranges = [#fastnorm.range<"rows", {{[0-9]+}}, *>], fastnorm.variant_of = "wide_block"
// CHECK: fastnorm.kernel "combine_residual_add_rms_norm"
// CHECK-NOT: fastnorm.kernel

// FEW-LABEL: func.func @wide_block(
// FEW: fastnorm.kernel "combine_residual_add"
// FEW-NOT: combine_residual_add_rms_norm

// One grouping for any number of rows.
// INVARIANT-LABEL: func.func @wide_block(
// INVARIANT-NOT: fastnorm.ranges
// INVARIANT: fastnorm.kernel "combine_residual_add_rms_norm"
// INVARIANT-NOT: func.func @wide_block

// Schedules are chosen within the range of a grouping.
// SCHEDULE-LABEL: func.func @wide_block(
// SCHEDULE: fastnorm.kernel "combine_residual_add" {{.*}}kind = per_element
// SCHEDULE: fastnorm.kernel "rms_norm" {{.*}}kind = per_row

// REMARKS: remark: fuse: combine into residual_add, {{[0-9.]+}} us for {{[0-9.]+}} us apart at rows = 1
// REMARKS: remark: missed fuse: combine_residual_add into rms_norm, {{[0-9.]+}} us fused for {{[0-9.]+}} us apart at rows = 1
// REMARKS: remark: fuse: combine into residual_add, {{[0-9.]+}} us for {{[0-9.]+}} us apart at rows = 16384
// REMARKS: remark: fuse: residual_add into rms_norm, {{[0-9.]+}} us for {{[0-9.]+}} us apart at rows = 16384
func.func @wide_block(%expert_rows: tensor<?x7168xbf16>, %row_index: tensor<?x16xi64>, %gate: tensor<?x16xf32>,
                      %residual: tensor<?x7168xbf16>, %weight: tensor<7168xf32>) -> tensor<?x7168xbf16> {
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x7168xbf16>, tensor<?x16xi64>, tensor<?x16xf32> -> tensor<?x7168xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x7168xbf16>
  %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32} : tensor<?x7168xbf16>, tensor<7168xf32> -> tensor<?x7168xbf16>
  return %y : tensor<?x7168xbf16>
}

// -----

// A range in the text is for one grouping.
// CHECK-LABEL: func.func @given(
// CHECK-SAME: fastnorm.ranges = [#fastnorm.range<"rows", 0, *>]
// CHECK: fastnorm.kernel "combine_residual_add_rms_norm"
// CHECK-NOT: func.func @given
func.func @given(%expert_rows: tensor<?x7168xbf16>, %row_index: tensor<?x16xi64>, %gate: tensor<?x16xf32>,
                 %residual: tensor<?x7168xbf16>) -> tensor<?x7168xbf16>
    attributes {fastnorm.ranges = [#fastnorm.range<"rows", 0, *>]} {
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x7168xbf16>, tensor<?x16xi64>, tensor<?x16xf32> -> tensor<?x7168xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x7168xbf16>
  %y = fastnorm.rms_norm %s {eps = 1.0e-6 : f32} : tensor<?x7168xbf16> -> tensor<?x7168xbf16>
  return %y : tensor<?x7168xbf16>
}

// -----

// Two norms that share a weight, and nothing else, are two launches.
// CHECK-LABEL: func.func @shared_weight(
// CHECK-COUNT-2: fastnorm.kernel "rms_norm"
func.func @shared_weight(%x: tensor<?x4096xbf16>, %z: tensor<?x4096xbf16>, %weight: tensor<4096xbf16>)
    -> (tensor<?x4096xbf16>, tensor<?x4096xbf16>) {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-6 : f32}
     : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>
  %q = fastnorm.rms_norm %z weight(%weight) {eps = 1.0e-6 : f32}
     : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>
  return %y, %q : tensor<?x4096xbf16>, tensor<?x4096xbf16>
}
