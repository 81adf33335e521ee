// options: --target=h100 --fill=seed:95 --emulator-seed=37
module attributes {fastnorm.target = #fastnorm.target<name = "h100", chip = "sm_90", ptx = 78, multiprocessors = 132, registers = 65536, shared_bytes = 232448, threads = 2048, ctas = 32, bandwidth = 3350, l2_bytes = 52428800, cluster_ctas = 16>} {
  func.func @graph(%arg0: tensor<1x65537xbf16> {fastnorm.name = "x1"}, %arg1: tensor<65537xbf16> {fastnorm.name = "weight2"}, %arg2: tensor<65537xbf16> {fastnorm.name = "bias4"}, %arg3: tensor<65537xf16> {fastnorm.name = "weight6"}, %arg4: tensor<1x65537xbf16> {fastnorm.name = "x10"}, %arg5: tensor<65537xbf16> {fastnorm.name = "weight11"}) -> (tensor<1xf32> {fastnorm.name = "v14"}, tensor<1x65537xbf16> {fastnorm.name = "v3"}, tensor<1xf32> {fastnorm.name = "v8"}) {
    %0:4 = fastnorm.kernel "layer_norm_layer_norm" (%arg6 = %arg0, %arg7 = %arg1, %arg8 = %arg3) {schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 96, rows_per_cta = 1, ctas_per_row = 16, vector_width = 1, vectors_per_thread = 43, vectors_in_flight = 1, invariants = late, keep = computed, stores = cached>} : (tensor<1x65537xbf16>, tensor<65537xbf16>, tensor<65537xf16>) -> (tensor<1x65537xbf16>, tensor<1x65537xbf16>, tensor<1xf32>, tensor<1xf32>) {
      %2 = fastnorm.map(%arg6 [row, hidden]) -> [row, hidden] : (tensor<1x65537xbf16>) -> tensor<1x65537xf32> {
      ^bb0(%arg9: bf16):
        %16 = arith.extf %arg9 : bf16 to f32
        fastnorm.yield %16 : f32
      }
      %3 = fastnorm.reduce add hidden(%2 [row, hidden]) : tensor<1x65537xf32> -> tensor<1xf32>
      %4 = fastnorm.map(%3 [row]) -> [row] : (tensor<1xf32>) -> tensor<1xf32> {
      ^bb0(%arg9: f32):
        %cst = arith.constant 6.553700e+04 : f32
        %16 = arith.divf %arg9, %cst : f32
        fastnorm.yield %16 : f32
      }
      %5 = fastnorm.map(%arg6 [row, hidden], %4 [row]) -> [row, hidden] : (tensor<1x65537xbf16>, tensor<1xf32>) -> tensor<1x65537xf32> {
      ^bb0(%arg9: bf16, %arg10: f32):
        %16 = arith.extf %arg9 : bf16 to f32
        %17 = arith.subf %16, %arg10 : f32
        %18 = arith.mulf %17, %17 fastmath<contract> : f32
        fastnorm.yield %18 : f32
      }
      %6 = fastnorm.reduce add hidden(%5 [row, hidden]) : tensor<1x65537xf32> -> tensor<1xf32>
      %7 = fastnorm.map(%6 [row]) -> [row] : (tensor<1xf32>) -> tensor<1xf32> {
      ^bb0(%arg9: f32):
        %cst = arith.constant 1.52585562E-5 : f32
        %cst_0 = arith.constant 1.000000e-03 : f32
        %16 = arith.mulf %arg9, %cst fastmath<contract> : f32
        %17 = arith.addf %16, %cst_0 fastmath<contract> : f32
        %18 = math.rsqrt %17 : f32
        fastnorm.yield %18 : f32
      }
      %8 = fastnorm.map(%arg6 [row, hidden], %4 [row], %7 [row], %arg7 [hidden]) -> [row, hidden] : (tensor<1x65537xbf16>, tensor<1xf32>, tensor<1xf32>, tensor<65537xbf16>) -> tensor<1x65537xbf16> {
      ^bb0(%arg9: bf16, %arg10: f32, %arg11: f32, %arg12: bf16):
        %16 = arith.extf %arg9 : bf16 to f32
        %17 = arith.subf %16, %arg10 : f32
        %18 = arith.mulf %17, %arg11 : f32
        %19 = arith.extf %arg12 : bf16 to f32
        %cst = arith.constant 1.000000e+00 : f32
        %20 = arith.addf %19, %cst : f32
        %21 = arith.mulf %18, %20 : f32
        %22 = arith.truncf %21 : f32 to bf16
        fastnorm.yield %22 : bf16
      }
      %9 = fastnorm.map(%8 [row, hidden]) -> [row, hidden] : (tensor<1x65537xbf16>) -> tensor<1x65537xf32> {
      ^bb0(%arg9: bf16):
        %16 = arith.extf %arg9 : bf16 to f32
        fastnorm.yield %16 : f32
      }
      %10 = fastnorm.reduce add hidden(%9 [row, hidden]) : tensor<1x65537xf32> -> tensor<1xf32>
      %11 = fastnorm.map(%10 [row]) -> [row] : (tensor<1xf32>) -> tensor<1xf32> {
      ^bb0(%arg9: f32):
        %cst = arith.constant 6.553700e+04 : f32
        %16 = arith.divf %arg9, %cst : f32
        fastnorm.yield %16 : f32
      }
      %12 = fastnorm.map(%8 [row, hidden], %11 [row]) -> [row, hidden] : (tensor<1x65537xbf16>, tensor<1xf32>) -> tensor<1x65537xf32> {
      ^bb0(%arg9: bf16, %arg10: f32):
        %16 = arith.extf %arg9 : bf16 to f32
        %17 = arith.subf %16, %arg10 : f32
        %18 = arith.mulf %17, %17 fastmath<contract> : f32
        fastnorm.yield %18 : f32
      }
      %13 = fastnorm.reduce add hidden(%12 [row, hidden]) : tensor<1x65537xf32> -> tensor<1xf32>
      %14 = fastnorm.map(%13 [row]) -> [row] : (tensor<1xf32>) -> tensor<1xf32> {
      ^bb0(%arg9: f32):
        %cst = arith.constant 1.52585562E-5 : f32
        %cst_0 = arith.constant 9.99999974E-6 : f32
        %16 = arith.mulf %arg9, %cst fastmath<contract> : f32
        %17 = arith.addf %16, %cst_0 fastmath<contract> : f32
        %18 = math.rsqrt %17 : f32
        fastnorm.yield %18 : f32
      }
      %15 = fastnorm.map(%8 [row, hidden], %11 [row], %14 [row], %arg8 [hidden]) -> [row, hidden] : (tensor<1x65537xbf16>, tensor<1xf32>, tensor<1xf32>, tensor<65537xf16>) -> tensor<1x65537xbf16> {
      ^bb0(%arg9: bf16, %arg10: f32, %arg11: f32, %arg12: f16):
        %16 = arith.extf %arg9 : bf16 to f32
        %17 = arith.subf %16, %arg10 : f32
        %18 = arith.mulf %17, %arg11 : f32
        %19 = arith.truncf %18 : f32 to bf16
        %20 = arith.extf %19 : bf16 to f32
        %21 = arith.extf %arg12 : f16 to f32
        %22 = arith.mulf %20, %21 : f32
        %23 = arith.truncf %22 : f32 to bf16
        fastnorm.yield %23 : bf16
      }
      fastnorm.yield %8, %15, %11, %14 : tensor<1x65537xbf16>, tensor<1x65537xbf16>, tensor<1xf32>, tensor<1xf32>
    }
    %1:3 = fastnorm.kernel "layer_norm" (%arg6 = %arg4, %arg7 = %arg5) {schedule = #fastnorm.schedule<kind = per_row, scope = cluster, threads_per_row = 128, rows_per_cta = 1, ctas_per_row = 16, vector_width = 1, vectors_per_thread = 33, vectors_in_flight = 33, invariants = late, keep = computed, stores = cached>} : (tensor<1x65537xbf16>, tensor<65537xbf16>) -> (tensor<1x65537xbf16>, tensor<1xf32>, tensor<1xf32>) {
      %2 = fastnorm.map(%arg6 [row, hidden]) -> [row, hidden] : (tensor<1x65537xbf16>) -> tensor<1x65537xf32> {
      ^bb0(%arg8: bf16):
        %9 = arith.extf %arg8 : bf16 to f32
        fastnorm.yield %9 : f32
      }
      %3 = fastnorm.reduce add hidden(%2 [row, hidden]) : tensor<1x65537xf32> -> tensor<1xf32>
      %4 = fastnorm.map(%3 [row]) -> [row] : (tensor<1xf32>) -> tensor<1xf32> {
      ^bb0(%arg8: f32):
        %cst = arith.constant 6.553700e+04 : f32
        %9 = arith.divf %arg8, %cst : f32
        fastnorm.yield %9 : f32
      }
      %5 = fastnorm.map(%arg6 [row, hidden], %4 [row]) -> [row, hidden] : (tensor<1x65537xbf16>, tensor<1xf32>) -> tensor<1x65537xf32> {
      ^bb0(%arg8: bf16, %arg9: f32):
        %9 = arith.extf %arg8 : bf16 to f32
        %10 = arith.subf %9, %arg9 : f32
        %11 = arith.mulf %10, %10 fastmath<contract> : f32
        fastnorm.yield %11 : f32
      }
      %6 = fastnorm.reduce add hidden(%5 [row, hidden]) : tensor<1x65537xf32> -> tensor<1xf32>
      %7 = fastnorm.map(%6 [row]) -> [row] : (tensor<1xf32>) -> tensor<1xf32> {
      ^bb0(%arg8: f32):
        %cst = arith.constant 1.52585562E-5 : f32
        %cst_0 = arith.constant 9.99999974E-6 : f32
        %9 = arith.mulf %arg8, %cst fastmath<contract> : f32
        %10 = arith.addf %9, %cst_0 fastmath<contract> : f32
        %11 = math.rsqrt %10 : f32
        fastnorm.yield %11 : f32
      }
      %8 = fastnorm.map(%arg6 [row, hidden], %4 [row], %7 [row], %arg7 [hidden]) -> [row, hidden] : (tensor<1x65537xbf16>, tensor<1xf32>, tensor<1xf32>, tensor<65537xbf16>) -> tensor<1x65537xbf16> {
      ^bb0(%arg8: bf16, %arg9: f32, %arg10: f32, %arg11: bf16):
        %9 = arith.extf %arg8 : bf16 to f32
        %10 = arith.subf %9, %arg9 : f32
        %11 = arith.mulf %10, %arg10 : f32
        %12 = arith.extf %arg11 : bf16 to f32
        %13 = arith.mulf %11, %12 : f32
        %14 = arith.truncf %13 : f32 to bf16
        fastnorm.yield %14 : bf16
      }
      fastnorm.yield %8, %4, %7 : tensor<1x65537xbf16>, tensor<1xf32>, tensor<1xf32>
    }
    return %1#2, %0#0, %0#2 : tensor<1xf32>, tensor<1x65537xbf16>, tensor<1xf32>
  }
}

