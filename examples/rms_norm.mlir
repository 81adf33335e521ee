// Rows divided by their root mean square, times a weight.
//
//   build/bin/fastnorm-run examples/rms_norm.mlir --fill=seed:1 --dim rows=128 --check=reference

func.func @rms_norm(%x: tensor<?x4096xbf16>, %weight: tensor<4096xbf16>) -> tensor<?x4096xbf16> {
  %y = fastnorm.rms_norm %x weight(%weight) {eps = 1.0e-5 : f32}
     : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}
