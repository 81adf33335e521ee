// The schedule on h200 of kernels without a row reduction.
// RUN: fastnorm-opt %s --fastnorm-pipeline=until=schedule | FileCheck %s

// 3072 / 8 = 384 vectors: 384 threads cover the row, so that no CTA idles in its tail; 65536 / (384 x 40) = 4.3.
// CHECK-LABEL: func.func @whole_chunks(
// CHECK: schedule = #fastnorm.schedule<kind = per_element, scope = cta, threads_per_row = 384, vector_width = 8, vectors_per_thread = 1, min_ctas = 4>}
func.func @whole_chunks(%residual: tensor<?x3072xbf16>, %h: tensor<?x3072xbf16>) -> tensor<?x3072xbf16> {
  %s = fastnorm.residual_add %residual, %h : tensor<?x3072xbf16>
  return %s : tensor<?x3072xbf16>
}

// 40 / 8 = 5 vectors a row, 256 / 5 = 51 rows a CTA of 255 threads; 65536 / (255 x 40) = 6.4.
// CHECK-LABEL: func.func @several_rows_a_cta(
// CHECK: schedule = #fastnorm.schedule<kind = per_element, scope = cta, threads_per_row = 5, rows_per_cta = 51, vector_width = 8, vectors_per_thread = 1, min_ctas = 6>}
func.func @several_rows_a_cta(%residual: tensor<?x40xbf16>, %h: tensor<?x40xbf16>) -> tensor<?x40xbf16> {
  %s = fastnorm.residual_add %residual, %h : tensor<?x40xbf16>
  return %s : tensor<?x40xbf16>
}

// f32: 16 bytes are 4 elements. 65537 is odd: 16385 shifted vectors over CTAs of 256 threads, the last in its tail.
// CHECK-LABEL: func.func @tail(
// CHECK: schedule = #fastnorm.schedule<kind = per_element, scope = cta, threads_per_row = 256, vector_width = 4, vectors_per_thread = 1, min_ctas = 6>}
func.func @tail(%residual: tensor<?x65537xf32>, %h: tensor<?x65537xf32>) -> tensor<?x65537xf32> {
  %s = fastnorm.residual_add %residual, %h : tensor<?x65537xf32>
  return %s : tensor<?x65537xf32>
}
