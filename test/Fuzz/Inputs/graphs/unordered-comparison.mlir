// options: --dim=rows=1 --dim=expert_rows=3 --target=h200 --fill=seed:61 --emulator-seed=88 --fuse=never --alignment=any
func.func @graph(%x2: tensor<?x2880xbf16> {fastnorm.name = "x2", fastnorm.symbols = ["rows"]}, %x3: tensor<?x2880xf16> {fastnorm.name = "x3", fastnorm.symbols = ["rows"]}, %table4: tensor<?x2880xf32> {fastnorm.name = "table4", fastnorm.symbols = ["expert_rows"]}, %index5: tensor<?xi64> {fastnorm.name = "index5", fastnorm.symbols = ["rows"]}) -> (tensor<?x2880xi8> {fastnorm.name = "v36", fastnorm.symbols = ["rows"]}) {
  %v36 = fastnorm.kernel "graph" (%of_x2 = %x2, %of_x3 = %x3, %of_table4 = %table4, %of_index5 = %index5) : (tensor<?x2880xbf16>, tensor<?x2880xf16>, tensor<?x2880xf32>, tensor<?xi64>) -> (tensor<?x2880xi8>) {
    %v6 = fastnorm.gather %of_table4[%of_index5] : tensor<?x2880xf32>, tensor<?xi64> -> tensor<?x2880xf32>
    %v8 = fastnorm.map(%of_x3 [row, hidden]) -> [row, hidden] : (tensor<?x2880xf16>) -> tensor<?x2880xf32> {
    ^bb0(%a0: f16):
      %s7 = arith.extf %a0 : f16 to f32
      fastnorm.yield %s7 : f32
    }
    %v9 = fastnorm.reduce min hidden (%v8 [row, hidden]) : tensor<?x2880xf32> -> tensor<?xf32>
    %v18 = fastnorm.map(%v9 [row]) -> [row] : (tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%a0: f32):
      %s10 = arith.constant 3.000000e+00 : f32
      %s11 = arith.minimumf %a0, %s10 : f32
      %s12 = math.exp2 %s11 : f32
      %s13 = arith.constant 1.250000e-01 : f32
      %s14 = arith.addf %s12, %s13 : f32
      %s15 = arith.constant 3.000000e+00 : f32
      %s16 = arith.subf %s12, %s15 : f32
      %s17 = arith.mulf %s14, %s14 : f32
      fastnorm.yield %s17 : f32
    }
    %v20 = fastnorm.map(%of_x2 [row, hidden]) -> [row, hidden] : (tensor<?x2880xbf16>) -> tensor<?x2880xf32> {
    ^bb0(%a0: bf16):
      %s19 = arith.extf %a0 : bf16 to f32
      fastnorm.yield %s19 : f32
    }
    %v21 = fastnorm.reduce min hidden (%v20 [row, hidden]) : tensor<?x2880xf32> -> tensor<?xf32>
    %v22 = fastnorm.reduce add hidden (%v8 [row, hidden]) {group = 16 : i64} : tensor<?x2880xf32> -> tensor<?x180xf32>
    %v34 = fastnorm.map(%of_x3 [row, hidden]) -> [row, hidden] : (tensor<?x2880xf16>) -> tensor<?x2880xf32> {
    ^bb0(%a0: f16):
      %s23 = arith.extf %a0 : f16 to f32
      %s24 = math.absf %s23 : f32
      %s25 = arith.constant 5.000000e-01 : f32
      %s26 = arith.addf %s24, %s25 : f32
      %s27 = math.sqrt %s26 : f32
      %s28 = arith.constant 3.000000e+00 : f32
      %s29 = arith.minimumf %s23, %s28 : f32
      %s30 = math.exp2 %s29 : f32
      %s31 = arith.constant 2.500000e-01 : f32
      %s32 = arith.cmpf ugt, %s23, %s31 : f32
      %s33 = arith.select %s32, %s30, %s23 : f32
      fastnorm.yield %s33 : f32
    }
    %v36 = fastnorm.map(%v34 [row, hidden]) -> [row, hidden] : (tensor<?x2880xf32>) -> tensor<?x2880xi8> {
    ^bb0(%a0: f32):
      %s35 = arith.fptosi %a0 : f32 to i8
      fastnorm.yield %s35 : i8
    }
    fastnorm.yield %v36 : tensor<?x2880xi8>
  }
  return %v36 : tensor<?x2880xi8>
}
