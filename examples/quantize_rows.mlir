// Absmax quantization to i8 with one scale a row: y = round(x / scale), scale = absmax / 127.
func.func @quantize_rows(%x: tensor<?x4096xbf16>) -> (tensor<?x4096xi8>, tensor<?xf32>) {
  %magnitude = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x4096xbf16>) -> tensor<?x4096xf32> {
  ^bb0(%a: bf16):
    %f = arith.extf %a : bf16 to f32
    %m = math.absf %f : f32
    fastnorm.yield %m : f32
  }
  %absmax = fastnorm.reduce max hidden (%magnitude [row, hidden]) : tensor<?x4096xf32> -> tensor<?xf32>
  %scale = fastnorm.map(%absmax [row]) -> [row] : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%m: f32):
    %limit = arith.constant 127.0 : f32
    %s = arith.divf %m, %limit : f32
    fastnorm.yield %s : f32
  }
  %y = fastnorm.map(%x [row, hidden], %scale [row]) -> [row, hidden]
     : (tensor<?x4096xbf16>, tensor<?xf32>) -> tensor<?x4096xi8> {
  ^bb0(%a: bf16, %s: f32):
    %f = arith.extf %a : bf16 to f32
    // A row of zeros has scale 0; 0 / 0 is NaN, which becomes 0.
    %q = arith.divf %f, %s : f32
    %r = math.roundeven %q : f32
    %t = arith.fptosi %r : f32 to i8
    fastnorm.yield %t : i8
  }
  return %y, %scale : tensor<?x4096xi8>, tensor<?xf32>
}
