func.func @norm(%x: tensor<4096xbf16>) -> tensor<4096xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-5 : f32} : tensor<4096xbf16> -> tensor<4096xbf16>
  return %y : tensor<4096xbf16>
}
