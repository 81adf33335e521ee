// The schedule that the cost model chooses on h200 for layer_norm of bf16 rows, weight and bias. A mean and the distances from
// it make the threads of a row meet once, so registers wanted are counted as for rms_norm: 12, plus 8 for the first late
// vector of weight and bias, plus 4 a vector that is kept, plus 12; at least 40.
// RUN: fastnorm-opt %s --fastnorm-pipeline=until=schedule | FileCheck %s

// 128 vectors, two a thread: two warps keep computed values, 8 registers a vector: 12 + 8 + 2 x 8 + 12 = 48; 20 CTAs of
// 2 warps leave 48 registers, 21 would leave 40.
// CHECK-LABEL: func.func @hidden_1024(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, min_ctas = 20, invariants = late, keep = computed>}
func.func @hidden_1024(%x: tensor<65536x1024xbf16>, %weight: tensor<1024xbf16>, %bias: tensor<1024xbf16>) -> tensor<65536x1024xbf16> {
  %y = fastnorm.layer_norm %x weight(%weight) bias(%bias) {eps = 1.0e-5 : f32}
     : tensor<65536x1024xbf16>, tensor<1024xbf16>, tensor<1024xbf16> -> tensor<65536x1024xbf16>
  return %y : tensor<65536x1024xbf16>
}

// 256 vectors, two a thread; 40 registers: 65536 / (128 x 40) = 12.8 CTAs.
// CHECK-LABEL: func.func @hidden_2048(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 128, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, min_ctas = 12, invariants = late>}
func.func @hidden_2048(%x: tensor<65536x2048xbf16>, %weight: tensor<2048xbf16>, %bias: tensor<2048xbf16>) -> tensor<65536x2048xbf16> {
  %y = fastnorm.layer_norm %x weight(%weight) bias(%bias) {eps = 1.0e-5 : f32}
     : tensor<65536x2048xbf16>, tensor<2048xbf16>, tensor<2048xbf16> -> tensor<65536x2048xbf16>
  return %y : tensor<65536x2048xbf16>
}

// 512 vectors, two a thread; 65536 / (256 x 40) = 6.4 CTAs.
// CHECK-LABEL: func.func @hidden_4096(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, min_ctas = 6, invariants = late>}
func.func @hidden_4096(%x: tensor<65536x4096xbf16>, %weight: tensor<4096xbf16>, %bias: tensor<4096xbf16>) -> tensor<65536x4096xbf16> {
  %y = fastnorm.layer_norm %x weight(%weight) bias(%bias) {eps = 1.0e-5 : f32}
     : tensor<65536x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16> -> tensor<65536x4096xbf16>
  return %y : tensor<65536x4096xbf16>
}

// Above 512 vectors four a thread; 12 + 8 + 16 + 12 = 48 registers: 65536 / (256 x 48) = 5.3 CTAs, which leave a quarter
// of 2048 threads' places empty; with late operands four vectors do with 40: 6.4 CTAs.
// CHECK-LABEL: func.func @hidden_8192(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, vector_width = 8, vectors_per_thread = 4, vectors_in_flight = 4, min_ctas = 6, invariants = late>}
func.func @hidden_8192(%x: tensor<65536x8192xbf16>, %weight: tensor<8192xbf16>, %bias: tensor<8192xbf16>) -> tensor<65536x8192xbf16> {
  %y = fastnorm.layer_norm %x weight(%weight) bias(%bias) {eps = 1.0e-5 : f32}
     : tensor<65536x8192xbf16>, tensor<8192xbf16>, tensor<8192xbf16> -> tensor<65536x8192xbf16>
  return %y : tensor<65536x8192xbf16>
}

// The same: not 2.7 CTAs of 48 registers but 65536 / (512 x 40) = 3.2.
// CHECK-LABEL: func.func @hidden_16384(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 512, vector_width = 8, vectors_per_thread = 4, vectors_in_flight = 4, min_ctas = 3, invariants = late>}
func.func @hidden_16384(%x: tensor<65536x16384xbf16>, %weight: tensor<16384xbf16>, %bias: tensor<16384xbf16>) -> tensor<65536x16384xbf16> {
  %y = fastnorm.layer_norm %x weight(%weight) bias(%bias) {eps = 1.0e-5 : f32}
     : tensor<65536x16384xbf16>, tensor<16384xbf16>, tensor<16384xbf16> -> tensor<65536x16384xbf16>
  return %y : tensor<65536x16384xbf16>
}

// 8 vectors for 512 threads; 12 + 2 x 8 + 32 + 12 = 72 registers: a second CTA is worth the eighth that 64 lack.
// CHECK-LABEL: func.func @hidden_32768(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 512, vector_width = 8, vectors_per_thread = 8, vectors_in_flight = 8, min_ctas = 2, invariants = late>}
func.func @hidden_32768(%x: tensor<65536x32768xbf16>, %weight: tensor<32768xbf16>, %bias: tensor<32768xbf16>) -> tensor<65536x32768xbf16> {
  %y = fastnorm.layer_norm %x weight(%weight) bias(%bias) {eps = 1.0e-5 : f32}
     : tensor<65536x32768xbf16>, tensor<32768xbf16>, tensor<32768xbf16> -> tensor<65536x32768xbf16>
  return %y : tensor<65536x32768xbf16>
}
