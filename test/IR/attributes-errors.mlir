// Attributes that cannot be, each in one sentence.
// RUN: fastnorm-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expects axes in the order row, head, slot, group, hidden, at least one, and none but row more than once}}
func.func private @axes_out_of_order() attributes {a = #fastnorm.axes<hidden, row>}

// -----

// expected-error@+1 {{expects axes in the order row, head, slot, group, hidden, at least one, and none but row more than once}}
func.func private @axis_twice() attributes {a = #fastnorm.axes<hidden, hidden>}

// -----

func.func @map_axes_out_of_order(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{expects axes in the order row, head, slot, group, hidden, at least one, and none but row more than once}}
  %y = fastnorm.map(%x [hidden, row]) -> [row, hidden] : (tensor<?x64xf32>) -> tensor<?x64xf32> {
  ^bb0(%a: f32):
    fastnorm.yield %a : f32
  }
  return
}

// -----

// expected-error@+1 {{expects threads_per_row from 1 to 1024, but got 0}}
func.func private @no_threads() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 0, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects rows_per_cta from 1 to 1024, but got -1}}
func.func private @negative_rows() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, rows_per_cta = -1, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects vectors_per_thread from 1 to 1024, but got 1025}}
func.func private @too_many_vectors() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 8, vectors_per_thread = 1025>}

// -----

// expected-error@+1 {{expects vectors_in_flight from 1 to 1024, but got 0}}
func.func private @no_vectors_in_flight() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 8, vectors_per_thread = 1, vectors_in_flight = 0>}

// -----

// expected-error@+1 {{expects slots_in_flight from 1 to 1024, but got 0}}
func.func private @no_slots_in_flight() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 8, vectors_per_thread = 1, slots_in_flight = 0>}

// -----

// expected-error@+1 {{expects min_ctas from 1 to 1024, but got 0}}
func.func private @no_ctas() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 8, vectors_per_thread = 1, min_ctas = 0>}

// -----

// expected-error@+1 {{expects vector_width to be 1, 2, 4, 8 or 16 elements, but got 3}}
func.func private @odd_vector() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 3, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects vector_width to be 1, 2, 4, 8 or 16 elements, but got 32}}
func.func private @wide_vector() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 32, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects at most 1024 threads per CTA, but threads_per_row 32 times rows_per_cta 64 is 2048}}
func.func private @too_many_threads() attributes {s = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 32, rows_per_cta = 64, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects vectors_in_flight to be at most vectors_per_thread, 2, but got 3}}
func.func private @more_in_flight_than_there_are() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 3>}

// -----

