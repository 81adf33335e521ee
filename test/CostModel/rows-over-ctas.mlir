// Rows split over CTAs on h200 and a100: wide ones, and few.
// RUN: fastnorm-opt %s --fastnorm-pipeline=until=schedule | FileCheck %s
// RUN: fastnorm-opt %s --fastnorm-pipeline="until=schedule target=a100" | FileCheck %s --check-prefix=A100

// 65536 / 8 = 8192 vectors: a ring of 2 rows, 262144 bytes, is more than shared memory; 3 halves of them in each of 2 CTAs
// are not. Without bulk copies one CTA of 1024 threads keeps 8 vectors each, half of them in flight at once.
// CHECK-LABEL: func.func @wide(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 512, ctas_per_row = 2, vector_width = 8, vectors_per_thread = 8, vectors_in_flight = 8, invariants = late, persistent_ctas = 132, stages = 3>}
// A100-LABEL: func.func @wide(
// A100: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 1024, vector_width = 8, vectors_per_thread = 8, vectors_in_flight = 4, invariants = late>}
func.func @wide(%x: tensor<1000x65536xbf16>, %weight: tensor<65536xbf16>) -> tensor<1000x65536xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<1000x65536xbf16>, tensor<65536xbf16> -> tensor<1000x65536xbf16>
  return %y : tensor<1000x65536xbf16>
}

// 53248 / 8 = 6656 vectors: 8 for each of 832 threads, with two rows, 212992 bytes, in shared memory. Without a ring 7 for
// each of 951 threads, in whole warps.
// CHECK-LABEL: func.func @wide_odd_multiple(
// CHECK: scope = cta, threads_per_row = 832, vector_width = 8, vectors_per_thread = 8, vectors_in_flight = 8, invariants = late, persistent_ctas = 132, stages = 2>}
// A100-LABEL: func.func @wide_odd_multiple(
// A100: scope = cta, threads_per_row = 960, vector_width = 8, vectors_per_thread = 7, vectors_in_flight = 4
func.func @wide_odd_multiple(%x: tensor<1000x53248xbf16>) -> tensor<1000x53248xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<1000x53248xbf16> -> tensor<1000x53248xbf16>
  return %y : tensor<1000x53248xbf16>
}

// 262144 / 8 = 32768 vectors: 8 CTAs of 512 threads keep 8 each.
// CHECK-LABEL: func.func @wider(
// CHECK: scope = cluster, threads_per_row = 512, ctas_per_row = 8, vector_width = 8, vectors_per_thread = 8,
func.func @wider(%x: tensor<1000x262144xbf16>) -> tensor<1000x262144xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<1000x262144xbf16> -> tensor<1000x262144xbf16>
  return %y : tensor<1000x262144xbf16>
}

// Twice as wide only 16 CTAs hold a row, and of four times as wide none.
// CHECK-LABEL: func.func @widest(
// CHECK: scope = cluster, threads_per_row = 512, ctas_per_row = 16, vector_width = 8, vectors_per_thread = 8,
func.func @widest(%x: tensor<1000x524288xbf16>) -> tensor<1000x524288xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<1000x524288xbf16> -> tensor<1000x524288xbf16>
  return %y : tensor<1000x524288xbf16>
}

// CHECK-LABEL: func.func @too_wide(
// CHECK: kind = two_pass, scope = cta,
func.func @too_wide(%x: tensor<1000x1048576xbf16>) -> tensor<1000x1048576xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<1000x1048576xbf16> -> tensor<1000x1048576xbf16>
  return %y : tensor<1000x1048576xbf16>
}

// Few rows that no cluster holds: 131072 vectors, 16 CTAs for 512 each are not enough; 32 keep 8 a thread.
// CHECK-LABEL: func.func @few_too_wide(
// CHECK: scope = grid, threads_per_row = 512, ctas_per_row = 32, vector_width = 8, vectors_per_thread = 8,
func.func @few_too_wide(%x: tensor<3x1048576xbf16>) -> tensor<3x1048576xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<3x1048576xbf16> -> tensor<3x1048576xbf16>
  return %y : tensor<3x1048576xbf16>
}

