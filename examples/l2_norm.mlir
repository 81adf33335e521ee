// Rows divided by their Euclidean length, or by eps where that is shorter.
func.func @l2_norm(%x: tensor<?x4096xf16>) -> tensor<?x4096xf16> {
  %square = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x4096xf16>) -> tensor<?x4096xf32> {
  ^bb0(%a: f16):
    %f = arith.extf %a : f16 to f32
    %s = arith.mulf %f, %f fastmath<contract> : f32
    fastnorm.yield %s : f32
  }
  %sum = fastnorm.reduce add hidden (%square [row, hidden]) : tensor<?x4096xf32> -> tensor<?xf32>
  %scale = fastnorm.map(%sum [row]) -> [row] : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%s: f32):
    %eps = arith.constant 1.0e-12 : f32
    %one = arith.constant 1.0 : f32
    %l = math.sqrt %s : f32
    %m = arith.maximumf %l, %eps : f32
    %q = arith.divf %one, %m : f32
    fastnorm.yield %q : f32
  }
  %y = fastnorm.map(%x [row, hidden], %scale [row]) -> [row, hidden]
     : (tensor<?x4096xf16>, tensor<?xf32>) -> tensor<?x4096xf16> {
  ^bb0(%a: f16, %q: f32):
    %f = arith.extf %a : f16 to f32
    %r = arith.mulf %f, %q : f32
    %t = arith.truncf %r : f32 to f16
    fastnorm.yield %t : f16
  }
  return %y : tensor<?x4096xf16>
}
