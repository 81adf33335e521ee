// The schedule that the cost model chooses on h200 for the gradients of rms_norm, of bf16 rows and weight: with row groups a
// CTA has up to 512 threads of 2 vectors, 128 registers each, and a multiprocessor one CTA. Stages are the fewest, from 2,
// with 61440 bytes of both streams in flight.
// RUN: fastnorm-opt %s --fastnorm-pipeline="until=schedule row-invariant" | FileCheck %s

// A lane a row: 256 rows a CTA. Registers wanted are 12 and 24 to walk, 12 to compute, one for each of the sum, the weight and
// the two kept values: 52; 4 CTAs of 256 threads leave 64, so 132 x 4.
// CHECK-LABEL: func.func @hidden_1(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 1, rows_per_cta = 256, vector_width = 1, vectors_per_thread = 1, min_ctas = 4, stores = cached, persistent_ctas = 528, finalize_width = 4>}
func.func @hidden_1(%dy: tensor<?x1xbf16>, %x: tensor<?x1xbf16>, %rstd: tensor<?xf32>, %weight: tensor<1xbf16>)
    -> (tensor<?x1xbf16>, tensor<1xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x1xbf16>, tensor<?x1xbf16>, tensor<?xf32>, tensor<1xbf16> -> input(tensor<?x1xbf16>) weight(tensor<1xbf16>)
  return %dx, %dw : tensor<?x1xbf16>, tensor<1xbf16>
}

// 16 vectors on 8 lanes, two each, 32 rows a CTA; 36 + 16 sums + 8 of the weight + 32 kept + 12 = 104 registers: 2 CTAs.
// CHECK-LABEL: func.func @hidden_128(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 8, rows_per_cta = 32, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, min_ctas = 2, stores = cached, persistent_ctas = 264, finalize_width = 4>}
func.func @hidden_128(%dy: tensor<?x128xbf16>, %x: tensor<?x128xbf16>, %rstd: tensor<?xf32>, %weight: tensor<128xbf16>)
    -> (tensor<?x128xbf16>, tensor<128xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x128xbf16>, tensor<?x128xbf16>, tensor<?xf32>, tensor<128xbf16> -> input(tensor<?x128xbf16>) weight(tensor<128xbf16>)
  return %dx, %dw : tensor<?x128xbf16>, tensor<128xbf16>
}

// Vectors of 4, since rows start at multiples of 8 bytes: stages that threads copy for themselves. 75 vectors on a warp, 3 each, 15 warps.
// CHECK-LABEL: func.func @hidden_300(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, rows_per_cta = 15, vector_width = 4, vectors_per_thread = 3, vectors_in_flight = 3, stores = cached, persistent_ctas = 132, stages = 4, copies = by_thread, finalize_width = 4>}
func.func @hidden_300(%dy: tensor<?x300xbf16>, %x: tensor<?x300xbf16>, %rstd: tensor<?xf32>, %weight: tensor<300xbf16>)
    -> (tensor<?x300xbf16>, tensor<300xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x300xbf16>, tensor<?x300xbf16>, tensor<?xf32>, tensor<300xbf16> -> input(tensor<?x300xbf16>) weight(tensor<300xbf16>)
  return %dx, %dw : tensor<?x300xbf16>, tensor<300xbf16>
}

// 64 vectors on a warp; no more than 15 groups have barriers. 15 x 2 x 2 x 1024 bytes are in flight.
// CHECK-LABEL: func.func @hidden_512(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, rows_per_cta = 15, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 2, finalize_width = 4>}
func.func @hidden_512(%dy: tensor<?x512xbf16>, %x: tensor<?x512xbf16>, %rstd: tensor<?xf32>, %weight: tensor<512xbf16>)
    -> (tensor<?x512xbf16>, tensor<512xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x512xbf16>, tensor<?x512xbf16>, tensor<?xf32>, tensor<512xbf16> -> input(tensor<?x512xbf16>) weight(tensor<512xbf16>)
  return %dx, %dw : tensor<?x512xbf16>, tensor<512xbf16>
}

