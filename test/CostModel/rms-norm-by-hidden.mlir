// The schedule that the cost model chooses on h200 for rms_norm of bf16 rows and weight. Registers wanted are 12, plus the
// weight's that wait, plus the larger of loads in flight and of what is kept with 12 to unpack a vector; at least 40.
// min_ctas is 65536 registers over threads times that. A weight of more than 12 registers is loaded late.
// RUN: fastnorm-opt %s --fastnorm-pipeline=until=schedule | FileCheck %s

// 1 element divides by 1: 1 vector, 1 lane a row, 128 rows a CTA; 65536 / (128 x 40) = 12.8.
// CHECK-LABEL: func.func @hidden_1(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 1, rows_per_cta = 128, vector_width = 1, vectors_per_thread = 1, min_ctas = 12>}
func.func @hidden_1(%x: tensor<?x1xbf16>, %weight: tensor<1xbf16>) -> tensor<?x1xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x1xbf16>, tensor<1xbf16> -> tensor<?x1xbf16>
  return %y : tensor<?x1xbf16>
}

// 17 is odd: vectors of 1, 17 of them on 32 lanes, 128 / 32 = 4 rows a CTA.
// CHECK-LABEL: func.func @hidden_17(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 32, rows_per_cta = 4, vector_width = 1, vectors_per_thread = 1, min_ctas = 12>}
func.func @hidden_17(%x: tensor<?x17xbf16>, %weight: tensor<17xbf16>) -> tensor<?x17xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x17xbf16>, tensor<17xbf16> -> tensor<?x17xbf16>
  return %y : tensor<?x17xbf16>
}

// 16 bytes are 8 elements: 96 / 8 = 12 vectors on 16 lanes, 128 / 16 = 8 rows a CTA.
// CHECK-LABEL: func.func @hidden_96(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 16, rows_per_cta = 8, vector_width = 8, vectors_per_thread = 1, min_ctas = 12>}
func.func @hidden_96(%x: tensor<?x96xbf16>, %weight: tensor<96xbf16>) -> tensor<?x96xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x96xbf16>, tensor<96xbf16> -> tensor<?x96xbf16>
  return %y : tensor<?x96xbf16>
}

// 769 is odd: rows start anywhere in 16 bytes, and vectors are shifted; (769 + 7) / 8 = 97 of them, two a thread: two
// warps. With the weight late they take 40 registers: 65536 / (64 x 40) = 25, but 25 x 2 warps on 4 partitions leave 32.
// CHECK-LABEL: func.func @hidden_769(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, min_ctas = 24, invariants = late>}
func.func @hidden_769(%x: tensor<?x769xbf16>, %weight: tensor<769xbf16>) -> tensor<?x769xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x769xbf16>, tensor<769xbf16> -> tensor<?x769xbf16>
  return %y : tensor<?x769xbf16>
}

// (4097 + 7) / 8 = 513 vectors, four a thread where rows are shifted, the weight late; 48 registers: 65536 / (160 x 48)
// = 8.5.
// CHECK-LABEL: func.func @hidden_4097(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 160, vector_width = 8, vectors_per_thread = 4, vectors_in_flight = 4, min_ctas = 8, invariants = late>}
func.func @hidden_4097(%x: tensor<?x4097xbf16>, %weight: tensor<4097xbf16>) -> tensor<?x4097xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x4097xbf16>, tensor<4097xbf16> -> tensor<?x4097xbf16>
  return %y : tensor<?x4097xbf16>
}

// Rows of 4096 that lie anywhere are as many vectors, each shifted into place.
// CHECK-LABEL: func.func @hidden_4096_anywhere(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 160, vector_width = 8, vectors_per_thread = 4, vectors_in_flight = 4, min_ctas = 8, invariants = late>}
func.func @hidden_4096_anywhere(%x: tensor<?x4096xbf16>, %weight: tensor<4096xbf16>) -> tensor<?x4096xbf16>
    attributes {fastnorm.alignment = 1 : i64} {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// 1024 / 8 = 128 vectors: up to 128 a thread has one, so that a row has 4 warps; 65536 / (128 x 40) = 12.8.
// CHECK-LABEL: func.func @hidden_1024(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 1, min_ctas = 12>}
func.func @hidden_1024(%x: tensor<?x1024xbf16>, %weight: tensor<1024xbf16>) -> tensor<?x1024xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x1024xbf16>, tensor<1024xbf16> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}

