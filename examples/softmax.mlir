// softmax over each row, written in the kernel algebra: no op of its own.
func.func @softmax(%x: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %wide = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x4096xbf16>) -> tensor<?x4096xf32> {
  ^bb0(%a: bf16):
    %f = arith.extf %a : bf16 to f32
    fastnorm.yield %f : f32
  }
  %max = fastnorm.reduce max hidden (%wide [row, hidden]) : tensor<?x4096xf32> -> tensor<?xf32>
  // The greatest element becomes 1, so that no power overflows.
  %power = fastnorm.map(%x [row, hidden], %max [row]) -> [row, hidden]
         : (tensor<?x4096xbf16>, tensor<?xf32>) -> tensor<?x4096xf32> {
  ^bb0(%a: bf16, %m: f32):
    %log2e = arith.constant 1.44269504 : f32
    %f = arith.extf %a : bf16 to f32
    %d = arith.subf %f, %m : f32
    %e = arith.mulf %d, %log2e : f32
    %p = math.exp2 %e : f32
    fastnorm.yield %p : f32
  }
  %sum = fastnorm.reduce add hidden (%power [row, hidden]) : tensor<?x4096xf32> -> tensor<?xf32>
  %scale = fastnorm.map(%sum [row]) -> [row] : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%s: f32):
    %one = arith.constant 1.0 : f32
    %q = arith.divf %one, %s : f32
    fastnorm.yield %q : f32
  }
  %y = fastnorm.map(%power [row, hidden], %scale [row]) -> [row, hidden]
     : (tensor<?x4096xf32>, tensor<?xf32>) -> tensor<?x4096xbf16> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.truncf %r : f32 to bf16
    fastnorm.yield %t : bf16
  }
  return %y : tensor<?x4096xbf16>
}