// expected-error@+1 {{expects threads_per_row to be a power of two up to 32 for scope lanes, but got 24}}
func.func private @lanes_not_a_power_of_two() attributes {s = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 24, rows_per_cta = 4, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects threads_per_row to be a power of two up to 32 for scope lanes, but got 64}}
func.func private @lanes_past_a_warp() attributes {s = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 64, rows_per_cta = 4, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects whole warps, but a CTA has 48 threads}}
func.func private @lanes_of_part_of_a_warp() attributes {s = #fastnorm.schedule<kind = per_row, scope = lanes, threads_per_row = 16, rows_per_cta = 3, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects whole warps and one row per CTA for scope cta, but got threads_per_row 48 and rows_per_cta 1}}
func.func private @cta_of_part_of_a_warp() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 48, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects whole warps and one row per CTA for scope cta, but got threads_per_row 64 and rows_per_cta 2}}
func.func private @cta_of_two_rows() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, rows_per_cta = 2, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects a chip among sm_80 sm_86 sm_89 sm_90 sm_100 sm_120, but got 'sm_75'}}
func.func private @unknown_chip() attributes {t = #fastnorm.target<name = "t4", chip = "sm_75", ptx = 78, multiprocessors = 40, registers = 65536, shared_bytes = 65536, threads = 1024, ctas = 16, bandwidth = 320, l2_bytes = 4194304>}

// -----

// expected-error@+1 {{expects a PTX version from 78 to 90 for sm_90, but got 70}}
func.func private @ptx_older_than_the_chip() attributes {t = #fastnorm.target<name = "h200", chip = "sm_90", ptx = 70, multiprocessors = 132, registers = 65536, shared_bytes = 232448, threads = 2048, ctas = 32, bandwidth = 4800, l2_bytes = 62914560>}

// -----

// expected-error@+1 {{expects a PTX version from 78 to 90 for sm_90, but got 91}}
func.func private @ptx_newer_than_the_back_end() attributes {t = #fastnorm.target<name = "h200", chip = "sm_90", ptx = 91, multiprocessors = 132, registers = 65536, shared_bytes = 232448, threads = 2048, ctas = 32, bandwidth = 4800, l2_bytes = 62914560>}

// -----

// expected-error@+1 {{expects every quantity of target 'h200' to be positive, but got 0}}
func.func private @no_registers() attributes {t = #fastnorm.target<name = "h200", chip = "sm_90", ptx = 78, multiprocessors = 132, registers = 0, shared_bytes = 232448, threads = 2048, ctas = 32, bandwidth = 4800, l2_bytes = 62914560>}

// -----

// expected-error@+1 {{'func.func' op cannot carry 'fastnorm.target'; it belongs on the module}}
func.func private @target_on_a_function() attributes {fastnorm.target = "h200"}

// -----

// expected-error@+1 {{'builtin.module' op expects 'fastnorm.target' to be a #fastnorm.target, but got "h200"}}
module attributes {fastnorm.target = "h200"} {}

// -----

// expected-error@+1 {{expects 'fastnorm.name' to be a string that is not empty, but got ""}}
func.func private @empty_name(tensor<?x64xf32> {fastnorm.name = ""})

// -----

// expected-error@+1 {{expects 'fastnorm.name' to be a string that is not empty, but got 1 : i64}}
func.func private @number_as_name() -> (tensor<?x64xf32> {fastnorm.name = 1})

// -----

// expected-error@+1 {{expects 'fastnorm.symbols' to be a list of strings, but got "rows"}}
func.func private @symbols_not_a_list(tensor<?x64xf32> {fastnorm.symbols = "rows"})

// -----

// expected-error@+1 {{expects 'fastnorm.symbols' to name the 1 dynamic dimensions of 'tensor<?x64xf32>', but it names 2}}
func.func private @too_many_symbols(tensor<?x64xf32> {fastnorm.symbols = ["rows", "hidden"]})

// -----

// expected-error@+1 {{expects 'fastnorm.symbols' to name the 0 dynamic dimensions of 'tensor<4x64xf32>', but it names 1}}
func.func private @symbol_of_a_static_dimension() -> (tensor<4x64xf32> {fastnorm.symbols = ["rows"]})

// -----

// expected-error@+1 {{expects 'fastnorm.indexes' to be a symbol's name, but got 3 : i64}}
func.func private @indexes_a_number(tensor<?x8xi64> {fastnorm.indexes = 3})

// -----

// expected-error@+1 {{expects 'fastnorm.tied' to be an integer on a tensor or memref, but got 0 : i64 on 'tensor<?x64xf32>'}}
func.func private @tied_on_a_tensor(tensor<?x64xf32> {fastnorm.tied = 0})

// -----

// expected-error@+1 {{expects 'fastnorm.result' to be an integer on a tensor or memref, but got 0 : i64 on 'f32'}}
func.func private @result_on_a_scalar(f32 {fastnorm.result = 0})

// -----

// expected-error@+1 {{carries 'fastnorm.nmae', which fastnorm does not know; known are 'fastnorm.name', 'fastnorm.symbols', 'fastnorm.indexes', 'fastnorm.single_row', 'fastnorm.tied', 'fastnorm.result', 'fastnorm.no_gradient' and 'fastnorm.gradient_of'}}
func.func private @misspelled(tensor<?x64xf32> {fastnorm.nmae = "x"})

// -----

// expected-error@+1 {{expects whole warps and one row per CTA for scope cluster, but got threads_per_row 48 and rows_per_cta 1}}
func.func private @cluster_of_part_of_a_warp() attributes {s = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 48, ctas_per_row = 2, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects ctas_per_row 2, 4, 8 or 16 for scope cluster, but got 3}}
func.func private @cluster_of_three() attributes {s = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 32, ctas_per_row = 3, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects ctas_per_row 2, 4, 8 or 16 for scope cluster, but got 32}}
func.func private @cluster_of_32() attributes {s = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 32, ctas_per_row = 32, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects ctas_per_row of at least 2 for scope cluster, but got 1}}
func.func private @cluster_of_one() attributes {s = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 32, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects ctas_per_row 1 for scope cta, but got 2}}
func.func private @cta_of_two_ctas() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, ctas_per_row = 2, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects kind per_row for scope cluster, but got two_pass}}
func.func private @two_pass_of_a_cluster() attributes {s = #fastnorm.schedule<kind = two_pass, scope = cluster, threads_per_row = 32, ctas_per_row = 2, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects ctas_per_row from 1 to 1024, but got 2000}}
func.func private @too_many_ctas_per_row() attributes {s = #fastnorm.schedule<kind = per_row, scope = grid, threads_per_row = 32, ctas_per_row = 2000, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects cluster_ctas of target 'mine' to be 0, 2, 4, 8 or 16, but got 3}}
func.func private @clusters_of_three() attributes {t = #fastnorm.target<name = "mine", chip = "sm_90", ptx = 90, multiprocessors = 1, registers = 2, shared_bytes = 3, threads = 1024, ctas = 5, bandwidth = 6, l2_bytes = 7, cluster_ctas = 3>}

// -----

// expected-error@+1 {{expects cluster_ctas 0 for sm_89, which has no clusters, but got 8}}
func.func private @clusters_before_their_time() attributes {t = #fastnorm.target<name = "mine", chip = "sm_89", ptx = 90, multiprocessors = 1, registers = 2, shared_bytes = 3, threads = 1024, ctas = 5, bandwidth = 6, l2_bytes = 7, cluster_ctas = 8>}

// -----

// expected-error@+1 {{expects a range of 'rows' from 0 or more up to its high end, but got 3 to 2}}
func.func private @range_that_ends_before_it_begins() attributes {r = #fastnorm.range<"rows", 3, 2>}

// -----

// expected-error@+1 {{expects a range of 'rows' from 0 or more up to its high end, but got -1 to 2}}
func.func private @range_of_negative_rows() attributes {r = #fastnorm.range<"rows", -1, 2>}

// -----

// expected-error@+1 {{expects 'fastnorm.ranges' to be a list of #fastnorm.range, but got 3 : i64}}
func.func private @ranges_not_a_list() attributes {fastnorm.ranges = 3}

// -----

// expected-error@+1 {{expects 'fastnorm.alignment' to be 1 or 16 bytes, but got 8 : i64}}
func.func private @odd_alignment() attributes {fastnorm.alignment = 8}

// -----

// expected-error@+1 {{expects 'fastnorm.variant_of' to be a function's name, but got 1 : i64}}
func.func private @variant_of_a_number() attributes {fastnorm.variant_of = 1}

// -----

// expected-error@+1 {{expects stages only of persistent CTAs, but got 2 and persistent_ctas 0}}
func.func private @stages_of_a_row() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 1, stages = 2>}

// -----

// expected-error@+1 {{expects stages 0, or 2 to 8 with kind per_row and scope cta or cluster, but got 1 with per_row and cta}}
func.func private @one_stage() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 4, stages = 1>}

// -----

// expected-error@+1 {{expects copies by_thread only with stages, but got stages 0}}
func.func private @copies_without_stages() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 4, copies = by_thread>}

// -----

// expected-error@+1 {{expects at most 15 row groups in a CTA, but got rows_per_cta 16}}
func.func private @too_many_row_groups() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 32, vector_width = 8, vectors_per_thread = 1, rows_per_cta = 16, persistent_ctas = 4>}

// -----

// expected-error@+1 {{expects persistent_ctas to be a multiple of ctas_per_row, 4, up to 65536, but got 6}}
func.func private @half_a_cluster() attributes {s = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 64, vector_width = 8, vectors_per_thread = 1, ctas_per_row = 4, persistent_ctas = 6>}

// -----

// expected-error@+1 {{expects finalize_width to be a power of two up to 32, but got 12}}
func.func private @odd_finalize_width() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 4, finalize_width = 12>}

// -----

// expected-error@+1 {{expects 'fastnorm.no_gradient' without a value, but got true}}
func.func @no_gradient_has_no_value(%x: tensor<4x8xf32> {fastnorm.no_gradient = true}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}

// -----

// expected-error@+1 {{expects 'fastnorm.gradient_of' to be a list of names, but got "x"}}
func.func @gradient_of_is_a_list(%x: tensor<4x8xf32>) -> (tensor<4x8xf32> {fastnorm.gradient_of = "x"}) {
  return %x : tensor<4x8xf32>
}

// -----

// expected-error@+1 {{expects accumulate atomic only of persistent CTAs, but got persistent_ctas 0}}
func.func private @atomic_sums_of_a_row() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 1, accumulate = atomic>}

