// Strides of arguments and results are read and written again, and reach the kernel as one or two strides a row.
// RUN: fastnorm-opt %s | fastnorm-opt | FileCheck %s
// RUN: fastnorm-opt %s --fastnorm-pipeline="target=h200 until=gpu" | FileCheck %s --check-prefix=GPU

// The row dimensions of the argument do not fold: two strides; those of the result do: one.
// CHECK: func.func @heads(%{{.+}}: tensor<?x32x128xbf16, #fastnorm.strides<[5120, 128, 1]>>)
// GPU-LABEL: gpu.func @heads(
// GPU-DAG: %[[OUTER_BYTES:.+]] = arith.constant 10240 : i64
// GPU-DAG: %[[HEADS:.+]] = arith.constant 32 : i64
// GPU-DAG: %[[ROW_BYTES:.+]] = arith.constant 256 : i64
// GPU: %[[OUTER:.+]] = arith.divui %[[ROW:.+]], %[[HEADS]] : i64
// GPU: arith.muli %[[OUTER]], %[[OUTER_BYTES]] : i64
// GPU: %[[INNER:.+]] = arith.remui %[[ROW]], %[[HEADS]] : i64
// GPU: arith.muli %[[INNER]], %[[ROW_BYTES]] : i64
// GPU: arith.muli %[[ROW]], %[[ROW_BYTES]] : i64
func.func @heads(%x: tensor<?x32x128xbf16, #fastnorm.strides<[5120, 128, 1]>>) -> tensor<?x32x128xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32}
     : tensor<?x32x128xbf16, #fastnorm.strides<[5120, 128, 1]>> -> tensor<?x32x128xbf16>
  return %y : tensor<?x32x128xbf16>
}

// A stride known at run time is an argument of the kernel, behind the rows.
// CHECK: func.func @run_time(%{{.+}}: tensor<?x4096xbf16, #fastnorm.strides<[?, 1]>>)
// GPU-LABEL: gpu.func @run_time(
// GPU-SAME: %[[STRIDE:[a-z0-9]+]]: i64)
// GPU: arith.muli %{{.+}}, %[[STRIDE]] : i64
// GPU-LABEL: func.func @run_time(
// GPU-SAME: %[[X:.+]]: memref<?x4096xbf16, strided<[?, 1]>, 1> {fastnorm.name
// GPU: memref.extract_strided_metadata %[[X]]
func.func @run_time(%x: tensor<?x4096xbf16, #fastnorm.strides<[?, 1]>>) -> tensor<?x4096xbf16> {
  %y = fastnorm.rms_norm %x {eps = 1.0e-6 : f32} : tensor<?x4096xbf16, #fastnorm.strides<[?, 1]>> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}
