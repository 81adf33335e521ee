// A function stands once per row range whose schedules differ, and once per alignment class that is asked for.
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline=until=schedule 2>/dev/null | FileCheck %s
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="until=schedule row-invariant" 2>/dev/null | FileCheck %s --check-prefix=INVARIANT
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="until=schedule symbols=rows=33" 2>/dev/null | FileCheck %s --check-prefix=FEW
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="until=schedule symbols=rows=34,expert_rows=5" 2>/dev/null | FileCheck %s --check-prefix=MANY
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="until=schedule alignment=both" 2>/dev/null | FileCheck %s --check-prefix=BOTH
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline="until=schedule alignment=any" 2>/dev/null | FileCheck %s --check-prefix=ANY
// RUN: fastnorm-opt %s --split-input-file --fastnorm-pipeline=until=schedule 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARKS

// 16384 wide rows are split over 8 CTAs, or 4, while each of these has one of h200's 132 multiprocessors to itself.
// CHECK-LABEL: func.func @wide(
// CHECK-SAME: attributes {fastnorm.ranges = [#fastnorm.range<"rows", 0, 16>]}
// CHECK: scope = cluster, threads_per_row = 256, ctas_per_row = 8,
// CHECK-LABEL: func.func @wide_0(
// CHECK-SAME: attributes {fastnorm.ranges = [#fastnorm.range<"rows", 17, 33>], fastnorm.variant_of = "wide"}
// CHECK: scope = cluster, threads_per_row = 256, ctas_per_row = 4,
// CHECK-LABEL: func.func @wide_0_0(
// CHECK-SAME: attributes {fastnorm.ranges = [#fastnorm.range<"rows", 34, *>], fastnorm.variant_of = "wide"}
// CHECK: scope = cta, threads_per_row = 512,
// CHECK-NOT: func.func @wide

// INVARIANT-LABEL: func.func @wide(
// INVARIANT-NOT: fastnorm.ranges
// INVARIANT: scope = cta, threads_per_row = 512,
// INVARIANT-NOT: func.func @wide

// FEW-LABEL: func.func @wide(
// FEW-SAME: attributes {fastnorm.ranges = [#fastnorm.range<"rows", 17, 33>]}
// FEW: scope = cluster,
// FEW-NOT: func.func @wide
// MANY-LABEL: func.func @wide(
// MANY-SAME: attributes {fastnorm.ranges = [#fastnorm.range<"rows", 34, *>]}
// MANY: scope = cta,
// MANY-NOT: func.func @wide

// Aligned operands are served by the first function that can.
// BOTH-LABEL: func.func @wide(
// BOTH-SAME: attributes {fastnorm.ranges = [#fastnorm.range<"rows", 0, 16>]}
// BOTH: attributes {fastnorm.ranges = [#fastnorm.range<"rows", 17, 33>], fastnorm.variant_of = "wide"}
// BOTH: attributes {fastnorm.ranges = [#fastnorm.range<"rows", 34, *>], fastnorm.variant_of = "wide"}
// BOTH: attributes {fastnorm.alignment = 1 : i64, fastnorm.ranges = [#fastnorm.range<"rows", 0, 16>], fastnorm.variant_of = "wide"}
// BOTH: attributes {fastnorm.alignment = 1 : i64, fastnorm.ranges = [#fastnorm.range<"rows", 17, 33>], fastnorm.variant_of = "wide"}
// BOTH: attributes {fastnorm.alignment = 1 : i64, fastnorm.ranges = [#fastnorm.range<"rows", 34, *>], fastnorm.variant_of = "wide"}
// ANY-LABEL: func.func @wide(
// ANY-SAME: attributes {fastnorm.alignment = 1 : i64, fastnorm.ranges = [#fastnorm.range<"rows", 0, 16>]}

// REMARKS: remark: specialize: wide for rows from 0 to 16
// REMARKS: remark: specialize: wide for rows from 17 to 33
// REMARKS: remark: specialize: wide for rows from 34 on
// REMARKS-NOT: specialize:
func.func @wide(%x: tensor<?x16384xbf16>, %weight: tensor<16384xbf16>) -> tensor<?x16384xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x16384xbf16>, tensor<16384xbf16> -> tensor<?x16384xbf16>
  return %y : tensor<?x16384xbf16>
}

// -----

// Known rows have one schedule, and row-invariant the one that many have.
// CHECK-LABEL: func.func @static_rows(
// CHECK-NOT: fastnorm.ranges
// CHECK: scope = cluster,
// INVARIANT-LABEL: func.func @static_rows(
// INVARIANT: scope = cta,
func.func @static_rows(%x: tensor<8x16384xbf16>) -> tensor<8x16384xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<8x16384xbf16> -> tensor<8x16384xbf16>
  return %y : tensor<8x16384xbf16>
}

// -----

// One schedule is best for every number of rows: one function.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT: fastnorm.ranges
// CHECK-NOT: func.func @narrow
func.func @narrow(%x: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<?x4096xbf16> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// -----

// Single elements are aligned wherever they are: one function serves both classes.
// BOTH-LABEL: func.func @single_elements(
// BOTH-SAME: attributes {fastnorm.alignment = 1 : i64}
// BOTH-NOT: func.func @single_elements
func.func @single_elements(%x: tensor<?x64xf32>) -> tensor<?xf32> {
  %m = fastnorm.kernel "mine" (%a = %x) {schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 32,
      vector_width = 1, vectors_per_thread = 1>} : (tensor<?x64xf32>) -> tensor<?xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x64xf32> -> tensor<?xf32>
    fastnorm.yield %max : tensor<?xf32>
  }
  return %m : tensor<?xf32>
}

// -----

// A schedule in the text is for all rows.
// CHECK-LABEL: func.func @given(
// CHECK-NOT: fastnorm.ranges
// CHECK: scope = cta, threads_per_row = 1024,
// CHECK-NOT: func.func @given
func.func @given(%x: tensor<?x16384xf32>) -> tensor<?xf32> {
  %m = fastnorm.kernel "mine" (%a = %x) {schedule = #fastnorm.schedule<kind = two_pass, scope = cta,
      threads_per_row = 1024, vector_width = 4, vectors_per_thread = 1>} : (tensor<?x16384xf32>) -> tensor<?xf32> {
    %max = fastnorm.reduce max hidden (%a [row, hidden]) : tensor<?x16384xf32> -> tensor<?xf32>
    fastnorm.yield %max : tensor<?xf32>
  }
  return %m : tensor<?xf32>
}