// -----

// expected-error@+1 {{expects accumulators shared only of persistent CTAs, but got persistent_ctas 0}}
func.func private @shared_sums_of_a_row() attributes {s = #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 1, accumulators = shared>}

// -----

// expected-error@+1 {{expects kind per_row or two_pass of persistent CTAs, but got per_element}}
func.func private @persistent_elements() attributes {s = #fastnorm.schedule<kind = per_element, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 4>}

// -----

// expected-error@+1 {{expects scope cta or cluster for tiles of two_pass, but got lanes}}
func.func private @tiles_of_lanes() attributes {s = #fastnorm.schedule<kind = two_pass, scope = lanes, threads_per_row = 32, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 4>}

// -----

// expected-error@+1 {{expects stages 0, or 2 to 8 with kind per_row and scope cta or cluster, but got 2 with two_pass and cta}}
func.func private @stages_of_tiles() attributes {s = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 64, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 4, stages = 2>}

// -----

// expected-error@+1 {{expects kind per_row for scope cluster, but got two_pass}}
func.func private @clusters_of_no_tiles() attributes {s = #fastnorm.schedule<kind = two_pass, scope = cluster, ctas_per_row = 2, threads_per_row = 64, vector_width = 8, vectors_per_thread = 1>}

// -----

// expected-error@+1 {{expects whole warps and one row per CTA for scope cta, but got threads_per_row 48 and rows_per_cta 40}}
func.func private @half_warps_of_tiles() attributes {s = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 48, rows_per_cta = 40, vector_width = 8, vectors_per_thread = 1, persistent_ctas = 4>}
