// Several row dimensions, heads among them, are read and written again, and graph ops say in them what they compute.
// RUN: fastnorm-opt %s | fastnorm-opt | FileCheck %s
// RUN: fastnorm-opt %s --fastnorm-decompose | FileCheck %s --check-prefix=KERNEL

// A per-head weight names the innermost row dimension; statistics have all of them.
// CHECK-LABEL: func.func @per_head(
// KERNEL-LABEL: func.func @per_head(
func.func @per_head(%x: tensor<?x40x128xbf16>, %w: tensor<40x128xf32>) -> (tensor<?x40x128xbf16>, tensor<?x40xf32>) {
  // CHECK: fastnorm.rms_norm %{{.+}} weight(%{{.+}}) {{.+}} : tensor<?x40x128xbf16>, tensor<40x128xf32> -> tensor<?x40x128xbf16>, tensor<?x40xf32>
  // KERNEL: fastnorm.reduce add hidden(%{{.+}} [row, head, hidden]) : tensor<?x40x128xf32> -> tensor<?x40xf32>
  // KERNEL: fastnorm.map(%{{.+}} [row, head, hidden], %{{.+}} [row, head], %{{.+}} [head, hidden]) -> [row, head, hidden]
  %y, %rstd = fastnorm.rms_norm %x weight(%w) {eps = 1.0e-6 : f32}
     : tensor<?x40x128xbf16>, tensor<40x128xf32> -> tensor<?x40x128xbf16>, tensor<?x40xf32>
  return %y, %rstd : tensor<?x40x128xbf16>, tensor<?x40xf32>
}

// Without one, all leading dimensions are rows.
// KERNEL-LABEL: func.func @rows_of_rank_4(
func.func @rows_of_rank_4(%x: tensor<?x2x40x128xbf16>, %w: tensor<128xf32>) -> tensor<?x2x40x128xbf16> {
  // KERNEL: fastnorm.map(%{{.+}} [row, row, row, hidden], %{{.+}} [row, row, row], %{{.+}} [hidden]) -> [row, row, row, hidden]
  %y = fastnorm.rms_norm %x weight(%w) {eps = 1.0e-6 : f32}
     : tensor<?x2x40x128xbf16>, tensor<128xf32> -> tensor<?x2x40x128xbf16>
  return %y : tensor<?x2x40x128xbf16>
}

// Heads that are the only row dimension are rows.
// KERNEL-LABEL: func.func @heads_alone(
func.func @heads_alone(%x: tensor<40x128xbf16>, %w: tensor<40x128xf32>) -> tensor<40x128xbf16> {
  // KERNEL: fastnorm.map(%{{.+}} [row, hidden], %{{.+}} [row], %{{.+}} [row, hidden]) -> [row, hidden]
  %y = fastnorm.rms_norm %x weight(%w) {eps = 1.0e-6 : f32} : tensor<40x128xbf16>, tensor<40x128xf32> -> tensor<40x128xbf16>
  return %y : tensor<40x128xbf16>
}

// KERNEL-LABEL: func.func @combine_of_sequences(
func.func @combine_of_sequences(%t: tensor<?x64xf32>, %i: tensor<?x3x4xi32>) -> tensor<?x3x64xf32> {
  // KERNEL: fastnorm.reduce add slot(%{{.+}} [row, row, slot, hidden]) : tensor<?x3x4x64xf32> -> tensor<?x3x64xf32>
  %y = fastnorm.combine %t[%i] : tensor<?x64xf32>, tensor<?x3x4xi32> -> tensor<?x3x64xf32>
  return %y : tensor<?x3x64xf32>
}
