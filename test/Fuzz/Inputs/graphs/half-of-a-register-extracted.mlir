// options: --dim=rows=1 --dim=expert_rows=3 --target=sm_120 --fill=seed:80 --emulator-seed=6
module attributes {fastnorm.target = #fastnorm.target<name = "rtx5090", chip = "sm_120", ptx = 87, multiprocessors = 170, registers = 65536, shared_bytes = 101376, threads = 1536, ctas = 24, bandwidth = 1792, l2_bytes = 100663296, cluster_ctas = 8>} {
  func.func @graph(%arg0: tensor<8192xi8> {fastnorm.name = "x1"}, %arg1: tensor<?x5x1x8192xbf16> {fastnorm.name = "x2", fastnorm.symbols = ["rows"]}, %arg2: tensor<?x5x1x8192xbf16> {fastnorm.name = "x3", fastnorm.symbols = ["rows"]}, %arg3: tensor<?x5x1x8192xbf16> {fastnorm.name = "x4", fastnorm.symbols = ["rows"]}, %arg4: tensor<?x8192xf16> {fastnorm.name = "table5", fastnorm.symbols = ["expert_rows"]}, %arg5: tensor<?x5x1x9xi32> {fastnorm.indexes = "expert_rows", fastnorm.name = "index6", fastnorm.symbols = ["rows"]}) -> (tensor<?x5x1x8192xbf16> {fastnorm.name = "v44", fastnorm.symbols = ["rows"]}, tensor<?x5x1xf32> {fastnorm.name = "v36", fastnorm.symbols = ["rows"]}) {
    %0:2 = fastnorm.kernel "graph" (%arg6 = %arg0, %arg7 = %arg1, %arg8 = %arg2, %arg9 = %arg3, %arg10 = %arg4, %arg11 = %arg5) {schedule = #fastnorm.schedule<kind = per_row, scope = grid, threads_per_row = 32, rows_per_cta = 1, ctas_per_row = 8, vector_width = 16, vectors_per_thread = 2, vectors_in_flight = 1, invariants = late, keep = packed, stores = cached, slots_in_flight = 7>} : (tensor<8192xi8>, tensor<?x5x1x8192xbf16>, tensor<?x5x1x8192xbf16>, tensor<?x5x1x8192xbf16>, tensor<?x8192xf16>, tensor<?x5x1x9xi32>) -> (tensor<?x5x1x8192xbf16>, tensor<?x5x1xf32>) {
      %result = fastnorm.gather %arg10[%arg11] : tensor<?x8192xf16>, tensor<?x5x1x9xi32> -> tensor<?x5x1x9x8192xf16>
      %1 = fastnorm.map(%result [row, row, head, slot, hidden]) -> [row, row, head, slot, hidden] : (tensor<?x5x1x9x8192xf16>) -> tensor<?x5x1x9x8192xf32> {
      ^bb0(%arg12: f16):
        %9 = arith.extf %arg12 : f16 to f32
        fastnorm.yield %9 : f32
      }
      %2 = fastnorm.reduce add slot(%1 [row, row, head, slot, hidden]) : tensor<?x5x1x9x8192xf32> -> tensor<?x5x1x8192xf32>
      %3 = fastnorm.map(%arg8 [row, row, head, hidden], %arg7 [row, row, head, hidden], %arg6 [hidden]) -> [row, row, head, hidden] : (tensor<?x5x1x8192xbf16>, tensor<?x5x1x8192xbf16>, tensor<8192xi8>) -> tensor<?x5x1x8192xf32> {
      ^bb0(%arg12: bf16, %arg13: bf16, %arg14: i8):
        %9 = arith.extf %arg12 : bf16 to f32
        %10 = arith.extf %arg13 : bf16 to f32
        %11 = arith.sitofp %arg14 : i8 to f32
        %12 = arith.subf %11, %10 : f32
        %13 = arith.maximumf %10, %12 : f32
        fastnorm.yield %13 : f32
      }
      %4 = fastnorm.map(%3 [row, row, head, hidden], %arg7 [row, row, head, hidden]) -> [row, row, head, hidden] : (tensor<?x5x1x8192xf32>, tensor<?x5x1x8192xbf16>) -> tensor<?x5x1x8192xf32> {
      ^bb0(%arg12: f32, %arg13: bf16):
        %9 = arith.extf %arg13 : bf16 to f32
        %10 = math.absf %arg12 : f32
        %cst = arith.constant 5.000000e-01 : f32
        %11 = arith.addf %10, %cst : f32
        %12 = math.log2 %11 : f32
        fastnorm.yield %12 : f32
      }
      %5 = fastnorm.map(%4 [row, row, head, hidden], %3 [row, row, head, hidden], %arg6 [hidden]) -> [row, row, head, hidden] : (tensor<?x5x1x8192xf32>, tensor<?x5x1x8192xf32>, tensor<8192xi8>) -> tensor<?x5x1x8192xf32> {
      ^bb0(%arg12: f32, %arg13: f32, %arg14: i8):
        %9 = arith.sitofp %arg14 : i8 to f32
        %10 = math.absf %arg13 : f32
        %cst = arith.constant 2.000000e+00 : f32
        %11 = arith.addf %10, %cst : f32
        %12 = arith.divf %arg13, %11 : f32
        %13 = math.absf %arg12 : f32
        fastnorm.yield %13 : f32
      }
      %6 = fastnorm.reduce add hidden(%5 [row, row, head, hidden]) : tensor<?x5x1x8192xf32> -> tensor<?x5x1xf32>
      %7 = fastnorm.map(%arg9 [row, row, head, hidden], %6 [row, row, head]) -> [row, row, head, hidden] : (tensor<?x5x1x8192xbf16>, tensor<?x5x1xf32>) -> tensor<?x5x1x8192xf32> {
      ^bb0(%arg12: bf16, %arg13: f32):
        %9 = arith.extf %arg12 : bf16 to f32
        %10 = math.absf %9 : f32
        %cst = arith.constant 1.000000e+00 : f32
        %11 = arith.addf %10, %cst : f32
        %12 = arith.divf %9, %11 : f32
        fastnorm.yield %12 : f32
      }
      %8 = fastnorm.map(%7 [row, row, head, hidden]) -> [row, row, head, hidden] : (tensor<?x5x1x8192xf32>) -> tensor<?x5x1x8192xbf16> {
      ^bb0(%arg12: f32):
        %9 = arith.truncf %arg12 : f32 to bf16
        fastnorm.yield %9 : bf16
      }
      fastnorm.yield %8, %6 : tensor<?x5x1x8192xbf16>, tensor<?x5x1xf32>
    }
    return %0#0, %0#1 : tensor<?x5x1x8192xbf16>, tensor<?x5x1xf32>
  }
}

