// The schedule that the cost model chooses on h200 for all gradients of layer_norm, of bf16 rows and parameters: as for
// rms_norm, but two row sums meet over clusters, where 256 threads of 4 vectors are better than 512 of 2.
// RUN: fastnorm-opt %s --fastnorm-pipeline="until=schedule row-invariant" | FileCheck %s

// 36 + 4 + 32 sums + 8 of the weight + 32 kept + 12 = 124 registers: still 2 CTAs of 256.
// CHECK-LABEL: func.func @hidden_128(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 8, rows_per_cta = 32, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, min_ctas = 2, stores = cached, persistent_ctas = 264, finalize_width = 4>}
func.func @hidden_128(%dy: tensor<?x128xbf16>, %x: tensor<?x128xbf16>, %mean: tensor<?xf32>, %rstd: tensor<?xf32>, %weight: tensor<128xbf16>)
    -> (tensor<?x128xbf16>, tensor<128xbf16>, tensor<128xbf16>) {
  %dx, %dw, %db = fastnorm.layer_norm_backward %dy, %x mean(%mean) rstd(%rstd) weight(%weight)
     : tensor<?x128xbf16>, tensor<?x128xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<128xbf16> -> input(tensor<?x128xbf16>) weight(tensor<128xbf16>) bias(tensor<128xbf16>)
  return %dx, %dw, %db : tensor<?x128xbf16>, tensor<128xbf16>, tensor<128xbf16>
}

// 2 groups of 256 threads.
// CHECK-LABEL: func.func @hidden_4096(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, rows_per_cta = 2, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 2>}
func.func @hidden_4096(%dy: tensor<?x4096xbf16>, %x: tensor<?x4096xbf16>, %mean: tensor<?xf32>, %rstd: tensor<?xf32>, %weight: tensor<4096xbf16>)
    -> (tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>) {
  %dx, %dw, %db = fastnorm.layer_norm_backward %dy, %x mean(%mean) rstd(%rstd) weight(%weight)
     : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<4096xbf16> -> input(tensor<?x4096xbf16>) weight(tensor<4096xbf16>) bias(tensor<4096xbf16>)
  return %dx, %dw, %db : tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
}

// A cluster of 2.
// CHECK-LABEL: func.func @hidden_7168(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 224, rows_per_cta = 2, ctas_per_row = 2, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 3, finalize_width = 16>}
func.func @hidden_7168(%dy: tensor<?x7168xbf16>, %x: tensor<?x7168xbf16>, %mean: tensor<?xf32>, %rstd: tensor<?xf32>, %weight: tensor<7168xbf16>)
    -> (tensor<?x7168xbf16>, tensor<7168xbf16>, tensor<7168xbf16>) {
  %dx, %dw, %db = fastnorm.layer_norm_backward %dy, %x mean(%mean) rstd(%rstd) weight(%weight)
     : tensor<?x7168xbf16>, tensor<?x7168xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<7168xbf16> -> input(tensor<?x7168xbf16>) weight(tensor<7168xbf16>) bias(tensor<7168xbf16>)
  return %dx, %dw, %db : tensor<?x7168xbf16>, tensor<7168xbf16>, tensor<7168xbf16>
}

// 1024 vectors over 4 CTAs: 128 threads x 2, 4 groups.
// CHECK-LABEL: func.func @hidden_8192(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 128, rows_per_cta = 4, ctas_per_row = 4, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 120, stages = 2, finalize_width = 32>}
func.func @hidden_8192(%dy: tensor<?x8192xbf16>, %x: tensor<?x8192xbf16>, %mean: tensor<?xf32>, %rstd: tensor<?xf32>, %weight: tensor<8192xbf16>)
    -> (tensor<?x8192xbf16>, tensor<8192xbf16>, tensor<8192xbf16>) {
  %dx, %dw, %db = fastnorm.layer_norm_backward %dy, %x mean(%mean) rstd(%rstd) weight(%weight)
     : tensor<?x8192xbf16>, tensor<?x8192xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<8192xbf16> -> input(tensor<?x8192xbf16>) weight(tensor<8192xbf16>) bias(tensor<8192xbf16>)
  return %dx, %dw, %db : tensor<?x8192xbf16>, tensor<8192xbf16>, tensor<8192xbf16>
}

// 2048 vectors over 8 CTAs: the same.
// CHECK-LABEL: func.func @hidden_16384(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 128, rows_per_cta = 4, ctas_per_row = 8, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 120, stages = 2, finalize_width = 32>}
func.func @hidden_16384(%dy: tensor<?x16384xbf16>, %x: tensor<?x16384xbf16>, %mean: tensor<?xf32>, %rstd: tensor<?xf32>, %weight: tensor<16384xbf16>)
    -> (tensor<?x16384xbf16>, tensor<16384xbf16>, tensor<16384xbf16>) {
  %dx, %dw, %db = fastnorm.layer_norm_backward %dy, %x mean(%mean) rstd(%rstd) weight(%weight)
     : tensor<?x16384xbf16>, tensor<?x16384xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<16384xbf16> -> input(tensor<?x16384xbf16>) weight(tensor<16384xbf16>) bias(tensor<16384xbf16>)
  return %dx, %dw, %db : tensor<?x16384xbf16>, tensor<16384xbf16>, tensor<16384xbf16>
}

// 16384 vectors over 16 CTAs: 512 threads x 2.
// CHECK-LABEL: func.func @hidden_131072(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 512, ctas_per_row = 16, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 112, stages = 2, finalize_width = 32>}
func.func @hidden_131072(%dy: tensor<?x131072xbf16>, %x: tensor<?x131072xbf16>, %mean: tensor<?xf32>, %rstd: tensor<?xf32>, %weight: tensor<131072xbf16>)
    -> (tensor<?x131072xbf16>, tensor<131072xbf16>, tensor<131072xbf16>) {
  %dx, %dw, %db = fastnorm.layer_norm_backward %dy, %x mean(%mean) rstd(%rstd) weight(%weight)
     : tensor<?x131072xbf16>, tensor<?x131072xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<131072xbf16> -> input(tensor<?x131072xbf16>) weight(tensor<131072xbf16>) bias(tensor<131072xbf16>)
  return %dx, %dw, %db : tensor<?x131072xbf16>, tensor<131072xbf16>, tensor<131072xbf16>
}
