// The schedule that the cost model chooses on h200 for the gradients of combine. Registers wanted are 12, 12 to work on a
// slot in, 3 for each slot (where its row lies, and its gate) and 1 for each sum, and 4 for each 16 bytes in flight:
// grad_output and slots.
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=h200 until=schedule" | FileCheck %s

// 384 vectors, one a thread: 24 + 4 x 8 + 4 x 9 = 92 registers would leave one CTA, 76 with half of the slots in flight two.
// CHECK-LABEL: func.func @hidden_3072(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 384, vector_width = 8, vectors_per_thread = 1, slots_in_flight = 4, min_ctas = 2>}
func.func @hidden_3072(%dy: tensor<?x3072xbf16>, %index: tensor<?x8xi64>, %rows: tensor<?x3072xbf16>, %gate: tensor<?x8xf32>)
    -> (tensor<?x3072xbf16>, tensor<?x8xf32>) {
  %r, %g = fastnorm.combine_backward %dy[%index] index_map(bijective) expert_rows(%rows) gate(%gate)
    : tensor<?x3072xbf16>, tensor<?x8xi64>, tensor<?x3072xbf16>, tensor<?x8xf32> -> expert_rows(tensor<?x3072xbf16>) gate(tensor<?x8xf32>)
  return %r, %g : tensor<?x3072xbf16>, tensor<?x8xf32>
}

// 896 vectors, two a thread: neither leaves room for two, so all slots are in flight in one.
// CHECK-LABEL: func.func @hidden_7168(
// CHECK: schedule = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 448, vector_width = 8, vectors_per_thread = 2, slots_in_flight = 8>}
func.func @hidden_7168(%dy: tensor<?x7168xbf16>, %index: tensor<?x8xi64>, %rows: tensor<?x7168xbf16>, %gate: tensor<?x8xf32>)
    -> (tensor<?x7168xbf16>, tensor<?x8xf32>) {
  %r, %g = fastnorm.combine_backward %dy[%index] index_map(bijective) expert_rows(%rows) gate(%gate)
    : tensor<?x7168xbf16>, tensor<?x8xi64>, tensor<?x7168xbf16>, tensor<?x8xf32> -> expert_rows(tensor<?x7168xbf16>) gate(tensor<?x8xf32>)
  return %r, %g : tensor<?x7168xbf16>, tensor<?x8xf32>
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
