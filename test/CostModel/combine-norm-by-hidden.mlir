// The schedule that the cost model chooses on h200 for combine, residual_add and rms_norm in one kernel. Registers wanted are 12, plus the
// weight's that wait, plus the larger of loads in flight and of what is kept with 12 to unpack a vector; at least 40.
// min_ctas is 65536 registers over threads times that. A weight of more than 12 registers is loaded late.
// RUN: fastnorm-opt %s --fastnorm-pipeline=until=schedule | FileCheck %s

// 256 vectors, one a thread: its 8 slots already are independent loads; 12 + 8 of the f32 weight + (1 residual +
// 8 slots) x 4 in flight = 56 registers: 65536 / (256 x 56) = 4.6.
// CHECK-LABEL: func.func @hidden_2048(
// CHECK: fastnorm.kernel "combine_residual_add_rms_norm"
// CHECK-SAME: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, vector_width = 8, vectors_per_thread = 1, slots_in_flight = 8, min_ctas = 4>}
func.func @hidden_2048(%expert_rows: tensor<?x2048xbf16>, %row_index: tensor<?x8xi64>, %gate: tensor<?x8xf32>,
                       %residual: tensor<?x2048xbf16>, %weight: tensor<2048xf32>) -> tensor<?x2048xbf16> {
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x2048xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x2048xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x2048xbf16>
  %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
     : tensor<?x2048xbf16>, tensor<2048xf32> -> tensor<?x2048xbf16>
  return %y : tensor<?x2048xbf16>
}

// 384 vectors, one a thread; 65536 / (384 x 56) = 3.05.
// CHECK-LABEL: func.func @hidden_3072(
// CHECK: fastnorm.kernel "combine_residual_add_rms_norm"
// CHECK-SAME: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 384, vector_width = 8, vectors_per_thread = 1, slots_in_flight = 8, min_ctas = 3>}
func.func @hidden_3072(%expert_rows: tensor<?x3072xbf16>, %row_index: tensor<?x8xi64>, %gate: tensor<?x8xf32>,
                       %residual: tensor<?x3072xbf16>, %weight: tensor<3072xf32>) -> tensor<?x3072xbf16> {
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x3072xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x3072xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x3072xbf16>
  %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
     : tensor<?x3072xbf16>, tensor<3072xf32> -> tensor<?x3072xbf16>
  return %y : tensor<?x3072xbf16>
}

// 896 vectors are more than 512 threads: two each, one in flight; the f32 weight's 2 x 8 registers are late:
// 12 + 16 + 36 in flight + 4 for the sum that waits = 68 registers: 65536 / (448 x 68) = 2.2.
// CHECK-LABEL: func.func @hidden_7168(
// CHECK: fastnorm.kernel "combine_residual_add_rms_norm"
// CHECK-SAME: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 448, vector_width = 8, vectors_per_thread = 2, slots_in_flight = 8, min_ctas = 2, invariants = late>}
func.func @hidden_7168(%expert_rows: tensor<?x7168xbf16>, %row_index: tensor<?x8xi64>, %gate: tensor<?x8xf32>,
                       %residual: tensor<?x7168xbf16>, %weight: tensor<7168xf32>) -> tensor<?x7168xbf16> {
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x7168xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x7168xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x7168xbf16>
  %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
     : tensor<?x7168xbf16>, tensor<7168xf32> -> tensor<?x7168xbf16>
  return %y : tensor<?x7168xbf16>
}

// 4097 is odd: 513 shifted vectors on at most 512 threads, two each; of shifted slots, which take more registers, 4 are in
// flight, and the weight is late. Two CTAs of 9 warps leave 16384 / (5 x 32) = 102 registers on each of 4 partitions, 96.
// CHECK-LABEL: func.func @hidden_4097(
// CHECK: fastnorm.kernel "combine_residual_add_rms_norm"
// CHECK-SAME: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 288, vector_width = 8, vectors_per_thread = 2, slots_in_flight = 4, min_ctas = 2, invariants = late>}
func.func @hidden_4097(%expert_rows: tensor<?x4097xbf16>, %row_index: tensor<?x8xi64>, %gate: tensor<?x8xf32>,
                       %residual: tensor<?x4097xbf16>, %weight: tensor<4097xf32>) -> tensor<?x4097xbf16> {
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x4097xbf16>, tensor<?x8xi64>, tensor<?x8xf32> -> tensor<?x4097xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x4097xbf16>
  %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
     : tensor<?x4097xbf16>, tensor<4097xf32> -> tensor<?x4097xbf16>
  return %y : tensor<?x4097xbf16>
}

// One slot is a stream behind an index: 512 vectors, two each, both in flight, and the weight is late. Six CTAs of 256
// threads have 40 registers: 16384 / (12 x 32), less than a multiple of 8.
// CHECK-LABEL: func.func @one_slot(
// CHECK: fastnorm.kernel "combine_residual_add_rms_norm"
// CHECK-SAME: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, min_ctas = 6, invariants = late>}
func.func @one_slot(%expert_rows: tensor<?x4096xbf16>, %row_index: tensor<?x1xi64>, %gate: tensor<?x1xf32>,
                    %residual: tensor<?x4096xbf16>, %weight: tensor<4096xf32>) -> tensor<?x4096xbf16> {
  %h = fastnorm.combine %expert_rows[%row_index] gate(%gate)
     : tensor<?x4096xbf16>, tensor<?x1xi64>, tensor<?x1xf32> -> tensor<?x4096xbf16>
  %s = fastnorm.residual_add %residual, %h : tensor<?x4096xbf16>
  %y = fastnorm.rms_norm %s weight(%weight) {eps = 1.0e-6 : f32, weight_offset = 1.0 : f32}
     : tensor<?x4096xbf16>, tensor<4096xf32> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}
