// RUN: fastnorm-opt %s --verify-diagnostics

func.func @rounds_up(%x: tensor<?x8xf32>) -> tensor<?x8xbf16> {
  %y = fastnorm.map(%x [row, hidden]) -> [row, hidden] : (tensor<?x8xf32>) -> tensor<?x8xbf16> {
  ^bb0(%a: f32):
    // expected-error@+1 {{'arith.truncf' op rounds upward, but a fastnorm.map rounds to_nearest_even}}
    %b = arith.truncf %a upward : f32 to bf16
    fastnorm.yield %b : bf16
  }
  return %y : tensor<?x8xbf16>
}
