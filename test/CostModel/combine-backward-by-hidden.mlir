// The schedule that the cost model chooses on h200 for the gradients of combine. Registers wanted are 12, 12 to work on a
// slot in, 3 for each slot (where its row lies, and its gate), again for a second vector that waits for the first, 1 for
// each sum, and 4 for each 16 bytes in flight: grad_output and slots.
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=h200 until=schedule" | FileCheck %s

// 384 vectors, one a thread: 24 + 4 x 8 + 4 x 9 = 92 registers, of which ptxas saves 2 for each slot in flight: 80 leave
// two CTAs. As many rows as multiprocessors or fewer have one for themselves, and save nothing.
// CHECK-LABEL: func.func @hidden_3072(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 384, vector_width = 8, vectors_per_thread = 1, slots_in_flight = 8>}
// CHECK-LABEL: func.func @hidden_3072_0(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 384, vector_width = 8, vectors_per_thread = 1, slots_in_flight = 8, min_ctas = 2>}
func.func @hidden_3072(%dy: tensor<?x3072xbf16>, %index: tensor<?x8xi64>, %rows: tensor<?x3072xbf16>, %gate: tensor<?x8xf32>)
    -> (tensor<?x3072xbf16>, tensor<?x8xf32>) {
  %r, %g = fastnorm.combine_backward %dy[%index] index_map(bijective) expert_rows(%rows) gate(%gate)
    : tensor<?x3072xbf16>, tensor<?x8xi64>, tensor<?x3072xbf16>, tensor<?x8xf32> -> expert_rows(tensor<?x3072xbf16>) gate(tensor<?x8xf32>)
  return %r, %g : tensor<?x3072xbf16>, tensor<?x8xf32>
}

// 896 vectors, two a thread: 116 less 16 registers leave room for one CTA. Of few rows both vectors are in flight: 128 of
// the 144 that there are.
// CHECK-LABEL: func.func @hidden_7168(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 448, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, slots_in_flight = 8>}
// CHECK-LABEL: func.func @hidden_7168_0(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 448, vector_width = 8, vectors_per_thread = 2, slots_in_flight = 8>}
func.func @hidden_7168(%dy: tensor<?x7168xbf16>, %index: tensor<?x8xi64>, %rows: tensor<?x7168xbf16>, %gate: tensor<?x8xf32>)
    -> (tensor<?x7168xbf16>, tensor<?x8xf32>) {
  %r, %g = fastnorm.combine_backward %dy[%index] index_map(bijective) expert_rows(%rows) gate(%gate)
    : tensor<?x7168xbf16>, tensor<?x8xi64>, tensor<?x7168xbf16>, tensor<?x8xf32> -> expert_rows(tensor<?x7168xbf16>) gate(tensor<?x8xf32>)
  return %r, %g : tensor<?x7168xbf16>, tensor<?x8xf32>
}

// 512 vectors of 4 slots, two a thread: 72 less 8 registers leave room for four CTAs.
// CHECK-LABEL: func.func @slots_4_0(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 256, vector_width = 8, vectors_per_thread = 2, slots_in_flight = 4, min_ctas = 4>}
func.func @slots_4(%dy: tensor<?x4096xbf16>, %index: tensor<?x4xi64>, %rows: tensor<?x4096xbf16>, %gate: tensor<?x4xf32>)
    -> (tensor<?x4096xbf16>, tensor<?x4xf32>) {
  %r, %g = fastnorm.combine_backward %dy[%index] index_map(bijective) expert_rows(%rows) gate(%gate)
    : tensor<?x4096xbf16>, tensor<?x4xi64>, tensor<?x4096xbf16>, tensor<?x4xf32> -> expert_rows(tensor<?x4096xbf16>) gate(tensor<?x4xf32>)
  return %r, %g : tensor<?x4096xbf16>, tensor<?x4xf32>
}

// Without sums there is nothing to meet for: no row has a CTA of its own.
// CHECK-LABEL: func.func @rows_alone(
// CHECK: schedule = #fastnorm.schedule<kind = per_element,
func.func @rows_alone(%dy: tensor<?x3072xbf16>, %index: tensor<?x8xi64>) -> tensor<?x3072xbf16> {
  %r = fastnorm.combine_backward %dy[%index] index_map(bijective)
    : tensor<?x3072xbf16>, tensor<?x8xi64> -> expert_rows(tensor<?x3072xbf16>)
  return %r : tensor<?x3072xbf16>
}

// Slots that are added up where they land are read in vectors that every row of the result can be stored in.
// CHECK-LABEL: func.func @odd_rows(
// CHECK: schedule = #fastnorm.schedule<kind = per_element, {{.*}}vector_width = 1,
func.func @odd_rows(%dy: tensor<?x3071xbf16>, %index: tensor<?x8xi64>) -> tensor<?x3071xbf16> {
  %r = fastnorm.combine_backward %dy[%index] : tensor<?x3071xbf16>, tensor<?x8xi64> -> expert_rows(tensor<?x3071xbf16>)
  return %r : tensor<?x3071xbf16>
}
