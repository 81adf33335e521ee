// A chain of norms is decided in no time: what is asked of a value is not asked again along each of the many ways to it.
// RUN: timeout 60 fastnorm-opt %s --fastnorm-pipeline="until=fuse fuse=always" 2>/dev/null | FileCheck %s

// CHECK-LABEL: func.func @chain(
// CHECK-COUNT-1: fastnorm.kernel
// CHECK-NOT: fastnorm.kernel
func.func @chain(%x0: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %x1 = fastnorm.layer_norm %x0 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x2 = fastnorm.layer_norm %x1 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x3 = fastnorm.layer_norm %x2 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x4 = fastnorm.layer_norm %x3 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x5 = fastnorm.layer_norm %x4 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x6 = fastnorm.layer_norm %x5 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x7 = fastnorm.layer_norm %x6 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x8 = fastnorm.layer_norm %x7 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x9 = fastnorm.layer_norm %x8 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x10 = fastnorm.layer_norm %x9 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x11 = fastnorm.layer_norm %x10 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x12 = fastnorm.layer_norm %x11 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x13 = fastnorm.layer_norm %x12 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x14 = fastnorm.layer_norm %x13 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x15 = fastnorm.layer_norm %x14 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  %x16 = fastnorm.layer_norm %x15 {eps = 1.0e-5 : f32} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %x16 : tensor<?x64xf32>
}
