// Gradients of rows that no CTA or cluster keeps in its registers: tiles that are read again from the L2 where their columns'
// sums fit into shared memory, a grid elsewhere and for few rows.
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=a100 until=schedule row-invariant" | FileCheck %s --check-prefix=A100
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=h200 until=schedule row-invariant" | FileCheck %s --check-prefix=H200
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=a100 until=schedule" | FileCheck %s --check-prefix=FEW

// 65536 bytes of sums. Half of the 40 MB of L2 hold 65536 bytes of both streams for 108 CTAs twice.
// A100-LABEL: func.func @hidden_16384(
// A100: schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 512, rows_per_cta = 2, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 108, finalize_width = 32, accumulators = shared>}
// H200-LABEL: func.func @hidden_16384(
// H200: kind = per_row, scope = cluster,
func.func @hidden_16384(%dy: tensor<?x16384xbf16>, %x: tensor<?x16384xbf16>, %rstd: tensor<?xf32>, %weight: tensor<16384xbf16>)
    -> (tensor<?x16384xbf16>, tensor<16384xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x16384xbf16>, tensor<?x16384xbf16>, tensor<?xf32>, tensor<16384xbf16> -> input(tensor<?x16384xbf16>) weight(tensor<16384xbf16>)
  return %dx, %dw : tensor<?x16384xbf16>, tensor<16384xbf16>
}

// One row for each CTA: no tile.
// A100-LABEL: func.func @hidden_32768(
// A100: kind = per_row, scope = grid, threads_per_row = 256, ctas_per_row = 8,
func.func @hidden_32768(%dy: tensor<?x32768xbf16>, %x: tensor<?x32768xbf16>, %rstd: tensor<?xf32>, %weight: tensor<32768xbf16>)
    -> (tensor<?x32768xbf16>, tensor<32768xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x32768xbf16>, tensor<?x32768xbf16>, tensor<?xf32>, tensor<32768xbf16> -> input(tensor<?x32768xbf16>) weight(tensor<32768xbf16>)
  return %dx, %dw : tensor<?x32768xbf16>, tensor<32768xbf16>
}

// 16 CTAs with 65536 bytes of sums each; half of 60 MB hold four rows of 1 MB for each of 7 clusters.
// H200-LABEL: func.func @hidden_262144(
// H200: schedule = #fastnorm.schedule<kind = two_pass, scope = cluster, threads_per_row = 512, rows_per_cta = 4, ctas_per_row = 16, vector_width = 8, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 112, finalize_width = 32, accumulators = shared>}
func.func @hidden_262144(%dy: tensor<?x262144xbf16>, %x: tensor<?x262144xbf16>, %rstd: tensor<?xf32>, %weight: tensor<262144xbf16>)
    -> (tensor<?x262144xbf16>, tensor<262144xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<?x262144xbf16>, tensor<?x262144xbf16>, tensor<?xf32>, tensor<262144xbf16> -> input(tensor<?x262144xbf16>) weight(tensor<262144xbf16>)
  return %dx, %dw : tensor<?x262144xbf16>, tensor<262144xbf16>
}

// 8 CTAs would be busy.
// FEW-LABEL: func.func @few_rows(
// FEW: kind = per_row, scope = grid,
func.func @few_rows(%dy: tensor<8x16384xbf16>, %x: tensor<8x16384xbf16>, %rstd: tensor<8xf32>, %weight: tensor<16384xbf16>)
    -> (tensor<8x16384xbf16>, tensor<16384xbf16>) {
  %dx, %dw = fastnorm.rms_norm_backward %dy, %x rstd(%rstd) weight(%weight)
     : tensor<8x16384xbf16>, tensor<8x16384xbf16>, tensor<8xf32>, tensor<16384xbf16> -> input(tensor<8x16384xbf16>) weight(tensor<16384xbf16>)
  return %dx, %dw : tensor<8x16384xbf16>, tensor<16384xbf16>
}

// A grid would read the row again after the sum was written over it; a tile's results are written last. Sums that do not
// fit into shared memory are added to partials, for which a tile has eight rows at least.
// A100-LABEL: func.func @in_place(
// A100: schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 512, rows_per_cta = 8, vector_width = 4, vectors_per_thread = 2, vectors_in_flight = 2, stores = cached, persistent_ctas = 108, finalize_width = 32>}
func.func @in_place(%x: tensor<?x65536xf32>, %residual: tensor<?x65536xf32> {fastnorm.result = 0 : i64}) -> (tensor<?x65536xf32>, tensor<?x65536xf32>, tensor<65536xf32>) {
  %sum, %y, %columns = fastnorm.kernel "in_place" (%a = %x, %b = %residual)
     : (tensor<?x65536xf32>, tensor<?x65536xf32>) -> (tensor<?x65536xf32>, tensor<?x65536xf32>, tensor<65536xf32>) {
    %s = fastnorm.map(%a [row, hidden], %b [row, hidden]) -> [row, hidden] : (tensor<?x65536xf32>, tensor<?x65536xf32>) -> tensor<?x65536xf32> {
    ^bb0(%l: f32, %r: f32):
      %z = arith.addf %l, %r : f32
      fastnorm.yield %z : f32
    }
    %total = fastnorm.reduce add hidden (%s [row, hidden]) : tensor<?x65536xf32> -> tensor<?xf32>
    %c = fastnorm.reduce add row (%s [row, hidden]) : tensor<?x65536xf32> -> tensor<65536xf32>
    %rest = fastnorm.map(%s [row, hidden], %total [row]) -> [row, hidden] : (tensor<?x65536xf32>, tensor<?xf32>) -> tensor<?x65536xf32> {
    ^bb0(%l: f32, %r: f32):
      %z = arith.subf %l, %r : f32
      fastnorm.yield %z : f32
    }
    fastnorm.yield %s, %rest, %c : tensor<?x65536xf32>, tensor<?x65536xf32>, tensor<65536xf32>
  }
  return %sum, %y, %columns : tensor<?x65536xf32>, tensor<?x65536xf32>, tensor<65536xf32>
}
