// log-softmax over each row: x - max - ln(sum of exp(x - max)).
func.func @log_softmax(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %max = fastnorm.reduce max hidden (%x [row, hidden]) : tensor<?x4096xf32> -> tensor<?xf32>
  %power = fastnorm.map(%x [row, hidden], %max [row]) -> [row, hidden]
         : (tensor<?x4096xf32>, tensor<?xf32>) -> tensor<?x4096xf32> {
  ^bb0(%a: f32, %m: f32):
    %log2e = arith.constant 1.44269504 : f32
    %d = arith.subf %a, %m : f32
    %e = arith.mulf %d, %log2e : f32
    %p = math.exp2 %e : f32
    fastnorm.yield %p : f32
  }
  %sum = fastnorm.reduce add hidden (%power [row, hidden]) : tensor<?x4096xf32> -> tensor<?xf32>
  %shift = fastnorm.map(%max [row], %sum [row]) -> [row] : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%m: f32, %s: f32):
    %ln2 = arith.constant 0.693147181 : f32
    %l = math.log2 %s : f32
    %n = arith.mulf %l, %ln2 : f32
    %t = arith.addf %m, %n : f32
    fastnorm.yield %t : f32
  }
  %y = fastnorm.map(%x [row, hidden], %shift [row]) -> [row, hidden]
     : (tensor<?x4096xf32>, tensor<?xf32>) -> tensor<?x4096xf32> {
  ^bb0(%a: f32, %t: f32):
    %d = arith.subf %a, %t : f32
    fastnorm.yield %d : f32
  }
  return %y : tensor<?x4096xf32>
}