// 2048 / 8 = 256 vectors, two a thread; 12 + 2 x 4 weight + 2 x 4 kept + 12 = 40 registers: 12.8 CTAs.
// CHECK-LABEL: func.func @hidden_2048(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, min_ctas = 12>}
func.func @hidden_2048(%x: tensor<?x2048xbf16>, %weight: tensor<2048xbf16>) -> tensor<?x2048xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x2048xbf16>, tensor<2048xbf16> -> tensor<?x2048xbf16>
  return %y : tensor<?x2048xbf16>
}

// 512 vectors, two a thread: 256 threads; 65536 / (256 x 40) = 6.4.
// CHECK-LABEL: func.func @hidden_4096(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, min_ctas = 6>}
func.func @hidden_4096(%x: tensor<?x4096xbf16>, %weight: tensor<4096xbf16>) -> tensor<?x4096xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// 1024 vectors, two a thread: 512 threads; 65536 / (512 x 40) = 3.2.
// CHECK-LABEL: func.func @hidden_8192(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 512, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, min_ctas = 3>}
func.func @hidden_8192(%x: tensor<?x8192xbf16>, %weight: tensor<8192xbf16>) -> tensor<?x8192xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x8192xbf16>, tensor<8192xbf16> -> tensor<?x8192xbf16>
  return %y : tensor<?x8192xbf16>
}

// 2048 vectors on at most 512 threads: 4 each; the weight's 4 x 4 registers are late, two vectors
// ahead: 12 + 2 x 4 + 4 x 4 kept + 12 = 48 registers: 65536 / (512 x 48) = 2.7, which leave a quarter of 2048 threads'
// places empty; four vectors do with 40: 3.2.
// CHECK-LABEL: func.func @hidden_16384(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 512, vector_width = 8, vectors_per_thread = 4, vectors_in_flight = 4, min_ctas = 3, invariants = late>}
func.func @hidden_16384(%x: tensor<?x16384xbf16>, %weight: tensor<16384xbf16>) -> tensor<?x16384xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x16384xbf16>, tensor<16384xbf16> -> tensor<?x16384xbf16>
  return %y : tensor<?x16384xbf16>
}

// 4096 vectors of f32, 8 each; early weights would be 32 registers and leave one CTA; late ones, 2 ahead, leave 2.
// CHECK-LABEL: func.func @hidden_16384_f32(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 512, vector_width = 4, vectors_per_thread = 8, vectors_in_flight = 8, min_ctas = 2, invariants = late>}
func.func @hidden_16384_f32(%x: tensor<?x16384xf32>, %weight: tensor<16384xf32>) -> tensor<?x16384xf32> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x16384xf32>, tensor<16384xf32> -> tensor<?x16384xf32>
  return %y : tensor<?x16384xf32>
}

// 4096 vectors, 8 each; the weight is late: 12 + 2 x 4 + 8 x 4 kept + 12 = 64 registers: 65536 / (512 x 64) = 2.
// CHECK-LABEL: func.func @hidden_32768(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 512, vector_width = 8, vectors_per_thread = 8, vectors_in_flight = 8, min_ctas = 2, invariants = late>}
func.func @hidden_32768(%x: tensor<?x32768xbf16>, %weight: tensor<32768xbf16>) -> tensor<?x32768xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x32768xbf16>, tensor<32768xbf16> -> tensor<?x32768xbf16>
  return %y : tensor<?x32768xbf16>
}

// 65537 is odd: 8193 shifted vectors of 8 over a cluster of 8, 1025 a CTA, four a thread.
// CHECK-LABEL: func.func @hidden_65537(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 288, ctas_per_row = 8, vector_width = 8, vectors_per_thread = 4, vectors_in_flight = 4, min_ctas = 4, invariants = late>}
func.func @hidden_65537(%x: tensor<?x65537xbf16>, %weight: tensor<65537xbf16>) -> tensor<?x65537xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x65537xbf16>, tensor<65537xbf16> -> tensor<?x65537xbf16>
  return %y : tensor<?x65537xbf16>
}