// 128 vectors on 64 threads, two each: 8 groups. 8 x 2 stages x 2 streams x 2048 = 65536 bytes.
// CHECK-LABEL: func.func @hidden_1024(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, rows_per_cta = 8, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 2, finalize_width = 4>}
func.func @hidden_1024(%dy: tensor<?x1024xbf16>, %x: tensor<?x1024xbf16>, %rstd: tensor<?xf32>, %weight: tensor<1024xbf16>)
    -> (tensor<?x1024xbf16>, tensor<1024xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x1024xbf16>, tensor<?x1024xbf16>, tensor<?xf32>, tensor<1024xbf16> -> input(tensor<?x1024xbf16>) weight(tensor<1024xbf16>)
  return %dx, %dw : tensor<?x1024xbf16>, tensor<1024xbf16>
}

// 256 vectors on 128 threads: 4 groups.
// CHECK-LABEL: func.func @hidden_2048(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, rows_per_cta = 4, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 2, finalize_width = 4>}
func.func @hidden_2048(%dy: tensor<?x2048xbf16>, %x: tensor<?x2048xbf16>, %rstd: tensor<?xf32>, %weight: tensor<2048xbf16>)
    -> (tensor<?x2048xbf16>, tensor<2048xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x2048xbf16>, tensor<?x2048xbf16>, tensor<?xf32>, tensor<2048xbf16> -> input(tensor<?x2048xbf16>) weight(tensor<2048xbf16>)
  return %dx, %dw : tensor<?x2048xbf16>, tensor<2048xbf16>
}

// 384 vectors on 192 threads: 2 groups, so that 3 stages have 73728 bytes. Two results of more than 2048: 8 pieces a warp.
// CHECK-LABEL: func.func @hidden_3072(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 192, rows_per_cta = 2, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 3>}
func.func @hidden_3072(%dy: tensor<?x3072xbf16>, %x: tensor<?x3072xbf16>, %rstd: tensor<?xf32>, %weight: tensor<3072xbf16>)
    -> (tensor<?x3072xbf16>, tensor<3072xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x3072xbf16>, tensor<?x3072xbf16>, tensor<?xf32>, tensor<3072xbf16> -> input(tensor<?x3072xbf16>) weight(tensor<3072xbf16>)
  return %dx, %dw : tensor<?x3072xbf16>, tensor<3072xbf16>
}

// 512 vectors on 256 threads: 2 groups.
// CHECK-LABEL: func.func @hidden_4096(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, rows_per_cta = 2, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 2>}
func.func @hidden_4096(%dy: tensor<?x4096xbf16>, %x: tensor<?x4096xbf16>, %rstd: tensor<?xf32>, %weight: tensor<4096xbf16>)
    -> (tensor<?x4096xbf16>, tensor<4096xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<?xf32>, tensor<4096xbf16> -> input(tensor<?x4096xbf16>) weight(tensor<4096xbf16>)
  return %dx, %dw : tensor<?x4096xbf16>, tensor<4096xbf16>
}

// Odd: single elements, 16 a thread at most, no bulk copies; a cluster of 2 CTAs of 2049: 160 threads x 13, 3 groups.
// CHECK-LABEL: func.func @hidden_4097(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 160, rows_per_cta = 3, ctas_per_row = 2, vector_width = 1, vectors_per_thread = 13, vectors_in_flight = 13, stores = cached, persistent_ctas = 132, finalize_width = 16>}
func.func @hidden_4097(%dy: tensor<?x4097xbf16>, %x: tensor<?x4097xbf16>, %rstd: tensor<?xf32>, %weight: tensor<4097xbf16>)
    -> (tensor<?x4097xbf16>, tensor<4097xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x4097xbf16>, tensor<?x4097xbf16>, tensor<?xf32>, tensor<4097xbf16> -> input(tensor<?x4097xbf16>) weight(tensor<4097xbf16>)
  return %dx, %dw : tensor<?x4097xbf16>, tensor<4097xbf16>
}

// 640 vectors: a cluster of 2, 320 each on 160 threads, 3 groups. 3 x 2 x 2 x 5120 = 61440 bytes.
// CHECK-LABEL: func.func @hidden_5120(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 160, rows_per_cta = 3, ctas_per_row = 2, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 2, finalize_width = 16>}
func.func @hidden_5120(%dy: tensor<?x5120xbf16>, %x: tensor<?x5120xbf16>, %rstd: tensor<?xf32>, %weight: tensor<5120xbf16>)
    -> (tensor<?x5120xbf16>, tensor<5120xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x5120xbf16>, tensor<?x5120xbf16>, tensor<?xf32>, tensor<5120xbf16> -> input(tensor<?x5120xbf16>) weight(tensor<5120xbf16>)
  return %dx, %dw : tensor<?x5120xbf16>, tensor<5120xbf16>
}

