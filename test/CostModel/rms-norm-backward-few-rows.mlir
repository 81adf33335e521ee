// Few rows have fewer row groups on as many multiprocessors, but at least four warps of them.
// RUN: fastnorm-opt %s --fastnorm-pipeline=until=schedule | FileCheck %s

// 1024 rows are 128 for each of 8 groups, fewer than 132 multiprocessors, and 256 for each of 4.
// CHECK-LABEL: func.func @rows_1024(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, rows_per_cta = 4, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 2, finalize_width = 4>}
func.func @rows_1024(%dy: tensor<1024x1024xbf16>, %x: tensor<1024x1024xbf16>, %rstd: tensor<1024xf32>, %weight: tensor<1024xbf16>)
    -> (tensor<1024x1024xbf16>, tensor<1024xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>, tensor<1024xf32>, tensor<1024xbf16> -> input(tensor<1024x1024xbf16>) weight(tensor<1024xbf16>)
  return %dx, %dw : tensor<1024x1024xbf16>, tensor<1024xbf16>
}

// 256 rows are 64 for each of 4 and 128 for each of 2, which are four warps.
// CHECK-LABEL: func.func @rows_256(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, rows_per_cta = 2, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 2, finalize_width = 4>}
func.func @rows_256(%dy: tensor<256x1024xbf16>, %x: tensor<256x1024xbf16>, %rstd: tensor<256xf32>, %weight: tensor<1024xbf16>)
    -> (tensor<256x1024xbf16>, tensor<1024xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<256x1024xbf16>, tensor<256x1024xbf16>, tensor<256xf32>, tensor<1024xbf16> -> input(tensor<256x1024xbf16>) weight(tensor<1024xbf16>)
  return %dx, %dw : tensor<256x1024xbf16>, tensor<1024xbf16>
}

// One row: the same.
// CHECK-LABEL: func.func @rows_1(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, rows_per_cta = 2, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 2, finalize_width = 4>}
func.func @rows_1(%dy: tensor<1x1024xbf16>, %x: tensor<1x1024xbf16>, %rstd: tensor<1xf32>, %weight: tensor<1024xbf16>)
    -> (tensor<1x1024xbf16>, tensor<1024xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<1x1024xbf16>, tensor<1x1024xbf16>, tensor<1xf32>, tensor<1024xbf16> -> input(tensor<1x1024xbf16>) weight(tensor<1024xbf16>)
  return %dx, %dw : tensor<1x1024xbf16>, tensor<1024xbf16>
}

// 40 rows are 20 for each of 2 groups, fewer than 30 clusters.
// CHECK-LABEL: func.func @wide_rows_40(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 128, ctas_per_row = 4, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 120, stages = 2, finalize_width = 32>}
func.func @wide_rows_40(%dy: tensor<40x8192xbf16>, %x: tensor<40x8192xbf16>, %rstd: tensor<40xf32>, %weight: tensor<8192xbf16>)
    -> (tensor<40x8192xbf16>, tensor<8192xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<40x8192xbf16>, tensor<40x8192xbf16>, tensor<40xf32>, tensor<8192xbf16> -> input(tensor<40x8192xbf16>) weight(tensor<8192xbf16>)
  return %dx, %dw : tensor<40x8192xbf16>, tensor<8192xbf16>
}

// 256 rows of 8 lanes are 64 CTAs of one warp, 4 rows each.
// CHECK-LABEL: func.func @short_rows_256(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 8, rows_per_cta = 4, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, min_ctas = 2, stores = cached, persistent_ctas = 264, finalize_width = 4>}
func.func @short_rows_256(%dy: tensor<256x128xbf16>, %x: tensor<256x128xbf16>, %rstd: tensor<256xf32>, %weight: tensor<128xbf16>)
    -> (tensor<256x128xbf16>, tensor<128xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<256x128xbf16>, tensor<256x128xbf16>, tensor<256xf32>, tensor<128xbf16> -> input(tensor<256x128xbf16>) weight(tensor<128xbf16>)
  return %dx, %dw : tensor<256x128xbf16>, tensor<128xbf16>
}
