// Absmax quantization to f8E4M3FN with one scale for each group of 128 neighbours: y = x / scale, scale = absmax / 448.
func.func @quantize_groups(%x: tensor<?x4096xbf16>) -> (tensor<?x4096xf8E4M3FN>, tensor<?x32xf32>) {
  %magnitude = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x4096xbf16>) -> tensor<?x4096xf32> {
  ^bb0(%a: bf16):
    %f = arith.extf %a : bf16 to f32
    %m = math.absf %f : f32
    fastnorm.yield %m : f32
  }
  %absmax = fastnorm.reduce max hidden (%magnitude [row, hidden]) {group = 128 : i64}
          : tensor<?x4096xf32> -> tensor<?x32xf32>
  %scale = fastnorm.map(%absmax [row, group]) -> [row, group] : (tensor<?x32xf32>) -> tensor<?x32xf32> {
  ^bb0(%m: f32):
    // The least scale keeps a group of zeros at zero.
    %least = arith.constant 1.0e-12 : f32
    %limit = arith.constant 448.0 : f32
    %s = arith.divf %m, %limit : f32
    %t = arith.maximumf %s, %least : f32
    fastnorm.yield %t : f32
  }
  %inverse = fastnorm.map(%scale [row, group]) -> [row, group] : (tensor<?x32xf32>) -> tensor<?x32xf32> {
  ^bb0(%s: f32):
    %one = arith.constant 1.0 : f32
    %q = arith.divf %one, %s : f32
    fastnorm.yield %q : f32
  }
  %y = fastnorm.map(%x [row, hidden], %inverse [row, group]) -> [row, hidden]
     : (tensor<?x4096xbf16>, tensor<?x32xf32>) -> tensor<?x4096xf8E4M3FN> {
  ^bb0(%a: bf16, %q: f32):
    %f = arith.extf %a : bf16 to f32
    %r = arith.mulf %f, %q : f32
    %t = arith.truncf %r : f32 to f8E4M3FN
    fastnorm.yield %t : f8E4M3FN
  }
  return %y, %scale : tensor<?x4096xf8E4M3FN>, tensor<?x32xf32>
}
