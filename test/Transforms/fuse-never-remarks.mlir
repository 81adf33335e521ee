// RUN: fastnorm-opt %s --verify-diagnostics --fastnorm-pipeline="until=fuse fuse=never"

func.func @apart(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %s = fastnorm.residual_add %r, %x : tensor<?x64xf32>
  // expected-remark@+1 {{missed fuse: residual_add into rms_norm, fuse=never}}
  %y = fastnorm.rms_norm %s {eps = 1.0e-6 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
