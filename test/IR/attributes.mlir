// Attributes are read and written again; what has its default value is left out.
// RUN: fastnorm-opt %s | fastnorm-opt | FileCheck %s

// CHECK-LABEL: func.func private @axes()
// CHECK-SAME: #fastnorm.axes<row>, #fastnorm.axes<row, slot>, #fastnorm.axes<row, slot, hidden>, #fastnorm.axes<hidden>
func.func private @axes() attributes {list = [#fastnorm.axes<row>, #fastnorm.axes<row, slot>,
                                              #fastnorm.axes<row, slot, hidden>, #fastnorm.axes<hidden>]}

// CHECK-LABEL: func.func private @schedule_of_defaults()
// CHECK-SAME: #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 2>
func.func private @schedule_of_defaults() attributes {s = #fastnorm.schedule<kind = two_pass, scope = cta,
    threads_per_row = 64, rows_per_cta = 1, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 1,
    slots_in_flight = 1, min_ctas = 1, invariants = early, keep = packed, stores = streaming>}

// CHECK-LABEL: func.func private @schedule_of_everything()
// CHECK-SAME: #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 16, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 3, vectors_in_flight = 2, slots_in_flight = 8, min_ctas = 4, invariants = late, keep = computed, stores = cached>
func.func private @schedule_of_everything() attributes {s = #fastnorm.schedule<kind = per_row, scope = lanes,
    threads_per_row = 16, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 3, vectors_in_flight = 2,
    slots_in_flight = 8, min_ctas = 4, invariants = late, keep = computed, stores = cached>}

// CHECK-LABEL: func.func private @schedule_over_ctas()
// CHECK-SAME: #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 96, ctas_per_row = 8, vector_width = 4, vectors_per_thread = 3, dependent_launch = true>
// CHECK-SAME: #fastnorm.schedule<kind = per_row, scope = grid, threads_per_row = 96, ctas_per_row = 7, vector_width = 4, vectors_per_thread = 3>
func.func private @schedule_over_ctas() attributes {
    s = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 96, ctas_per_row = 8, vector_width = 4,
        vectors_per_thread = 3, dependent_launch = true>,
    t = #fastnorm.schedule<kind = per_row, scope = grid, threads_per_row = 96, ctas_per_row = 7, vector_width = 4,
        vectors_per_thread = 3, dependent_launch = false>}

// per_element: a row may have any number of threads.
// CHECK-LABEL: func.func private @schedule_per_element()
// CHECK-SAME: #fastnorm.schedule<kind = per_element, scope = cta, threads_per_row = 17, rows_per_cta = 15, vector_width = 1, vectors_per_thread = 1>
func.func private @schedule_per_element() attributes {s = #fastnorm.schedule<kind = per_element, scope = cta,
    threads_per_row = 17, rows_per_cta = 15, vector_width = 1, vectors_per_thread = 1>}

// CHECK-LABEL: func.func private @target()
// CHECK-SAME: #fastnorm.target<name = "mine", chip = "sm_80", ptx = 90, multiprocessors = 1, registers = 2, shared_bytes = 3, threads = 1024, ctas = 5, bandwidth = 6, l2_bytes = 7>
func.func private @target() attributes {t = #fastnorm.target<name = "mine", chip = "sm_80", ptx = 90,
    multiprocessors = 1, registers = 2, shared_bytes = 3, threads = 1024, ctas = 5, bandwidth = 6, l2_bytes = 7>}

// CHECK-LABEL: func.func private @target_with_clusters()
// CHECK-SAME: l2_bytes = 7, cluster_ctas = 8>
func.func private @target_with_clusters() attributes {t = #fastnorm.target<name = "mine", chip = "sm_120", ptx = 90,
    multiprocessors = 1, registers = 2, shared_bytes = 3, threads = 1024, ctas = 5, bandwidth = 6, l2_bytes = 7,
    cluster_ctas = 8>}

// CHECK-LABEL: func.func private @variant()
// CHECK-SAME: fastnorm.alignment = 1 : i64
// CHECK-SAME: fastnorm.ranges = [#fastnorm.range<"rows", 0, 66>, #fastnorm.range<"expert_rows", 67, *>]
// CHECK-SAME: fastnorm.variant_of = "graph"
func.func private @variant() attributes {fastnorm.alignment = 1, fastnorm.variant_of = "graph",
    fastnorm.ranges = [#fastnorm.range<"rows", 0, 66>, #fastnorm.range<"expert_rows", 67, *>]}

// CHECK-LABEL: func.func private @bindings(
// CHECK-SAME: tensor<?x64xf32> {fastnorm.name = "x", fastnorm.symbols = ["rows"]}
// CHECK-SAME: tensor<?x8xi64> {fastnorm.indexes = "expert_rows", fastnorm.name = "row_index", fastnorm.symbols = ["rows"]}
// CHECK-SAME: memref<?x64xf32> {fastnorm.result = 0 : i64}
// CHECK-SAME: -> (tensor<?xf32> {fastnorm.name = "rstd", fastnorm.symbols = ["rows"]})
func.func private @bindings(tensor<?x64xf32> {fastnorm.name = "x", fastnorm.symbols = ["rows"]},
    tensor<?x8xi64> {fastnorm.name = "row_index", fastnorm.symbols = ["rows"], fastnorm.indexes = "expert_rows"},
    memref<?x64xf32> {fastnorm.result = 0})
    -> (tensor<?xf32> {fastnorm.name = "rstd", fastnorm.symbols = ["rows"]})
