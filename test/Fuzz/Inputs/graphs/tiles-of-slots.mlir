// options: --dim=expert_rows=56 --target=b200 --fill=seed:70,index5=constant:-1
module attributes {fastnorm.target = #fastnorm.target<name = "b200", chip = "sm_100", ptx = 86, multiprocessors = 148, registers = 65536, shared_bytes = 232448, threads = 2048, ctas = 32, bandwidth = 8000, l2_bytes = 132120576, cluster_ctas = 16>} {
  func.func @graph(%arg0: tensor<7xbf16> {fastnorm.name = "x1"}, %arg1: tensor<7xf32> {fastnorm.name = "x2"}, %arg2: tensor<7x8200xf32> {fastnorm.name = "x3"}, %arg3: tensor<?x8200xbf16> {fastnorm.name = "table4", fastnorm.symbols = ["expert_rows"]}, %arg4: tensor<7x8xi32> {fastnorm.indexes = "expert_rows", fastnorm.name = "index5"}) -> (tensor<7x8200xf16> {fastnorm.name = "v57"}, tensor<7x8xf32> {fastnorm.name = "v9"}, tensor<7x8200xi8> {fastnorm.name = "v59"}) {
    %0:3 = fastnorm.kernel "graph" (%arg5 = %arg0, %arg6 = %arg1, %arg7 = %arg2, %arg8 = %arg3, %arg9 = %arg4) {schedule = #fastnorm.schedule<kind = two_pass, scope = cta, threads_per_row = 640, rows_per_cta = 2, ctas_per_row = 1, vector_width = 8, vectors_per_thread = 1, vectors_in_flight = 1, invariants = early, keep = packed, stores = cached, slots_in_flight = 3, persistent_ctas = 1>} : (tensor<7xbf16>, tensor<7xf32>, tensor<7x8200xf32>, tensor<?x8200xbf16>, tensor<7x8xi32>) -> (tensor<7x8200xf16>, tensor<7x8xf32>, tensor<7x8200xi8>) {
      %result = fastnorm.gather %arg8[%arg9] : tensor<?x8200xbf16>, tensor<7x8xi32> -> tensor<7x8x8200xbf16>
      %1 = fastnorm.map(%result [row, slot, hidden]) -> [row, slot, hidden] : (tensor<7x8x8200xbf16>) -> tensor<7x8x8200xf32> {
      ^bb0(%arg10: bf16):
        %11 = arith.extf %arg10 : bf16 to f32
        fastnorm.yield %11 : f32
      }
      %2 = fastnorm.reduce add hidden(%1 [row, slot, hidden]) : tensor<7x8x8200xf32> -> tensor<7x8xf32>
      %3 = fastnorm.map(%arg7 [row, hidden]) -> [row, hidden] : (tensor<7x8200xf32>) -> tensor<7x8200xf32> {
      ^bb0(%arg10: f32):
        %cst = arith.constant 3.000000e+00 : f32
        %11 = arith.minimumf %arg10, %cst : f32
        %12 = math.exp2 %11 : f32
        fastnorm.yield %12 : f32
      }
      %4 = fastnorm.map(%arg7 [row, hidden]) -> [row, hidden] : (tensor<7x8200xf32>) -> tensor<7x8200xf32> {
      ^bb0(%arg10: f32):
        %11 = arith.minimumf %arg10, %arg10 : f32
        %12 = math.fma %arg10, %arg10, %arg10 : f32
        %13 = arith.truncf %11 : f32 to f16
        %14 = arith.extf %13 : f16 to f32
        %15 = math.fma %12, %arg10, %11 : f32
        fastnorm.yield %15 : f32
      }
      %5 = fastnorm.map(%arg5 [row], %arg7 [row, hidden], %result [row, slot, hidden]) -> [row, slot, hidden] : (tensor<7xbf16>, tensor<7x8200xf32>, tensor<7x8x8200xbf16>) -> tensor<7x8x8200xf32> {
      ^bb0(%arg10: bf16, %arg11: f32, %arg12: bf16):
        %11 = arith.extf %arg10 : bf16 to f32
        %12 = arith.extf %arg12 : bf16 to f32
        %13 = math.roundeven %11 : f32
        %14 = math.roundeven %12 : f32
        %15 = arith.mulf %12, %11 : f32
        %16 = math.absf %12 : f32
        %cst = arith.constant 2.000000e+00 : f32
        %17 = arith.addf %16, %cst : f32
        %18 = math.log2 %17 : f32
        fastnorm.yield %18 : f32
      }
      %6 = fastnorm.map(%arg6 [row]) -> [row] : (tensor<7xf32>) -> tensor<7xf32> {
      ^bb0(%arg10: f32):
        %11 = math.fma %arg10, %arg10, %arg10 : f32
        %12 = math.absf %11 : f32
        %cst = arith.constant 5.000000e-01 : f32
        %13 = arith.addf %12, %cst : f32
        %14 = arith.divf %arg10, %13 : f32
        %cst_0 = arith.constant 3.000000e+00 : f32
        %15 = arith.addf %14, %cst_0 : f32
        %16 = arith.mulf %arg10, %11 fastmath<contract> : f32
        %17 = arith.addf %16, %11 fastmath<contract> : f32
        %18 = arith.mulf %11, %17 fastmath<contract> : f32
        %19 = arith.addf %18, %14 fastmath<contract> : f32
        fastnorm.yield %19 : f32
      }
      %7 = fastnorm.map(%arg7 [row, hidden], %5 [row, slot, hidden]) -> [row, slot, hidden] : (tensor<7x8200xf32>, tensor<7x8x8200xf32>) -> tensor<7x8x8200xf32> {
      ^bb0(%arg10: f32, %arg11: f32):
        %11 = arith.truncf %arg10 : f32 to bf16
        %12 = arith.extf %11 : bf16 to f32
        %13 = arith.subf %arg10, %arg10 : f32
        %14 = arith.mulf %arg10, %12 : f32
        %cst = arith.constant -1.500000e+00 : f32
        %15 = arith.addf %arg11, %cst : f32
        fastnorm.yield %15 : f32
      }
      %8 = fastnorm.map(%arg7 [row, hidden]) -> [row, hidden] : (tensor<7x8200xf32>) -> tensor<7x8200xf32> {
      ^bb0(%arg10: f32):
        %11 = arith.minimumf %arg10, %arg10 : f32
        %12 = math.absf %11 : f32
        %cst = arith.constant 2.000000e+00 : f32
        %13 = arith.addf %12, %cst : f32
        %14 = arith.divf %11, %13 : f32
        %15 = arith.mulf %14, %arg10 : f32
        fastnorm.yield %15 : f32
      }
      %9 = fastnorm.map(%8 [row, hidden]) -> [row, hidden] : (tensor<7x8200xf32>) -> tensor<7x8200xf16> {
      ^bb0(%arg10: f32):
        %11 = arith.truncf %arg10 : f32 to f16
        fastnorm.yield %11 : f16
      }
      %10 = fastnorm.map(%4 [row, hidden]) -> [row, hidden] : (tensor<7x8200xf32>) -> tensor<7x8200xi8> {
      ^bb0(%arg10: f32):
        %11 = arith.fptosi %arg10 : f32 to i8
        fastnorm.yield %11 : i8
      }
      fastnorm.yield %9, %2, %10 : tensor<7x8200xf16>, tensor<7x8xf32>, tensor<7x8200xi8>
    }
    return %0#0, %0#1, %0#2 : tensor<7x8200xf16>, tensor<7x8xf32>, tensor<7x8200xi8>
  }
}