// An f32 weight takes twice the registers: four CTAs of a cluster with 4 vectors a thread.
// CHECK-LABEL: func.func @wide_f32_weight(
// CHECK: scope = cluster, threads_per_row = 512, ctas_per_row = 4, vector_width = 8, vectors_per_thread = 4,
// A100 has no clusters.
// A100-LABEL: func.func @wide_f32_weight(
// A100: schedule = #fastnorm.schedule<kind = two_pass, scope = cta,
func.func @wide_f32_weight(%x: tensor<1000x65536xbf16>, %weight: tensor<65536xf32>) -> tensor<1000x65536xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<1000x65536xbf16>, tensor<65536xf32> -> tensor<1000x65536xbf16>
  return %y : tensor<1000x65536xbf16>
}

// A multiprocessor for each CTA: 16 rows of 8 are 128 of 132, 33 of 4 are 132; with one row more a CTA has the row.
// CHECK-LABEL: func.func @fewest(
// CHECK: scope = cluster, threads_per_row = 256, ctas_per_row = 8, vector_width = 8, vectors_per_thread = 1,
func.func @fewest(%x: tensor<16x16384xbf16>) -> tensor<16x16384xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<16x16384xbf16> -> tensor<16x16384xbf16>
  return %y : tensor<16x16384xbf16>
}

// CHECK-LABEL: func.func @few(
// CHECK: scope = cluster, threads_per_row = 256, ctas_per_row = 4, vector_width = 8, vectors_per_thread = 2,
func.func @few(%x: tensor<33x16384xbf16>) -> tensor<33x16384xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<33x16384xbf16> -> tensor<33x16384xbf16>
  return %y : tensor<33x16384xbf16>
}

// CHECK-LABEL: func.func @not_few(
// CHECK: scope = cta,
func.func @not_few(%x: tensor<34x16384xbf16>) -> tensor<34x16384xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<34x16384xbf16> -> tensor<34x16384xbf16>
  return %y : tensor<34x16384xbf16>
}

// CHECK-LABEL: func.func @few_narrow(
// CHECK: scope = cta,
func.func @few_narrow(%x: tensor<8x8192xbf16>) -> tensor<8x8192xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<8x8192xbf16> -> tensor<8x8192xbf16>
  return %y : tensor<8x8192xbf16>
}

// An f32 row has twice the vectors: 16384 / 4 = 4096.
// CHECK-LABEL: func.func @few_f32(
// CHECK: scope = cluster, threads_per_row = 256, ctas_per_row = 8, vector_width = 4, vectors_per_thread = 2,
func.func @few_f32(%x: tensor<8x16384xf32>) -> tensor<8x16384xf32> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<8x16384xf32> -> tensor<8x16384xf32>
  return %y : tensor<8x16384xf32>
}

// Odd rows are read in shifted vectors: 4097 + 7 columns are 513 of them, one more than a cluster gains by.
// CHECK-LABEL: func.func @odd(
// CHECK: scope = cta, threads_per_row = 160, vector_width = 8, vectors_per_thread = 4,
func.func @odd(%x: tensor<8x4097xbf16>) -> tensor<8x4097xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<8x4097xbf16> -> tensor<8x4097xbf16>
  return %y : tensor<8x4097xbf16>
}

// Without clusters a grid: 8192 vectors are 16 CTAs of 512.
// A100-LABEL: func.func @few_on_every_chip(
// A100: scope = grid, threads_per_row = 256, ctas_per_row = 16, vector_width = 8, vectors_per_thread = 2,
func.func @few_on_every_chip(%x: tensor<8x65536xbf16>) -> tensor<8x65536xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<8x65536xbf16> -> tensor<8x65536xbf16>
  return %y : tensor<8x65536xbf16>
}