// 896 vectors: a cluster of 2, 448 each on 224 threads, 2 groups.
// CHECK-LABEL: func.func @hidden_7168(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 224, rows_per_cta = 2, ctas_per_row = 2, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 132, stages = 3, finalize_width = 16>}
func.func @hidden_7168(%dy: tensor<?x7168xbf16>, %x: tensor<?x7168xbf16>, %rstd: tensor<?xf32>, %weight: tensor<7168xbf16>)
    -> (tensor<?x7168xbf16>, tensor<7168xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x7168xbf16>, tensor<?x7168xbf16>, tensor<?xf32>, tensor<7168xbf16> -> input(tensor<?x7168xbf16>) weight(tensor<7168xbf16>)
  return %dx, %dw : tensor<?x7168xbf16>, tensor<7168xbf16>
}

// 1024 vectors: a cluster of 4, 30 of which are resident.
// CHECK-LABEL: func.func @hidden_8192(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 128, rows_per_cta = 4, ctas_per_row = 4, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 120, stages = 2, finalize_width = 32>}
func.func @hidden_8192(%dy: tensor<?x8192xbf16>, %x: tensor<?x8192xbf16>, %rstd: tensor<?xf32>, %weight: tensor<8192xbf16>)
    -> (tensor<?x8192xbf16>, tensor<8192xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x8192xbf16>, tensor<?x8192xbf16>, tensor<?xf32>, tensor<8192xbf16> -> input(tensor<?x8192xbf16>) weight(tensor<8192xbf16>)
  return %dx, %dw : tensor<?x8192xbf16>, tensor<8192xbf16>
}

// 2048 vectors: a cluster of 8, 15 of which are resident.
// CHECK-LABEL: func.func @hidden_16384(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 128, rows_per_cta = 4, ctas_per_row = 8, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 120, stages = 2, finalize_width = 32>}
func.func @hidden_16384(%dy: tensor<?x16384xbf16>, %x: tensor<?x16384xbf16>, %rstd: tensor<?xf32>, %weight: tensor<16384xbf16>)
    -> (tensor<?x16384xbf16>, tensor<16384xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x16384xbf16>, tensor<?x16384xbf16>, tensor<?xf32>, tensor<16384xbf16> -> input(tensor<?x16384xbf16>) weight(tensor<16384xbf16>)
  return %dx, %dw : tensor<?x16384xbf16>, tensor<16384xbf16>
}

// 8192 vectors: 1024 a CTA, on 512 threads.
// CHECK-LABEL: func.func @hidden_65536(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 512, ctas_per_row = 8, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 120, stages = 2, finalize_width = 32>}
func.func @hidden_65536(%dy: tensor<?x65536xbf16>, %x: tensor<?x65536xbf16>, %rstd: tensor<?xf32>, %weight: tensor<65536xbf16>)
    -> (tensor<?x65536xbf16>, tensor<65536xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x65536xbf16>, tensor<?x65536xbf16>, tensor<?xf32>, tensor<65536xbf16> -> input(tensor<?x65536xbf16>) weight(tensor<65536xbf16>)
  return %dx, %dw : tensor<?x65536xbf16>, tensor<65536xbf16>
}

// 16384 vectors: more than a cluster of 8 holds, so 16.
// CHECK-LABEL: func.func @hidden_131072(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 512, ctas_per_row = 16, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 112, stages = 2, finalize_width = 32>}
func.func @hidden_131072(%dy: tensor<?x131072xbf16>, %x: tensor<?x131072xbf16>, %rstd: tensor<?xf32>, %weight: tensor<131072xbf16>)
    -> (tensor<?x131072xbf16>, tensor<131072xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x131072xbf16>, tensor<?x131072xbf16>, tensor<?xf32>, tensor<131072xbf16> -> input(tensor<?x131072xbf16>) weight(tensor<131072xbf16>)
  return %dx, %dw : tensor<?x131072xbf16>, tensor<131072xbf16>
}
